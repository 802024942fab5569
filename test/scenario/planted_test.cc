// SPDX-License-Identifier: Apache-2.0
// Mistakes planted in the bundles: their scenarios must notice each.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "test/base/temporary_directory.h"
#include "test/scenario/suites.h"

namespace chartwright::scenario {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFileMax = size_t{1} << 20;

/// A text of a file of a bundle, and the wrong one in its place.
struct Mistake {
  std::string file;
  std::string right;
  std::string wrong;
};

/// Returns the suites of a copy of the bundle in charts/ that has the mistake.
base::Result<suite::SuiteFile> read_copy(const Mistake& mistake, const std::string& folder) {
  const std::string chart = mistake.file.substr(0, mistake.file.find('/'));
  fs::copy(source_dir() + "/charts/" + chart, folder + "/" + chart, fs::copy_options::recursive);
  const std::string path = folder + "/" + mistake.file;
  std::string text = CW_MUST(base::read_file(path, kFileMax));
  const size_t begin = text.find(mistake.right);
  REQUIRE(begin != std::string::npos);
  text.replace(begin, mistake.right.size(), mistake.wrong);
  CW_MUST(base::replace_file(path, text));
  const std::string suite = folder + "/" + chart + "/tests/operator_test.yaml";
  return testing::read_file_of(CW_MUST(base::read_file(suite, kFileMax)), folder + "/" + chart,
                               suite);
}

/// Reports whether a scenario of the bundle with that mistake fails.
bool is_noticed(const Mistake& mistake) {
  const base::TemporaryDirectory folder;
  const auto file = read_copy(mistake, folder.path());
  if (!file.ok()) {
    return true;
  }
  return std::ranges::any_of(file->suites, [](const suite::Suite& suite) {
    return std::ranges::any_of(suite.scenarios,
                               [](const suite::ScenarioTest& test) { return !test.run().passed; });
  });
}

void check(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    INFO(mistake.file << ": " << mistake.wrong);
    CHECK(is_noticed(mistake));
  }
}

TEST_CASE("The scenarios of BookStore notice mistakes in its templates") {
  check({
      {"bookstore/templates/app-deployment.yaml", "{{ int64 $app.replicas }}", "1"},
      {"bookstore/templates/app-deployment.yaml", "$app.repository $app.tag",
       "$app.repository \"latest\""},
      {"bookstore/templates/db-statefulset.yaml", "{{ int64 $db.replicas }}", "1"},
      {"bookstore/templates/db-service.yaml", "{{ include \"bookstore.mongodb\" . }}",
       "{{ include \"bookstore.fullname\" . }}"},
  });
}

TEST_CASE("The scenarios of BookStore notice mistakes in its operator folder") {
  check({
      {"bookstore/operator/operator.yaml", "growOnly: [spec.resources.requests",
       "growOnly: [spec.resources.limits"},
      {"bookstore/operator/operator.yaml", "freeze: [spec.volumeClaimTemplates]",
       "freeze: [spec.podManagementPolicy]"},
      {"bookstore/operator/operator.yaml", ".CR.metadata.name)) }}'", ".CR.metadata.name)) }}-x'"},
      {"bookstore/operator/status.yaml", "dig \"status\" \"readyReplicas\"",
       "dig \"status\" \"unavailableReplicas\""},
      {"bookstore/operator/status.yaml", "\"Resizing\"", "\"Resize\""},
      {"bookstore/operator/patches/claims.yaml", "{{- if ne (dig", "{{- if eq (dig"},
  });
}

TEST_CASE("The scenarios of DemoVolume notice mistakes") {
  check({
      {"demovolume/operator/operator.yaml", "growOnly: [spec.resources.requests",
       "growOnly: [spec.resources.limits"},
      {"demovolume/operator/status.yaml", "\"phase\" \"Pending\"", "\"phase\" \"Lost\""},
      {"demovolume/operator/status.yaml", "get .CR.spec \"name\"", "get .CR.metadata \"name\""},
      {"demovolume/templates/pvc.yaml", "{{ int64 .Values.size }}Gi", "1Gi"},
      {"demovolume/templates/pvc.yaml", "helm.sh/resource-policy: keep",
       "helm.sh/resource-policy: retain"},
      {"demovolume/templates/pvc.yaml", "{{- if .Values.keep }}", "{{- if not .Values.keep }}"},
  });
}

TEST_CASE("The scenarios of PodSet notice mistakes") {
  check({
      {"podset/operator/operator.yaml", "allowEmpty: true", "allowEmpty: false"},
      {"podset/operator/operator.yaml", "(list \"Pending\" \"Running\")", "(list \"Pending\")"},
      {"podset/operator/operator.yaml", "  update: recreate\n", ""},
      {"podset/operator/status.yaml", "(list \"Pending\" \"Running\")", "(list \"Running\")"},
      {"podset/templates/pods.yaml", "until (int .Values.replicas)", "until 3"},
      {"podset/templates/pods.yaml",
       "    chartwright.io/generate-name:", "    chartwright.io/name:"},
  });
}

}  // namespace
}  // namespace chartwright::scenario
