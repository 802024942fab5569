// SPDX-License-Identifier: Apache-2.0
// generate, init and create: the files that they write, and the input that they refuse.
#include "project/project.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "record/gzip.h"
#include "test/cmd/command.h"
#include "test/cmd/project_folder.h"

namespace chartwright::cmd {
namespace {

namespace fs = std::filesystem;
using testing::Outcome;
using testing::ProjectFolder;
using testing::run;
using testing::text_of;

/// A member of an archive: its name and text.
using PackedFile = std::pair<std::string, std::string>;

/// Returns files as a .tgz.
std::string packed_chart(const std::vector<PackedFile>& files) {
  constexpr size_t kBlock = 512;
  std::string tar;
  for (const auto& [name, text] : files) {
    std::string header(kBlock, '\0');
    const auto put = [&header](size_t at, const std::string& field) {
      header.replace(at, field.size(), field);
    };
    const auto octal = [](size_t number, size_t digits) {
      std::string written;
      for (; digits > 0; --digits, number /= 8) {
        written.insert(written.begin(), static_cast<char>('0' + number % 8));
      }
      return written;
    };
    put(0, name);
    put(100, "0000644");
    put(124, octal(text.size(), 11));
    put(136, octal(0, 11));
    put(148, std::string(8, ' '));
    put(156, "0");
    put(257, "ustar");
    put(263, "00");
    size_t sum = 0;
    for (const char c : header) {
      sum += static_cast<unsigned char>(c);
    }
    put(148, octal(sum, 6));
    header[154] = '\0';
    tar += header + text + std::string((kBlock - text.size() % kBlock) % kBlock, '\0');
  }
  return CW_MUST(record::gzip(tar + std::string(2 * kBlock, '\0')));
}

void check_refused(const std::vector<std::string>& arguments, const std::string& message) {
  const Outcome outcome = run(arguments);
  CHECK(outcome.code == kExitError);
  CHECK(outcome.out.empty());
  INFO(outcome.err);
  CHECK(outcome.err.find("Error: " + message) != std::string::npos);
}

}  // namespace

TEST_CASE("The files that are generated for a chart satisfy lint") {
  const ProjectFolder project;
  CHECK(run({"init", "charts/shop", "--group", "apps.example.com"}).code == kExitOk);
  const std::string crd = "deploy/crd/webshops.apps.example.com.yaml";
  const Outcome whole =
      run({"lint", "charts/shop", "--crd", crd, "--role", "deploy/rbac/role.yaml"});
  INFO(whole.out);
  CHECK(whole.code == kExitOk);
  ProjectFolder::write("role.yaml", "kind: ClusterRole\nrules: []\n");
  check_refused({"lint", "charts/shop", "--role", "role.yaml"},
                "--role needs --crd, which names the kind of the custom resources");
  const Outcome lacking = run({"lint", "charts/shop", "--crd", crd, "--role", "role.yaml"});
  CHECK(lacking.code == kExitError);
  CHECK(lacking.out.find("[ERROR] role.yaml: no right to create, delete, get, list, patch, watch "
                         "configmaps") != std::string::npos);
}

TEST_CASE("A schema that is composed of others means the same to lint and to generate") {
  const ProjectFolder project;
  ProjectFolder::write("charts/shop/values.schema.json", R"({"properties": {"web": {
      "type": "object", "properties": {"name": {"type": "string"}},
      "allOf": [{"$ref": "#/definitions/web%20port"}], "additionalProperties": true}},
      "definitions": {"web port": {"properties": {"port": {"type": "integer"}}}}})");
  ProjectFolder::write("charts/shop/values.yaml", "web: {name: a}\n");
  ProjectFolder::write("charts/shop/templates/a.yaml",
                       "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
                       "data: {a: {{ .Values.web.name }}{{ .Values.web.port }}}\n");
  const Outcome linted = run({"lint", "charts/shop"});
  INFO(linted.out << linted.err);
  CHECK(linted.code == kExitOk);
  CHECK(linted.out.find("web.port") == std::string::npos);
  const Outcome crd =
      run({"generate", "crd", "charts/shop", "--group", "apps.example.com", "--version", "v1"});
  INFO(crd.out << crd.err);
  CHECK(crd.out.find("port:\n                      type: integer\n") != std::string::npos);
  CHECK(crd.err.empty());
}

TEST_CASE("A chart becomes a project, and the next commands are printed") {
  const ProjectFolder project;
  const Outcome outcome = run({"init", "charts/shop", "--group", "apps.example.com"});
  CHECK(outcome.code == kExitOk);
  CHECK(outcome.out.ends_with(
      "Next:\n  docker build --tag chartwright-operator:" CW_VERSION
      " . && kubectl apply -k deploy\n  kubectl apply -f deploy/samples/webshop.yaml\n"));
  CHECK(text_of("watches.yaml")
            .ends_with("- group: apps.example.com\n  version: v1alpha1\n  kind: WebShop\n"
                       "  chart: charts/shop\n"));
  CHECK(text_of("deploy/rbac/role.yaml").find("[configmaps]") != std::string::npos);
  CHECK(text_of("deploy/crd/kustomization.yaml").find("webshops.apps.example.com.yaml") !=
        std::string::npos);
  CHECK(text_of("Dockerfile").find("COPY charts/shop charts/shop") != std::string::npos);
}

TEST_CASE("A packed chart becomes a project as it is") {
  const ProjectFolder project;
  ProjectFolder::write(
      "charts/shop-1.tgz",
      packed_chart({{"shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0\n"},
                    {"shop/templates/a.yaml", "apiVersion: v1\nkind: Secret\n"}}));
  const Outcome outcome = run({"init", "charts/shop-1.tgz", "--group", "apps.example.com"});
  INFO(outcome.err);
  CHECK(outcome.code == kExitOk);
  CHECK(text_of("watches.yaml").ends_with("  kind: Shop\n  chart: charts/shop-1.tgz\n"));
  CHECK(text_of("deploy/rbac/role.yaml").find("[secrets]") != std::string::npos);
  CHECK(text_of("Dockerfile").find("COPY charts/shop-1.tgz charts/shop-1.tgz\n") !=
        std::string::npos);
}

TEST_CASE("A project keeps out of its image and of Git what does not belong there") {
  const ProjectFolder project;
  REQUIRE(run({"init", "charts/shop", "--group", "a.example.com"}).code == kExitOk);
  CHECK(text_of(".dockerignore").ends_with("\n*\n!watches.yaml\n!charts/shop\n"));
  CHECK(text_of(".gitignore").find("\nkubeconfig\n") != std::string::npos);
  ProjectFolder::write("charts/other/Chart.yaml", "apiVersion: v2\nname: other\nversion: 0.1.0\n");
  REQUIRE(run({"init", "charts/other", "--group", "a.example.com"}).code == kExitOk);
  CHECK(text_of(".dockerignore").ends_with("!charts/shop\n!charts/other\n"));
  ProjectFolder::write(".dockerignore", "mine\n");
  ProjectFolder::write(".gitignore", "mine\n");
  const Outcome again = run({"init", "charts/shop", "--group", "a.example.com"});
  CHECK(again.code == kExitOk);
  CHECK(again.err.find("ignore") == std::string::npos);
  CHECK(text_of(".dockerignore") == "mine\n");
  CHECK(text_of(".gitignore") == "mine\n");
}

TEST_CASE("In the folder of a project, lint looks at its charts and views") {
  const ProjectFolder project;
  ProjectFolder::write("charts/four/Chart.yaml", "apiVersion: v2\nname: four\nversion: 0.1.0\n");
  ProjectFolder::write("charts/four/templates/a.yaml",
                       "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
                       "data: {a: {{ mustToYaml \"x\" | quote }}}\n");
  ProjectFolder::write("watches.yaml",
                       "- {group: a.b, version: v1, kind: A, chart: charts/shop}\n"
                       "- {group: a.b, version: v1, kind: B, chart: charts/shop}\n"
                       "- {group: a.b, version: v1, kind: C, chart: ./charts/four, "
                       "helmVersion: \"4.3\"}\n");
  ProjectFolder::write("views/a.yaml", "a: 1\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"lint"}, std::vector<std::string>{"lint", "."}}) {
    const Outcome linted = run(command);
    INFO(linted.out << linted.err);
    CHECK(linted.out.starts_with("==> Linting charts/shop\n"));
    CHECK(linted.out.find("==> Linting charts/four\n") != std::string::npos);
    CHECK(linted.out.find("mustToYaml") == std::string::npos);
    CHECK(linted.out.find("==> Linting views\n") != std::string::npos);
    CHECK(linted.err == "Error: 3 chart(s) linted, 1 chart(s) failed\n");
  }
  CHECK(run({"lint", "--helm-version", "3.22"}).out.find("mustToYaml") != std::string::npos);
  ProjectFolder::write("watches.yaml", "a: 1\n");
  check_refused({"lint"}, "watches.yaml:1:1: ");
  ProjectFolder::write("watches.yaml", "[]\n");
  check_refused({"lint"}, "watches.yaml names no chart");
}

// Helm 3 reads the first document of a values file, Helm 4 all of them, and only Helm 4 takes an
// unclosed index.
TEST_CASE("In the folder of a project, lint reads values as the version of Helm of each chart") {
  const ProjectFolder project;
  for (const char* name : {"charts/three", "charts/four"}) {
    ProjectFolder::write(name + std::string("/Chart.yaml"),
                         "apiVersion: v2\nname: x\nversion: 0.1.0\n");
    ProjectFolder::write(name + std::string("/templates/a.yaml"),
                         "{{ fail (printf \"a is %v\" .Values.a) }}\n");
  }
  const std::string of_four =
      "- {version: v1, kind: B, chart: charts/four, helmVersion: \"4.3\"}\n";
  ProjectFolder::write("watches.yaml", "- {version: v1, kind: A, chart: charts/three}\n" + of_four);
  ProjectFolder::write("more.yaml", "a: 1\n---\na: 2\n");
  for (const auto& [file, input] : {std::pair("more.yaml", ""), {"-", "a: 1\n---\na: 2\n"}}) {
    const Outcome linted = run({"lint", "-f", file}, input);
    INFO(linted.out << linted.err);
    const size_t three = linted.err.find("a is 1");
    const size_t four = linted.err.find("a is 2");
    CHECK(three < four);
    CHECK(four != std::string::npos);
  }
  check_refused({"lint", "--set", "a[0"}, "failed parsing --set data: error parsing index: EOF");
  ProjectFolder::write("watches.yaml", of_four);
  CHECK(run({"lint", "--set", "a[0"}).err.find("a is ") != std::string::npos);
}

TEST_CASE("The folder of a project stands for its watches file") {
  const ProjectFolder project;
  REQUIRE(run({"init", "charts/shop", "--group", "a.example.com"}).code == kExitOk);
  const Outcome of_folder = run({"generate", "rbac", "."});
  CHECK(of_folder.code == kExitOk);
  CHECK(of_folder.out == run({"generate", "rbac", "watches.yaml"}).out);
}

TEST_CASE("Doctor takes the manifests in the folder of a project") {
  const ProjectFolder project;
  ProjectFolder::write("below/watches.yaml", "[]\n");
  ProjectFolder::write("below/deploy/manager/deployment.yaml", "a: [\n");
  const std::string refusal = "below/deploy/manager/deployment.yaml: ";
  check_refused({"doctor", "below"}, refusal);
  check_refused({"doctor", "below/watches.yaml"}, refusal);
}

TEST_CASE("A second kind joins the first, and a repetition changes nothing") {
  const ProjectFolder project;
  ProjectFolder::write("charts/other/Chart.yaml", "apiVersion: v2\nname: other\nversion: 0.1.0\n");
  REQUIRE(run({"init", "charts/shop", "--group", "a.example.com"}).code == kExitOk);
  const std::vector<std::string> again = {"create",       "api",     "--helm-chart",
                                          "charts/other", "--group", "a.example.com",
                                          "--kind",       "Other"};
  CHECK(run(again).out.starts_with("added Other to watches.yaml\n"));
  CHECK(text_of("deploy/crd/kustomization.yaml").find("others.a.example.com") != std::string::npos);
  CHECK(run(again).out.starts_with("\nNext:"));
}

TEST_CASE("A repetition keeps what the first run was given") {
  const ProjectFolder project;
  REQUIRE(run({"init",
               "charts/shop",
               "--group",
               "a.example.com",
               "--kind",
               "Shop",
               "--version",
               "v2",
               "--name",
               "op",
               "--namespace",
               "ops",
               "--watch-namespaces",
               "one,two",
               "--image",
               "registry.example.com/op",
               "--tag",
               "7",
               "--monitor",
               "service",
               "--base-image",
               "mine/base:1"})
              .code == kExitOk);
  const Outcome again = run({"init", "charts/shop"});
  INFO(again.err);
  CHECK(again.code == kExitOk);
  CHECK(again.out ==
        "\nNext:\n  docker build --tag registry.example.com/op:7 . && kubectl apply -k deploy\n"
        "  kubectl apply -f deploy/samples/shop.yaml\n");
  CHECK(run({"generate", "manifests", "--output-dir", "deploy"}).out.empty());
  const Outcome changed = run({"init", "charts/shop", "--watch-namespaces=", "--tag", "8"});
  INFO(changed.out);
  CHECK(changed.code == kExitOk);
  CHECK(text_of("deploy/manager/deployment.yaml").find("value: \"\"\n") != std::string::npos);
  CHECK(text_of("deploy/manager/deployment.yaml").find("  namespace: ops\n") != std::string::npos);
  CHECK(text_of("deploy/manager/kustomization.yaml").ends_with("/op\n  newTag: '8'\n"));
  CHECK(text_of("Dockerfile").find("FROM mine/base:1\n") != std::string::npos);
  CHECK(text_of("deploy/kustomization.yaml").ends_with("- service-monitor\n"));
  CHECK(run({"init", "charts/shop", "--monitor", "none"}).code == kExitOk);
  CHECK(text_of("deploy/kustomization.yaml").ends_with("- manager\n"));
  CHECK(run({"init", "charts/shop"}).out.starts_with("\nNext:"));
}

TEST_CASE("A repetition names the kinds between which it cannot choose") {
  const ProjectFolder project;
  REQUIRE(run({"init", "charts/shop", "--group", "a.example.com"}).code == kExitOk);
  REQUIRE(run({"init", "charts/shop", "--group", "b.example.com"}).code == kExitOk);
  check_refused({"init", "charts/shop"},
                "watches.yaml has several kinds with the chart charts/shop, such as "
                "WebShop.a.example.com and WebShop.b.example.com: give --group and --kind");
  CHECK(run({"init", "charts/shop", "--group", "b.example.com"}).out.starts_with("\nNext:"));
}

TEST_CASE("Manifests that cannot be read are not replaced") {
  const ProjectFolder project;
  REQUIRE(run({"init", "charts/shop", "--group", "a.example.com"}).code == kExitOk);
  ProjectFolder::write("deploy/manager/deployment.yaml",
                       text_of("deploy/manager/deployment.yaml") + "<<<<<<< HEAD\n");
  check_refused({"init", "charts/shop"}, "deploy/manager/deployment.yaml: ");
}

TEST_CASE("Two kinds of one name have a sample each") {
  const ProjectFolder project;
  REQUIRE(run({"init", "charts/shop", "--group", "a.example.com"}).code == kExitOk);
  const Outcome second = run({"init", "charts/shop", "--group", "b.example.com"});
  CHECK(second.out.ends_with("kubectl apply -f deploy/samples/webshop.b.example.com.yaml\n"));
  CHECK(text_of("deploy/samples/webshop.yaml")
            .find("apiVersion: a.example.com/v1alpha1\nkind: WebShop\nmetadata:\n"
                  "  name: webshop-sample\n") != std::string::npos);
  CHECK(text_of("deploy/samples/webshop.b.example.com.yaml")
            .find("apiVersion: b.example.com/v1alpha1\nkind: WebShop\nmetadata:\n"
                  "  name: webshop-sample-2\n") != std::string::npos);
  CHECK(text_of("deploy/crd/kustomization.yaml")
            .ends_with("- webshops.a.example.com.yaml\n- webshops.b.example.com.yaml\n"));
}

TEST_CASE("Files that were written by hand are kept, unless forced") {
  const ProjectFolder project;
  ProjectFolder::write("Dockerfile", "FROM mine\n");
  ProjectFolder::write("deploy/samples/webshop.yaml", "mine\n");
  const Outcome kept = run({"init", "charts/shop", "--group", "a.example.com"});
  CHECK(kept.code == kExitOk);
  CHECK(kept.err.find("WARNING: Dockerfile: kept, as it was written by hand") != std::string::npos);
  CHECK(text_of("Dockerfile") == "FROM mine\n");
  CHECK(run({"init", "charts/shop", "--group", "a.example.com", "--force"}).code == kExitOk);
  CHECK(text_of("Dockerfile") != "FROM mine\n");
  CHECK(text_of("deploy/samples/webshop.yaml") == "mine\n");
}

TEST_CASE("The flags of operator-sdk mean the same") {
  const ProjectFolder project;
  const Outcome made = run({"init", "--plugins", "helm", "--domain", "example.com", "--group",
                            "apps", "--version", "v1", "--kind", "Shop", "--project-name",
                            "shop-operator", "--helm-chart", "charts/shop"});
  INFO(made.err);
  CHECK(made.code == kExitOk);
  CHECK(text_of("watches.yaml").find("group: apps.example.com\n") != std::string::npos);
  CHECK(text_of("deploy/manager/deployment.yaml").find("  name: shop-operator\n") !=
        std::string::npos);
  CHECK(run({"create", "api", "--helm-chart=charts/shop", "--domain=example.org",
             "--plugins=helm.sdk.operatorframework.io/v1", "--crd-version=v1", "--kind=Shop"})
            .code == kExitOk);
  CHECK(text_of("watches.yaml").find("group: charts.example.org\n") != std::string::npos);
}

TEST_CASE("Create api adds the domain of operator-sdk's project to the group") {
  const ProjectFolder project;
  ProjectFolder::write("PROJECT", "domain: example.com\nprojectName: shop\nversion: \"3\"\n");
  const auto created = [](const std::vector<std::string>& more) {
    std::vector<std::string> all = {"create", "api", "--helm-chart=charts/shop"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run(all);
    INFO(outcome.err);
    CHECK(outcome.code == kExitOk);
    const std::string watches = text_of("watches.yaml");
    const size_t group = watches.rfind("group: ");
    return watches.substr(group, watches.find('\n', group) - group);
  };
  CHECK(created({"--kind=Usual"}) == "group: charts.example.com");
  CHECK(created({"--group=apps"}) == "group: apps.example.com");
  // It was there before, with its whole name: operator-sdk would write the domain twice.
  CHECK(created({"--group=apps.example.com", "--kind=Other"}) == "group: apps.example.com");
  CHECK(created({"--group=apps", "--domain=example.org"}) == "group: apps.example.org");
  CHECK(created({"--group=b", "--kind=Third"}) == "group: b.example.com");
  // Our own spelling takes a whole group.
  check_refused({"init", "charts/shop", "--group", "cache"},
                "--group: \"cache\" is not an API group");
  ProjectFolder::write("PROJECT", "a: b\ndomain: [a\n");
  check_refused({"create", "api", "charts/shop", "--group", "c"}, "PROJECT:3:1: ");
}

TEST_CASE("A kind has the names of operator-sdk's project, in CRD and role") {
  const ProjectFolder project;
  ProjectFolder::write("watches.yaml",
                       "- {group: a.example.com, version: v1, kind: Redis, chart: charts/shop}\n");
  CHECK(run({"generate", "crd"}).out.find("  name: redis.a.example.com\n") != std::string::npos);
  ProjectFolder::write("PROJECT",
                       "domain: example.com\nresources:\n"
                       "- {group: a, kind: Redis, plural: redisinstances, version: v1}\n");
  REQUIRE(run({"init", "charts/shop"}).code == kExitOk);
  CHECK(fs::exists("deploy/crd/redisinstances.a.example.com.yaml"));
  CHECK(text_of("deploy/rbac/role.yaml").find("[redisinstances]") != std::string::npos);
  CHECK(run({"generate", "rbac"}).out == text_of("deploy/rbac/role.yaml"));
}

TEST_CASE("A flag of operator-sdk that is not supported is refused with what to do instead") {
  const ProjectFolder project;
  const auto create = [](const std::vector<std::string>& more) {
    std::vector<std::string> all = {"create", "api", "--group", "a.example.com"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  check_refused(create({"--helm-chart", "shop", "--helm-chart-repo", "https://charts.example.com",
                        "--helm-chart-version", "1.2.3"}),
                "charts are not fetched: run \"helm pull shop --repo https://charts.example.com "
                "--version 1.2.3 --untar --untardir helm-charts\", and give --helm-chart "
                "helm-charts/shop");
  check_refused(create({"--helm-chart", "oci://r.example.com/charts/shop"}),
                "charts are not fetched: run \"helm pull oci://r.example.com/charts/shop --untar "
                "--untardir helm-charts\", and give --helm-chart helm-charts/shop");
  check_refused(
      create({"--helm-chart", "https://example.com/shop-1.2.3.tgz"}),
      "charts are not fetched: run \"helm pull https://example.com/shop-1.2.3.tgz --untar "
      "--untardir helm-charts\", and give --helm-chart helm-charts/shop");
  ProjectFolder::write("shop.txt", "");
  check_refused(create({"--helm-chart", "shop.txt"}),
                "shop.txt is neither the folder of a chart nor an archive (.tgz)");
  check_refused(create({"charts/shop", "--plugins", "go/v4"}),
                "--plugins: \"go/v4\" is for projects of another kind");
  check_refused(create({"charts/shop", "--resource", "--controller"}),
                "--resource and --controller are for projects in Go");
  check_refused(create({"charts/shop", "--crd-version", "v1beta1"}),
                "--crd-version: \"v1beta1\" is no longer served by Kubernetes");
  check_refused(create({"--kind", "Shop"}),
                "expected one chart folder, for example: chartwright init charts/shop --group "
                "apps.example.com --kind Shop; \"helm create\" makes one");
  CHECK_FALSE(fs::exists("watches.yaml"));
}

TEST_CASE("Wrong input of init is refused before anything is written") {
  const ProjectFolder project;
  check_refused({"init"}, "expected one chart folder");
  check_refused({"init", "charts/none", "--group", "a.example.com"},
                "there is no chart folder charts/none");
  check_refused({"init", "charts/shop"},
                "a chart needs --group, for example: --group apps.example.com --kind Shop");
  check_refused({"init", "charts/shop", "--group", "apps"},
                "--group: \"apps\" is not an API group with a domain, such as "
                "\"apps.example.com\"");
  check_refused({"init", "charts/shop", "--group", "a.example.com", "--kind", "web shop"},
                "--kind: \"web shop\" is not a kind, such as \"WebShop\"");
  check_refused({"init", "charts/shop", "--group", "a.example.com", "--version", "1"},
                "--version: \"1\" is not an API version, such as \"v1alpha1\"");
  check_refused({"init", "charts/shop", "--group", "a.example.com", "--namespace", "A"},
                "--namespace: \"A\" is not the name of a namespace");
  check_refused({"init", "..", "--group", "a.example.com"},
                "the chart .. must be below the current folder");
  check_refused({"create", "webhook"}, "only an api can be created");
  CHECK_FALSE(fs::exists("watches.yaml"));
  CHECK_FALSE(fs::exists("deploy"));
}

TEST_CASE("A chart without its dependencies is refused, with the command that fetches them") {
  const ProjectFolder project;
  ProjectFolder::write("charts/shop/Chart.yaml",
                       "apiVersion: v2\nname: web-shop\nversion: 0.1.0\ndependencies:\n"
                       "- {name: away, version: 1.0.0}\n- {name: gone, version: 1.0.0}\n");
  const std::string missing =
      "chart charts/shop: found in Chart.yaml, but missing in charts/ directory: away, "
      "gone; fetch them: helm dependency build charts/shop";
  check_refused({"init", "charts/shop", "--group", "a.example.com"}, missing);
  CHECK_FALSE(fs::exists("watches.yaml"));
  check_refused({"generate", "crd", "charts/shop", "--group", "a.example.com"}, missing);
}

TEST_CASE("Generate crd names every place where a schema is wrong, also without a terminal") {
  const ProjectFolder project;
  ProjectFolder::write("charts/shop/values.schema.json",
                       R"({"allOf": [{}, {"minLength": "x"}], "required": "a"})");
  const std::string file = "charts/shop/values.schema.json";
  check_refused({"generate", "crd", "charts/shop", "--group", "a.example.com"},
                file +
                    ":1:30: not a JSON schema: at '/allOf/1/minLength': got string, want "
                    "integer\n" +
                    file + ":1:49: at '/required': got string, want array\n");
}

TEST_CASE("A kind that watches.yaml has with another chart is refused") {
  const ProjectFolder project;
  REQUIRE(run({"init", "charts/shop", "--group", "a.example.com"}).code == kExitOk);
  check_refused({"init", "charts/shop", "--group", "a.example.com", "--version", "v2"},
                "watches.yaml has an entry for WebShop.a.example.com already: version v1alpha1, "
                "chart charts/shop");
}

TEST_CASE("Generate prints manifests of a watches file or a chart") {
  const ProjectFolder project;
  REQUIRE(run({"init", "charts/shop", "--group", "a.example.com"}).code == kExitOk);
  CHECK(run({"generate", "rbac"}).out == text_of("deploy/rbac/role.yaml"));
  CHECK(run({"generate", "crd", "watches.yaml"}).out ==
        text_of("deploy/crd/webshops.a.example.com.yaml"));
  const std::string all = run({"generate", "manifests"}).out;
  CHECK(all.find("kind: Deployment\n") != std::string::npos);
  CHECK(all.find("kind: Kustomization\n") == std::string::npos);
  CHECK(run({"generate", "manifests", "--output-dir", "other"}).code == kExitOk);
  CHECK(text_of("other/rbac/role.yaml") == text_of("deploy/rbac/role.yaml"));
  CHECK(run({"generate", "crd", "charts/shop", "--group", "a.example.com"}).code == kExitOk);
}

TEST_CASE("Generate prints the documentation, or writes a page for each kind") {
  const ProjectFolder project;
  REQUIRE(run({"init", "charts/shop", "--group", "a.example.com"}).code == kExitOk);
  const Outcome printed = run({"generate", "docs"});
  CHECK(printed.code == kExitOk);
  CHECK(printed.out.starts_with("# Custom resources\n"));
  const Outcome of_chart = run({"generate", "docs", "charts/shop", "--group", "a.example.com"});
  CHECK(of_chart.out == printed.out);
  const std::vector<std::string> write = {"generate", "docs", "--output-dir", "pages"};
  CHECK(run(write).out == "wrote pages/webshops.a.example.com.md\n");
  CHECK(text_of("pages/webshops.a.example.com.md").starts_with("# WebShop\n"));
  CHECK(run(write).out.empty());
  ProjectFolder::write("pages/webshops.a.example.com.md", "# Mine\n");
  CHECK(run(write).err.find("kept, as it was written by hand") != std::string::npos);
  CHECK(text_of("pages/webshops.a.example.com.md") == "# Mine\n");
  CHECK(run({"generate", "docs", "--output-dir", "pages", "--force"}).code == kExitOk);
  CHECK(text_of("pages/webshops.a.example.com.md").starts_with("# WebShop\n"));
}

TEST_CASE("A hostile chart does not break out of its documentation") {
  const ProjectFolder project;
  ProjectFolder::write("charts/shop/Chart.yaml",
                       "apiVersion: v2\nname: shop\nversion: 0.1.0\n"
                       "description: \"a\\n# Evil\\n<img src=x> | b\"\n");
  ProjectFolder::write("charts/shop/values.yaml",
                       "adminPassword: hunter2\n# -- <b>|\nnote: \"x|`y\\n\"\n");
  const Outcome outcome = run({"generate", "docs", "charts/shop", "--group", "a.example.com"});
  CHECK(outcome.code == kExitOk);
  CHECK(outcome.out.find("\na # Evil &lt;img src=x&gt; &#124; b\n") != std::string::npos);
  CHECK(outcome.out.find("| `adminPassword` | anything | not shown |") != std::string::npos);
  CHECK(outcome.out.find("| `note` | anything | ``\"x\\|`y\\n\"`` |") != std::string::npos);
  CHECK(outcome.out.find("| may be null | &lt;b&gt;&#124;. |") != std::string::npos);
  CHECK(outcome.out.find("hunter2") == std::string::npos);
}

TEST_CASE("Wrong input of generate is refused") {
  const ProjectFolder project;
  check_refused({"generate"}, "expected what to generate");
  check_refused({"generate", "rback"},
                "nothing can be generated as \"rback\", did you mean \"rbac\"?");
  check_refused(
      {"generate", "zzz"},
      "nothing can be generated as \"zzz\": it is one of rbac, user-roles, crd, manifests, docs");
  check_refused({"generate", "rbac"},
                "could not open watches file: open watches.yaml: no such file or directory");
  check_refused({"generate", "rbac", "shop", "--group", "a.example.com"},
                "could not open watches file: open shop: no such file or directory");
  ProjectFolder::write("watches.yaml",
                       "- group: a.example.com\n  version: v1\n  kind: A\n  chrt: x\n");
  check_refused({"generate", "rbac"}, "watches.yaml:4:3:");
  check_refused({"generate", "rbac", "watches.yaml", "--group", "a.example.com"},
                "--group and --kind are for a chart; watches.yaml names its kinds itself");
}

TEST_CASE("No link below the folder that is written to is followed") {
  for (const char* link : {"deploy", "deploy/crd", "deploy/rbac"}) {
    CAPTURE(link);
    const ProjectFolder project;
    fs::create_directories("elsewhere");
    fs::create_directories(fs::path(link).parent_path().empty() ? "."
                                                                : fs::path(link).parent_path());
    fs::create_directory_symlink(fs::absolute("elsewhere"), link);
    const std::string refusal = std::string("Error: ") + link + " is not a folder";
    CHECK(run({"init", "charts/shop", "--group", "apps.example.com"}).err.find(refusal) !=
          std::string::npos);
    if (std::string_view(link) != "deploy") {
      CHECK(run({"generate", "manifests", "watches.yaml", "--output-dir", "deploy"})
                .err.find(refusal) != std::string::npos);
    }
    CHECK(fs::is_empty("elsewhere"));
  }
}

TEST_CASE("The folder itself may be a link, and a file that is one is replaced") {
  const ProjectFolder project;
  CHECK(run({"init", "charts/shop", "--group", "apps.example.com"}).code == kExitOk);
  fs::create_directories("elsewhere/rbac");
  fs::create_directory_symlink(fs::absolute("elsewhere"), "out");
  ProjectFolder::write("mine", "# generated\n");
  fs::create_symlink(fs::absolute("mine"), "elsewhere/rbac/role.yaml");
  CHECK(run({"generate", "manifests", "watches.yaml", "--output-dir", "out", "--force"}).code ==
        kExitOk);
  CHECK(text_of("mine") == "# generated\n");
  CHECK_FALSE(fs::is_symlink("elsewhere/rbac/role.yaml"));
  CHECK(text_of("elsewhere/rbac/role.yaml") == text_of("deploy/rbac/role.yaml"));
}

TEST_CASE("Names that a Dockerfile would read in another way are refused") {
  for (const char* path :
       {"charts/a b", "charts/a\nRUN x", "charts/a #x", "charts/$a", "charts/*", "charts/a\"b"}) {
    CAPTURE(path);
    const ProjectFolder project;
    ProjectFolder::write(std::string(path) + "/Chart.yaml",
                         "apiVersion: v2\nname: web-shop\nversion: 0.1.0\n");
    check_refused({"init", path, "--group", "apps.example.com"}, "a Dockerfile cannot copy ");
    CHECK_FALSE(fs::exists("watches.yaml"));
    CHECK_FALSE(fs::exists("Dockerfile"));
  }
  const ProjectFolder project;
  for (const char* flag : {"--image", "--tag", "--base-image"}) {
    for (const char* value : {"a\nRUN x", "a b", "a: b", "", "-a", "a # b", "a\"b"}) {
      CAPTURE(flag, value);
      check_refused({"init", "charts/shop", "--group", "apps.example.com", flag, value},
                    std::string(flag) + ": \"");
      CHECK_FALSE(fs::exists("watches.yaml"));
    }
  }
}

TEST_CASE("Another monitor than there is is refused") {
  const ProjectFolder project;
  check_refused({"init", "charts/shop", "--group", "a.example.com", "--monitor", "pods"},
                "--monitor: \"pods\" is not one of none, pod, service");
}

TEST_CASE("A path that YAML would read in another way is quoted") {
  const ProjectFolder project;
  fs::rename("charts", "0x10");
  CHECK(run({"init", "0x10/shop", "--group", "apps.example.com", "--image", "r.example.com:5000/a",
             "--tag", "1.10"})
            .code == kExitOk);
  fs::copy("0x10/shop", "123", fs::copy_options::recursive);
  CHECK(run({"init", "123", "--group", "apps.example.com", "--kind", "Other"}).code == kExitOk);
  const std::string watches = text_of("watches.yaml");
  CHECK(watches.find("chart: '123'\n") != std::string::npos);
  CHECK(text_of("deploy/manager/kustomization.yaml").find("newTag: '1.10'") != std::string::npos);
}

TEST_CASE("A folder of views becomes manifests") {
  const ProjectFolder project;
  ProjectFolder::write(
      "herd/views/pods.yaml",
      "group: herd.example.com\nversion: v1\nresource: {kind: Sheep, plural: sheep}\n"
      "source: {apiVersion: v1, kind: Pod}\nproject: |\n  spec: {}\n");
  const Outcome made = run({"generate", "manifests", "herd/views", "--output-dir", "deploy"});
  INFO(made.err);
  CHECK(made.code == kExitOk);
  CHECK(text_of("deploy/manager/deployment.yaml").find("--views=herd/views\n") !=
        std::string::npos);
  CHECK(text_of("deploy/views/apiservices.yaml").find("name: v1.herd.example.com\n") !=
        std::string::npos);
  check_refused({"generate", "crd", "herd/views"}, "herd/views is a folder of views");
  check_refused({"init", "herd/views", "--group", "a.example.com"}, "--group, --kind and --views");
  check_refused({"generate", "rbac", "herd/views", "--kind", "A"}, "--group, --kind and --views");
}

TEST_CASE("The views beside a watches file are those of the project") {
  const ProjectFolder project;
  ProjectFolder::write(
      "views/pods.yaml",
      "group: herd.example.com\nversion: v1\nresource: {kind: Sheep, plural: sheep}\n"
      "source: {apiVersion: v1, kind: Pod}\nproject: |\n  spec: {}\n");
  CHECK(run({"init", "charts/shop", "--group", "apps.example.com"}).code == kExitOk);
  CHECK(text_of("deploy/manager/deployment.yaml")
            .find("--views-service=chartwright-system/chartwright\n") != std::string::npos);
  CHECK(text_of("Dockerfile").ends_with("COPY views views\n"));
  check_refused({"generate", "rbac", "--subject-access-review"},
                "--subject-access-review is a flag of \"chartwright serve\"");
}

}  // namespace chartwright::cmd
