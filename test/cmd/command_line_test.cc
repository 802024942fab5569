// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "test/cmd/command.h"
#include "test/source_dir.h"

// Expected messages are those of helm 3.22.0, except for the program's name.
namespace chartwright::cmd {
namespace {

using testing::Outcome;
using testing::run;
using testing::run_as;

const std::string kRoot = source_dir();
const std::string kBookstore = kRoot + "/charts/bookstore";
const std::string kScaffold = kRoot + "/test/charts/scaffold";

/// Checks that the command fails and prints just the error message.
void check_error(const std::vector<std::string>& arguments, const std::string& message) {
  const Outcome outcome = run(arguments);
  CHECK(outcome.code == kExitError);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == "Error: " + message + "\n");
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("Nothing that a chart says controls the terminal") {
  const std::string evil = "\x1b[31m\x07";
  std::string pattern = (std::filesystem::temp_directory_path() / "cw-escapes-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  const std::filesystem::path chart = std::filesystem::path(pattern) / ("chart" + evil);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories((chart / name).parent_path());
    std::ofstream(chart / name, std::ios::binary) << text;
  };
  write("Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\ndescription: \"\\e[31m\"\n");
  write("values.yaml", "\"k\\e[31m\": 1\n");
  write("templates/a" + evil + ".yaml",
        "{{ if .Values.no }}{{ .Values.k.x }}{{ end }}{{ fail \"" + evil + "\" }}");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"lint", chart},
                                             {"template", chart},
                                             {"template", chart, "--debug"},
                                             {"generate", "crd", chart, "--group", "a.example.com"},
                                             {"lint", chart, "--strict"},
                                             {"generate", evil, chart},
                                             {evil},
                                             {"--" + evil},
                                             {"lint", "--" + evil},
                                             {"doctor", evil},
                                             {"vendor-schemas", evil},
                                             {"init", evil},
                                             {"diff", "a/b", "--output", evil}}) {
    CAPTURE(arguments);
    const testing::Outcome outcome = testing::run(arguments);
    CHECK((outcome.out + outcome.err).find_first_of("\x1b\x07") == std::string::npos);
  }
  std::filesystem::remove_all(pattern);
}

TEST_CASE("No arguments and --help list the commands") {
  for (const auto& arguments : {std::vector<std::string>{}, {"--help"}, {"help"}}) {
    const Outcome outcome = run(arguments);
    CHECK(outcome.code == kExitOk);
    CHECK(outcome.out.find("template") != std::string::npos);
    CHECK(outcome.err.empty());
  }
}

TEST_CASE("A flag that ends with = has an empty value, as in Go") {
  const Outcome outcome = run({"template", "--kube-version=", kBookstore});
  CHECK(outcome.err.empty());
  CHECK(outcome.out == run({"template", kBookstore}).out);
  CHECK(run({"template", "--kube-version", "", kBookstore}).out == outcome.out);
}

TEST_CASE("Version prints name and version") {
  CHECK(run({"version"}).out == "chartwright " CW_VERSION "\n");
  CHECK(run({"--version"}).out == "chartwright " CW_VERSION "\n");
}

TEST_CASE("Under the name of helm-operator, the program has that one's commands and words") {
  // The form, the overview's commands and the error are those of helm-operator 1.42.3.
  const Outcome version = run_as("/usr/local/bin/helm-operator", {"version"});
  CHECK(version.code == kExitOk);
  CHECK_THAT(version.out,
             Catch::Matchers::Matches(
                 "helm-operator version: \"v1\\.42\\.3\\+chartwright\\.[0-9.]+\", commit: "
                 "\"[^\"]+\", kubernetes version: \"v[0-9.]+\", go version: \"[^\"]+\", "
                 "GOOS: \"linux\", GOARCH: \"[a-z0-9]+\"\n"));
  const Outcome overview = run_as("./helm-operator", {});
  CHECK(overview.code == kExitOk);
  CHECK(overview.out.find("Usage:\n  helm-operator COMMAND") != std::string::npos);
  CHECK(overview.out.find("\n  run ") != std::string::npos);
  CHECK(overview.out.find("template") == std::string::npos);
  CHECK(run_as("helm-operator", {"run", "--help"}).out.find("helm-operator run") !=
        std::string::npos);
  CHECK(run_as("helm-operator", {"bogus"}).err ==
        "Error: unknown command \"bogus\" for \"helm-operator\"\n"
        "Run 'helm-operator --help' for usage.\n");
  CHECK(run_as("/opt/helm-operator/chartwright", {"version"}).out == "chartwright " CW_VERSION
                                                                     "\n");
}

TEST_CASE("As a plugin of kubectl, the program has its commands, and the name that users type") {
  const std::string plugin = "/usr/local/bin/kubectl-chartwright";
  CHECK(run_as(plugin, {}).out.find("Usage:\n  kubectl chartwright COMMAND") != std::string::npos);
  CHECK(run_as(plugin, {"get", "--help"}).out.find("kubectl chartwright get [OPTIONS]") !=
        std::string::npos);
  CHECK(run_as(plugin, {"gte"}).err ==
        "Error: unknown command \"gte\" for \"kubectl chartwright\"\n\nDid you mean "
        "this?\n\tget\n\nRun 'kubectl chartwright --help' for usage.\n");
  CHECK(run_as(plugin, {"version"}).out == run({"version"}).out);
  CHECK(run_as(plugin, {"__complete", "hist"}).out == run({"__complete", "hist"}).out);
}

TEST_CASE("Under the name that kubectl looks for, the program completes the words of the plugin") {
  const std::string called_as = "/usr/local/bin/kubectl_complete-chartwright";
  const Outcome outcome = run_as(called_as, {"hist"});
  CHECK(outcome.code == kExitOk);
  CHECK(outcome.out ==
        "history\tList the revisions of a custom resource, as helm history does\n:4\n");
  CHECK(run_as(called_as, {}).out == ":4\n");
  CHECK(run_as(called_as, {"--help"}).out == ":4\n");
}

TEST_CASE("An unknown command is refused with a suggestion") {
  check_error({"templat", "x"},
              "unknown command \"templat\" for \"chartwright\"\n\nDid you mean "
              "this?\n\ttemplate\n\nRun 'chartwright --help' for usage.");
  check_error({"zzzzz"},
              "unknown command \"zzzzz\" for \"chartwright\"\nRun 'chartwright --help' for usage.");
}

TEST_CASE("Wrong flags are refused in helm's words") {
  check_error({"template", kBookstore, "--zzz"}, "unknown flag: --zzz");
  check_error({"template", kBookstore, "--include-crd"},
              "unknown flag: --include-crd\n\nDid you mean --include-crds?");
  check_error({"template", kBookstore, "-z"}, "unknown shorthand flag: 'z' in -z");
  check_error({"template", kBookstore, "--set"}, "flag needs an argument: --set");
  check_error({"template", kBookstore, "--include-crds=x"},
              "invalid argument \"x\" for \"--include-crds\" flag: strconv.ParseBool: parsing "
              "\"x\": invalid syntax");
}

TEST_CASE("Wrong arguments of template are refused in helm's words") {
  check_error({"template"},
              "\"chartwright template\" requires at least 1 argument\n\nUsage:  chartwright "
              "template [NAME] [CHART] [flags]");
  check_error({"template", "a", "b", "c", "d"},
              "expected at most two arguments, unexpected arguments: c, d");
  check_error({"template", "/nope"}, "path \"/nope\" not found");
  check_error({"template", "n", kBookstore, "-g"},
              "cannot set --generate-name and also specify a name");
  check_error({"template", "n", kBookstore, "--name-template", "x"},
              "cannot set --name-template and also specify a name");
  check_error({"template", "Upper", kBookstore},
              "release name \"Upper\": invalid release name, must match regex "
              "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$ and the length "
              "must not be longer than 53");
  check_error({"template", kBookstore, "--helm-version", "3.19"},
              "--helm-version \"3.19\" is not one of 3.18, 3.22, 4.3");
  check_error({"template", kBookstore, "--kube-version", "x"},
              "invalid kube version 'x': could not parse \"x\" as version");
  check_error({"template", kBookstore, "--set", "a"},
              "failed parsing --set data: key \"a\" has no value");
  check_error({"template", kBookstore, "-f", "/nope.yaml"},
              "open /nope.yaml: no such file or directory");
  check_error({"template", kBookstore, "-s", "templates/nope.yaml"},
              "could not find template templates/nope.yaml in chart");
}

TEST_CASE("Values come from files, standard input and flags, the later ones winning") {
  const Outcome outcome = run({"template", "r", kScaffold, "-f", "-", "--set", "replicaCount=9",
                               "--set-string", "image.tag=5"},
                              "replicaCount: 7\nnameOverride: piped\n");
  CHECK(outcome.code == kExitOk);
  CHECK(outcome.out.find("replicas: 9\n") != std::string::npos);
  CHECK(outcome.out.find("name: r-piped\n") != std::string::npos);
  CHECK(outcome.out.find("nginx:5\"") != std::string::npos);
}

TEST_CASE("show-only prints the named templates alone") {
  const Outcome outcome =
      run({"template", kScaffold, "-s", "templates/service.yaml", "-s", "templates/dep*.yaml"});
  CHECK(outcome.code == kExitOk);
  CHECK(count(outcome.out, "# Source: ") == 2);
  CHECK(outcome.out.starts_with("---\n# Source: scaffold/templates/service.yaml\n"));
}

TEST_CASE("Output-dir writes the documents to files") {
  const std::string folder =
      (std::filesystem::temp_directory_path() / "chartwright-output-dir").string();
  std::filesystem::remove_all(folder);
  const Outcome outcome = run({"template", kScaffold, "--output-dir", folder, "--skip-tests"});
  CHECK(outcome.code == kExitOk);
  const std::string service = folder + "/scaffold/templates/service.yaml";
  CHECK(outcome.out.find("wrote " + service + "\n") != std::string::npos);
  std::ifstream file(service);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  CHECK(text.starts_with("---\n# Source: scaffold/templates/service.yaml\napiVersion: v1\n"));
  CHECK_FALSE(std::filesystem::exists(folder + "/scaffold/templates/tests"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("Flags without effect have no line of their own in the help") {
  const std::string help = run({"template", "--help"}).out;
  CHECK(std::ranges::count(help, '\n') <= 60);
  CHECK(help.find("\n  --set TEXT ") != std::string::npos);
  const size_t end = help.find("Accepted without effect:\n");
  REQUIRE(end != std::string::npos);
  CHECK(help.find("--atomic") > end);
  CHECK(help.find("--registry-config") > end);
  CHECK(run({"template", "--atomic"}).err.find("at least 1 argument") != std::string::npos);
}

TEST_CASE("Lint renders as the version of Helm that is asked for") {
  const auto folder = std::filesystem::temp_directory_path() / "chartwright-lint-version";
  std::filesystem::create_directories(folder / "templates");
  std::ofstream(folder / "Chart.yaml") << "apiVersion: v2\nname: c\nversion: 0.1.0\n";
  std::ofstream(folder / "values.yaml") << "a: 1\n";
  std::ofstream(folder / "templates/t.yaml") << "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "
                                                "x}\ndata: {a: {{ mustToYaml \"x\" }}}\n";
  const Outcome four = run({"lint", "--helm-version=4.3", folder.string()});
  CHECK(four.code == kExitOk);
  CHECK(four.out.find("0 chart(s) failed") != std::string::npos);
  for (const std::string version : {"3.18", "3.22"}) {
    const Outcome three = run({"lint", "--helm-version", version, folder.string()});
    CHECK(three.code == kExitError);
    CHECK(three.out.find("function \"mustToYaml\" not defined") != std::string::npos);
  }
  check_error({"lint", "--helm-version=5", folder.string()},
              "--helm-version \"5\" is not one of 3.18, 3.22, 4.3");
  std::filesystem::remove_all(folder);
}

TEST_CASE("A chart that uses the ids of its externals can be linted and rendered") {
  const auto folder = std::filesystem::temp_directory_path() / "chartwright-externals-offline";
  std::filesystem::create_directories(folder / "templates");
  std::filesystem::create_directories(folder / "ci");
  std::filesystem::create_directories(folder / "operator/externals");
  std::ofstream(folder / "Chart.yaml") << "apiVersion: v2\nname: c\nversion: 0.1.0\n";
  std::ofstream(folder / "values.yaml") << "a: 1\n";
  std::ofstream(folder / "ci/other-values.yaml") << "a: 2\n";
  std::ofstream(folder / "operator/externals/zone.yaml")
      << "name: zone\ndriver: {http: {baseURL: 'http://localhost'}}\n"
         "observe: {call: 'GET /zones/{{ .id }}'}\n"
         "create: {call: POST /zones, capture: '{{ .response.id }}'}\n"
         "delete: {call: 'DELETE /zones/{{ .id }}'}\n";
  std::ofstream(folder / "templates/t.yaml")
      << "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .External.zone.id }}}\n"
         "data: {a: {{ required \"an id\" .External.zone.id }}, b: {{ .Values.a | quote }}}\n";
  const Outcome linted = run({"lint", "--strict", folder.string()});
  CHECK(linted.code == kExitOk);
  CHECK(linted.out.find("ERROR") == std::string::npos);
  const Outcome rendered = run({"template", folder.string()});
  CHECK(rendered.code == kExitOk);
  CHECK(rendered.out.find("data: {a: zone-id, b: \"1\"}") != std::string::npos);
  const Outcome helm = run({"lint", "--helm-only", folder.string()});
  CHECK(helm.code == kExitError);
  CHECK(helm.out.find("nil pointer evaluating interface {}.zone") != std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("Running out of memory or an exception fails the command with an error") {
  const auto thrown = [](const auto& exception) {
    return on_render_stack([&exception]() -> base::Status { throw exception; });
  };
  const base::Status no_memory = thrown(std::bad_alloc());
  REQUIRE_FALSE(no_memory.ok());
  CHECK(no_memory.error().code() == base::ErrorCode::kBudget);
  CHECK(no_memory.error().message() == "out of memory");
  const base::Status other = thrown(std::runtime_error("why"));
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().message() == "unexpected exception: why");
  CHECK(on_render_stack([] { return base::Status(); }).ok());
}

}  // namespace chartwright::cmd
