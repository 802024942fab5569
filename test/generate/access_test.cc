// SPDX-License-Identifier: Apache-2.0
#include "generate/access.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "test/generate/projects.h"

namespace chartwright::generate {
namespace {

using testing::Files;
using testing::only;
using testing::shop_watch;
using Lines = std::vector<std::string>;

constexpr std::string_view kAll = "create delete get list patch watch";

/// Returns "group/resource verbs", without what every operator needs for its kind and records.
Lines rules_of(const std::vector<bundle::Watch>& watches) {
  const auto access = access_of(watches);
  REQUIRE(access.ok());
  Lines lines;
  for (const Rule& rule : access->rules) {
    const bool is_common = rule.group == "apps.example.com" ||
                           rule.purpose == Purpose::kRevisions ||
                           rule.purpose == Purpose::kEvents || is_optional(rule.purpose);
    if (!is_common) {
      const std::string names = rule.names.empty() ? "" : " [" + base::join(rule.names, " ") + "]";
      lines.push_back(rule.group + "/" + rule.resource + names + " " +
                      base::join({rule.verbs.begin(), rule.verbs.end()}, " "));
    }
  }
  return lines;
}

Lines notes_of(const std::vector<bundle::Watch>& watches) {
  const auto access = access_of(watches);
  REQUIRE(access.ok());
  Lines lines;
  for (const AccessNote& note : access->notes) {
    lines.push_back((note.is_gap ? "! " : "") + note.place + ": " + note.text);
  }
  return lines;
}

std::string crd(const std::string& plural, const std::string& kind, const std::string& scope) {
  return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  "
         "name: " +
         plural + ".db.example.com\nspec:\n  group: db.example.com\n  scope: " + scope +
         "\n  names: {kind: " + kind + ", plural: " + plural +
         "}\n  versions: [{name: v1, served: true, storage: true}]\n";
}

}  // namespace

TEST_CASE("A child needs what the operator does with it, on every branch") {
  CHECK(rules_of(only(shop_watch(
            {{"templates/a.yaml",
              "{{ if .Values.daemon }}\napiVersion: apps/v1\nkind: DaemonSet\n"
              "{{ else }}\napiVersion: apps/v1\nkind: Deployment\n{{ end }}"},
             {"templates/b.yaml", "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"}}))) ==
        Lines{"apps/daemonsets " + std::string(kAll), "apps/deployments " + std::string(kAll),
              "networking.k8s.io/networkpolicies " + std::string(kAll)});
}

TEST_CASE("Every operator needs its kind, its records and events") {
  const auto access = access_of(only(shop_watch({})));
  REQUIRE(access.ok());
  Lines lines;
  for (const Rule& rule : access->rules) {
    lines.push_back(rule.resource + " " + base::join({rule.verbs.begin(), rule.verbs.end()}, " "));
  }
  CHECK(lines == Lines{"webshops get list patch watch", "webshops/status patch",
                       "webshops/finalizers update", "secrets create delete get list patch",
                       "events create patch"});
}

TEST_CASE("Children with pods need lists that say why they are not ready") {
  const auto causes_of = [](const std::string& kind) {
    const auto access =
        access_of(only(shop_watch({{"templates/a.yaml", kind + "\nmetadata: {name: a}\n"}})));
    REQUIRE(access.ok());
    Lines lines;
    for (const Rule& rule : access->rules) {
      if (rule.purpose == Purpose::kCauses) {
        CHECK(rule.verbs == std::set<std::string>{"list"});
        lines.push_back(rule.group + "/" + rule.resource);
      }
    }
    return lines;
  };
  CHECK(causes_of("apiVersion: apps/v1\nkind: Deployment") ==
        Lines{"/events", "/persistentvolumeclaims", "/pods", "apps/replicasets"});
  CHECK(causes_of("apiVersion: apps/v1\nkind: StatefulSet") ==
        Lines{"/events", "/persistentvolumeclaims", "/pods"});
  CHECK(causes_of("apiVersion: v1\nkind: Pod") == Lines{"/events", "/persistentvolumeclaims"});
  CHECK(causes_of("apiVersion: v1\nkind: PersistentVolumeClaim") == Lines{"/events"});
  CHECK(causes_of("apiVersion: v1\nkind: ConfigMap").empty());
}

TEST_CASE("A right is not repeated for another purpose") {
  const auto access = access_of(only(shop_watch(
      {{"templates/a.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"},
       {"operator/patches/p.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"}})));
  REQUIRE(access.ok());
  const auto secrets = std::count_if(access->rules.begin(), access->rules.end(),
                                     [](const Rule& rule) { return rule.resource == "secrets"; });
  CHECK(secrets == 1);
}

TEST_CASE("Partial, related and looked-up objects need less") {
  bundle::Watch watch =
      shop_watch({{"templates/a.yaml",
                   "{{ lookup \"v1\" \"Node\" \"\" \"\" }}"
                   "{{ lookup \"v1\" \"ConfigMap\" \"x\" \"y\" }}"},
                  {"operator/operator.yaml",
                   "related:\n  pods: {apiVersion: v1, kind: Pod, selector: {a: b}}\n"},
                  {"operator/patches/p.yaml",
                   "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\n"}});
  CHECK(rules_of(only(watch)) == Lines{"/persistentvolumeclaims get list patch watch",
                                       "/pods list watch", "/configmaps get", "/nodes list"});
}

TEST_CASE("CRDs of crds/ need the verbs of their policy, and name their kinds") {
  bundle::Watch watch = shop_watch({{"crds/a.yaml", crd("databasen", "Database", "Cluster")},
                                    {"templates/a.yaml",
                                     "apiVersion: db.example.com/v1\nkind: "
                                     "Database\n"}});
  const std::string database = "db.example.com/databasen " + std::string(kAll);
  const std::string crds = "apiextensions.k8s.io/customresourcedefinitions ";
  CHECK(rules_of(only(watch)) ==
        Lines{database, crds + "create", crds + "[databasen.db.example.com] get"});
  watch.crds = release::DefinitionPolicy::kCreateOrUpdate;
  CHECK(rules_of(only(watch)) ==
        Lines{database, crds + "create", crds + "[databasen.db.example.com] get patch"});
  watch.crds = release::DefinitionPolicy::kSkip;
  CHECK(rules_of(only(watch)) == Lines{database});
  CHECK(notes_of(only(watch)).empty());
  const auto access = access_of(only(watch));
  const auto rule = std::find_if(access->rules.begin(), access->rules.end(),
                                 [](const Rule& each) { return each.resource == "databasen"; });
  CHECK(rule->scope == kube::Scope::kCluster);
}

TEST_CASE("CRDs of templates, of dependencies and of files name their kinds and scopes") {
  const std::string object = "apiVersion: db.example.com/v1\nkind: Database\n";
  const Files files = GENERATE(
      Files{{"templates/crd.yaml",
             "{{ if .Values.crds }}\n" + crd("databasen", "Database", "Cluster") + "{{ end }}\n"}},
      Files{{"files/crd.yaml", crd("databasen", "Database", "Cluster")}},
      Files{{"charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n"},
            {"charts/sub/templates/crd.yaml", crd("databasen", "Database", "Cluster")}},
      Files{{"charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n"},
            {"charts/sub/crds/crd.yaml", crd("databasen", "Database", "Cluster")}});
  const auto watches =
      only(shop_watch(bundle::testing::with(files, {{"templates/a.yaml", object}})));
  CHECK(notes_of(watches).empty());
  const auto access = CW_MUST(access_of(watches));
  const auto rule = std::find_if(access.rules.begin(), access.rules.end(),
                                 [](const Rule& each) { return each.resource == "databasen"; });
  REQUIRE(rule != access.rules.end());
  CHECK(rule->scope == kube::Scope::kCluster);
  // Watched namespaces have a Role; what is cluster-scoped needs a ClusterRole.
  const std::string roles = role_yaml(access, {"op", "ops", {"a"}});
  const size_t cluster = roles.find("kind: ClusterRole\n");
  REQUIRE(cluster != std::string::npos);
  CHECK(roles.find("databasen") > cluster);
}

TEST_CASE("A chart that reads API versions needs to watch what defines them") {
  CHECK(rules_of(only(shop_watch({{"templates/a.yaml", "# {{ .Capabilities.KubeVersion }}\n"}})))
            .empty());
  CHECK(rules_of(only(shop_watch(
            {{"templates/a.yaml", "# {{ .Capabilities.APIVersions.Has \"x/v1\" }}\n"}}))) ==
        Lines{"apiextensions.k8s.io/customresourcedefinitions list watch",
              "apiregistration.k8s.io/apiservices list watch"});
}

TEST_CASE("Who makes roles must be allowed to grant them, and is told so") {
  const auto watches =
      only(shop_watch({{"templates/a.yaml",
                        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n---\n"
                        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n"}}));
  const std::string group = "rbac.authorization.k8s.io/";
  CHECK(rules_of(watches) == Lines{group + "clusterroles " + std::string(kAll),
                                   group + "rolebindings " + std::string(kAll),
                                   group + "clusterroles bind escalate", group + "roles bind"});
  CHECK(notes_of(watches) ==
        Lines{"shop/templates/a.yaml: the chart makes a ClusterRole: the operator needs the right "
              "to grant any right (escalate), or every right that the ClusterRole has itself",
              "shop/templates/a.yaml: the chart makes a RoleBinding: the operator needs the right "
              "to bind any role, or every right that the bound role has itself"});
}

TEST_CASE("A binding needs to bind the kind of role that it names") {
  const std::string group = "rbac.authorization.k8s.io/";
  const auto grants_of = [](const std::string& binding) {
    Lines lines = rules_of(only(shop_watch(
        {{"templates/a.yaml", "apiVersion: rbac.authorization.k8s.io/v1\n" + binding}})));
    std::erase_if(lines, [](const std::string& line) { return !line.ends_with(" bind"); });
    return lines;
  };
  const std::string binding = "kind: RoleBinding\nroleRef:";
  const std::string cluster_roles = group + "clusterroles bind";
  const std::string roles = group + "roles bind";
  CHECK(grants_of(binding + "\n  apiGroup: a\n  kind: Role\nsubjects: []\n") == Lines{roles});
  CHECK(grants_of(binding + " {kind: \"ClusterRole\", name: a}\n") == Lines{cluster_roles});
  CHECK(grants_of(binding + "\n  kind: {{ .Values.kind }}\n") == Lines{cluster_roles, roles});
  CHECK(grants_of(binding + "\n  {{ if .Values.a }}\n  kind: Role\n  {{ else }}\n"
                            "  kind: ClusterRole\n  {{ end }}\n") == Lines{cluster_roles, roles});
  CHECK(grants_of("kind: ClusterRoleBinding\nroleRef:\n  kind: ClusterRole\n") ==
        Lines{cluster_roles});
}

TEST_CASE("Hooks are not patched, and tests need nothing") {
  const auto rules_with = [](const std::string& hook) {
    return rules_of(only(shop_watch(
        {{"templates/a.yaml",
          "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    " + hook + "\n"}})));
  };
  const Lines as_hook{"/pods create delete get list watch"};
  CHECK(rules_with("helm.sh/hook: pre-install") == as_hook);
  CHECK(rules_with("\"helm.sh/hook\": test,post-install") == as_hook);
  CHECK(rules_with("helm.sh/hook: {{ .Values.hook }}") == as_hook);
  CHECK(rules_with("\"helm.sh/hook\": \"test\" # for helm test").empty());
  CHECK(rules_with("helm.sh/hook: test-success").empty());
}

TEST_CASE("A rule for children names a kind that the values choose") {
  const std::string computed = "apiVersion: v1\nkind: {{ .Values.kind }}\n";
  const std::string rules =
      "children:\n- match: {apiVersion: v1, kind: Service}\n  ignore: [spec.type]\n"
      "- match: {kind: Secret}\n  ignore: [data.a]\n"
      "- match: {apiVersion: v1, kind: ConfigMap}\n  ignore: [data.a]\n";
  const std::string patch = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
  CHECK(rules_of(only(shop_watch({{"templates/a.yaml", computed},
                                  {"operator/operator.yaml", rules},
                                  {"operator/patches/p.yaml", patch}}))) ==
        Lines{"/services " + std::string(kAll), "/configmaps get list patch watch"});
  CHECK(rules_of(only(shop_watch({{"operator/operator.yaml", rules}}))).empty());
}

TEST_CASE("Gaps are named with their place") {
  CHECK(
      notes_of(only(shop_watch(
          {{"templates/a.yaml", "{{ range .Values.more }}\n---\n{{ toYaml . }}\n{{ end }}"},
           {"templates/b.yaml", "apiVersion: things.example.com/v1\nkind: Gadget\n"},
           {"crds/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"}}))) ==
      Lines{"shop: no CRD of the chart defines Gadget.things.example.com: its resource is taken to "
            "be \"gadgets\", and namespaced",
            "! shop: crds/ cannot be installed: crds/a.yaml:1: this is a ConfigMap named \"a\", "
            "and only a CustomResourceDefinition (apiextensions.k8s.io/v1) belongs here",
            "! shop/templates/a.yaml:3:3: objects of any kind, from .Values.more[], may be "
            "written here; add a rule for each other kind that you allow"});
}

TEST_CASE("Kinds that share a chart have its gaps once") {
  const testing::Files chart = {{"templates/a.yaml", "apiVersion: v1\nkind: {{ .Values.kind }}\n"}};
  std::vector<bundle::Watch> watches = only(shop_watch(chart));
  watches.push_back(shop_watch(chart));
  watches.back().gvk.kind = "Stall";
  CHECK(notes_of(watches) == notes_of(only(shop_watch(chart))));
  CHECK(notes_of(watches).size() == 1);
}

}  // namespace chartwright::generate
