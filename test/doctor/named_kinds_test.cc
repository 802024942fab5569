// SPDX-License-Identifier: Apache-2.0
#include "doctor/named_kinds.h"

#include <catch2/catch.hpp>

#include "test/fakeapi/refusing_client.h"
#include "test/generate/projects.h"

namespace chartwright::doctor {
namespace {

using generate::testing::only;
using generate::testing::served_views;
using generate::testing::shop_watch;
using Lines = std::vector<std::string>;

/// Serves apps/v1 Deployments.
class AppsClient final : public fakeapi::RefusingClient {
 public:
  base::Result<kube::ResourceMapping> mapping_for(const kube::Gvk& gvk,
                                                  const kube::Call& /*call*/) override {
    return find(gvk.kind == "Deployment" && gvk.api_version() == "apps/v1");
  }
  base::Result<kube::ResourceMapping> preferred_mapping(const kube::GroupKind& kind,
                                                        const kube::Call& /*call*/) override {
    return find(kind.kind == "Deployment");
  }

 private:
  static base::Result<kube::ResourceMapping> find(bool is_served) {
    if (is_served) {
      return kube::ResourceMapping{{"apps", "v1", "Deployment"}, "deployments"};
    }
    return base::Error(base::ErrorCode::kNotFound, "no such kind")
        .with_http(404, std::string(kube::kNoMatchReason));
  }
};

Lines complaints(const std::vector<NamedKind>& named) {
  AppsClient client;
  const auto found = check_named_kinds(named, client, {});
  REQUIRE(found.ok());
  Lines lines;
  for (const Complaint& complaint : *found) {
    const bool is_note = complaint.weight == Complaint::Weight::kNote;
    lines.push_back(is_note ? "note: " + complaint.text
                            : complaint.text + "; " + complaint.fix({}));
  }
  return lines;
}

}  // namespace

TEST_CASE("Rules, related objects, partial objects and views name kinds") {
  const auto named = named_kinds(
      only(shop_watch(
          {{"operator/operator.yaml",
            "children:\n- match: {apiVersion: apps/v1, kind: Deployment}\n"
            "  freeze: [spec.replicas]\nrelated:\n  pods: {apiVersion: v1, kind: Pod, selector: "
            "{a: b}}\n"},
           {"operator/patches/a.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"}})),
      served_views("verbs: [list]", "v1", "Namespace"));
  REQUIRE(named.ok());
  CHECK(*named == std::vector<NamedKind>{
                      {{"apps", "v1", "Deployment"}, "shop/operator/operator.yaml (children)"},
                      {{"", "v1", "Pod"}, "shop/operator/operator.yaml (related.pods)"},
                      {{"", "v1", "Node"}, "shop/operator/patches/a.yaml"},
                      {{"", "v1", "Namespace"}, "views/animals.yaml:4:32"}});
}

TEST_CASE("A rule for a kind that templates render needs it only where they do") {
  const auto named = named_kinds(
      only(shop_watch(
          {{"templates/rule.yaml",
            "{{ if .Capabilities.APIVersions.Has \"b.io/v1\" }}\napiVersion: b.io/v1\nkind: Bird\n"
            "metadata: {name: a}\n{{ end }}\n"},
           {"operator/operator.yaml",
            "children:\n- match: {apiVersion: b.io/v1, kind: Bird}\n  freeze: [spec.a]\n"
            "- match: {apiVersion: b.io/v1, kind: Brid}\n  freeze: [spec.a]\n"}})),
      {});
  REQUIRE(named.ok());
  CHECK(complaints(*named) ==
        Lines{"note: the API server does not serve b.io/v1, Kind=Bird, which "
              "shop/operator/operator.yaml (children) names: needed only where the chart "
              "renders it",
              "the API server does not serve b.io/v1, Kind=Brid, which shop/operator/operator.yaml "
              "(children) names; install the CRD of Brid.b.io, or name another kind (kubectl "
              "api-resources shows all)"});
}

TEST_CASE("A kind that is not served is named with what would be right") {
  CHECK(complaints({{{"apps", "v1", "Deployment"}, "a.yaml"}}) == Lines{});
  CHECK(complaints({{{"apps", "v1beta1", "Deployment"}, "a.yaml"}}) ==
        Lines{"the API server does not serve apps/v1beta1, Kind=Deployment, which a.yaml names; "
              "write apiVersion: apps/v1 there"});
  CHECK(complaints({{{"b.io", "v1", "Bird"}, "a.yaml (related.birds)"}}) ==
        Lines{"the API server does not serve b.io/v1, Kind=Bird, which a.yaml (related.birds) "
              "names; install the CRD of Bird.b.io, or name another kind (kubectl api-resources "
              "shows all)"});
}

}  // namespace chartwright::doctor
