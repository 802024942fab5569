// SPDX-License-Identifier: Apache-2.0
#include "generate/behaviour.h"

#include <catch2/catch.hpp>

#include "test/generate/projects.h"

namespace chartwright::generate {
namespace {

using testing::Files;
using testing::shop_watch;

std::string rules_of(const std::string& operator_yaml) {
  return rules_for_children(shop_watch({{"operator/operator.yaml", operator_yaml}}));
}

constexpr std::string_view kRuleHead = "| objects | rule |\n|---|---|\n";

}  // namespace

TEST_CASE("The objects of a chart are listed with their templates") {
  const Files files = {
      {"templates/a.yaml",
       "apiVersion: apps/v1\nkind: Deployment\n---\napiVersion: v1\nkind: Service\n"},
      {"templates/b.yaml", "{{ if .Values.b }}\napiVersion: v1\nkind: Service\n{{ end }}\n"},
      {"templates/hook.yaml",
       "apiVersion: batch/v1\nkind: Job\nmetadata: {annotations: {helm.sh/hook: pre-install}}\n"},
      {"templates/test.yaml",
       "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    \"helm.sh/hook\": test\n"},
      {"templates/extra.yaml", "{{ toYaml .Values.extra }}\n"},
      {"operator/patches/p.yaml",
       "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\n"}};
  const auto text = written_objects(shop_watch(files));
  REQUIRE(text.ok());
  CHECK(*text ==
        "The operator may create these objects, and owns them: it repairs and deletes them.\n\n"
        "| kind | API version | from |\n|---|---|---|\n"
        "| Deployment | `apps/v1` | `templates/a.yaml` |\n"
        "| Job | `batch/v1` | `templates/hook.yaml`; hooks, which run at their events and are not "
        "repaired "
        "|\n"
        "| Pod | `v1` | `templates/test.yaml`; hooks of the event `test`, which are not run |\n"
        "| Service | `v1` | `templates/a.yaml`, `templates/b.yaml` |\n"
        "\n"
        "It changes fields of these objects, which others own. It neither creates nor deletes "
        "them.\n\n"
        "| kind | API version | from |\n|---|---|---|\n"
        "| PersistentVolumeClaim | `v1` | `operator/patches/p.yaml` |\n"
        "\n"
        "The spec decides on more kinds of objects:\n\n"
        "- `templates/extra.yaml:1:3`: objects of any kind, from .Values.extra, may be written "
        "here\n");
}

TEST_CASE("A chart without objects says so") {
  const auto text = written_objects(shop_watch({}));
  REQUIRE(text.ok());
  CHECK(*text == "The chart itself creates no object in the cluster.\n");
}

TEST_CASE("Rules are told in sentences") {
  CHECK(rules_of("") == "");
  CHECK(rules_of("children: [{match: {kind: Service}, update: apply}]") == "");
  CHECK(
      rules_of(R"(
children:
- match: {apiVersion: apps/v1, kind: StatefulSet}
  freeze: [spec.volumeClaimTemplates]
  ignore: [spec.replicas, 'metadata.labels["a|b"]']
- match: {kind: PersistentVolumeClaim, name: data-*}
  growOnly: [spec.resources.requests.storage]
  onDelete: keep
- match: {labels: {tier: db, app: x}}
  update: onDelete
  onDelete: orphan
- match: {kind: Pod}
  update: recreate
  pace: {max: 1, until: observed}
  present: '{{ true }}'
  ready: '{{ true }}'
- match: {kind: Job}
  update: recreateIfImmutable
  pace: {max: 2, until: ready}
- match: {}
  update: orphanRecreate
  pace: {max: 3, until: gone}
)") == std::string(kRuleHead) +
           "| StatefulSet (`apps/v1`) | Fixed once the object exists: `spec.volumeClaimTemplates`. "
           "The condition `FieldsFrozen` names what the chart renders otherwise. "
           "Left to others once the object exists: `spec.replicas`, `metadata.labels[\"a\\|b\"]`. "
           "|\n"
           "| PersistentVolumeClaim named `data-*` | May grow, but not shrink: "
           "`spec.resources.requests.storage`. The condition `FieldsHeld` names what was refused. "
           "It stays when the custom resource is deleted. |\n"
           "| every object with `tier=db`, `app=x` | A change waits until somebody deletes the "
           "object; meanwhile the condition `UpdatesHeld` names it. When it is deleted with the "
           "custom resource, what it owns stays. |\n"
           "| Pod | A change deletes the object and creates it anew. At most 1 of them changes at "
           "a time. One that does not count any more, such as a pod that failed, is replaced. The "
           "chart says when it is ready. |\n"
           "| Job | A change of an immutable field deletes the object and creates it anew. At most "
           "2 of them change at a time; the next one waits until it is ready. |\n"
           "| every object | A change of an immutable field deletes the object and creates it "
           "anew; what it owns stays. At most 3 of them change at a time; the next one waits until "
           "it is ready or, if it was deleted, gone. |\n");
}

TEST_CASE("Related objects are listed with what selects them") {
  CHECK(related_objects(shop_watch({})) == "");
  CHECK(
      related_objects(shop_watch({{"operator/operator.yaml", R"(
related:
  claims:
    apiVersion: v1
    kind: PersistentVolumeClaim
    selector: {app: shop, name: '{{ .CR.metadata.name }}'}
  pods:
    apiVersion: v1
    kind: Pod
    selectedBy: {apiVersion: apps/v1, kind: Deployment, name: web}
  maps:
    apiVersion: v1
    kind: ConfigMap
    selector: {matchExpressions: [{key: zone, operator: In, values: [a, '{{ .CR.spec.zone }}']}]}
  settings:
    apiVersion: v1
    kind: ConfigMap
    namespace: platform
    name: '{{ .CR.metadata.name }}|b'
)"}})) ==
      "The operator reads these objects, and reacts when they change.\n\n"
      "| kind | API version | which | namespace |\n|---|---|---|---|\n"
      "| PersistentVolumeClaim | `v1` | with `app=shop`, `name={{ .CR.metadata.name }}` | that of "
      "the custom resource |\n"
      "| Pod | `v1` | selected by the Deployment `web` | that of the custom resource |\n"
      "| ConfigMap | `v1` | with `zone in (a,{{ .CR.spec.zone }})` | that of the custom resource "
      "|\n"
      "| ConfigMap | `v1` | named `{{ .CR.metadata.name }}\\|b` | `platform` |\n");
}

TEST_CASE("Objects outside the cluster are listed without their server") {
  CHECK(external_objects(shop_watch({})) == "");
  CHECK(external_objects(shop_watch({{"operator/externals/zone.yaml", R"(
name: zone
driver: {http: {baseURL: 'https://{{ .CR.spec.user }}:hunter@dns.example.com'}}
observe: {call: 'GET /zones/{{ .id }}'}
create: {call: POST /zones, body: '{}', capture: '{{ .response.id }}'}
delete: {call: 'DELETE /zones/{{ .id }}'}
)"}})) ==
        "The operator keeps these objects outside the cluster. The deletion policy `Orphan` leaves "
        "them there.\n\n"
        "| name | protocol | created by | looked at every |\n|---|---|---|---|\n"
        "| `zone` | HTTP | `POST /zones` | `60s` |\n");
}

}  // namespace chartwright::generate
