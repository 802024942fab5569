// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_file.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "helm/version/semver.h"
#include "suite/assertion_file.h"
#include "suite/suite_reader.h"

namespace chartwright::suite {
namespace {

using value::Value;

constexpr size_t kSuitesMax = 10'000;

base::Status read_capabilities(SuiteMap map, Settings& settings) {
  CW_TRY_VOID(map.text("majorVersion", settings.major_version));
  CW_TRY_VOID(map.text("minorVersion", settings.minor_version));
  settings.clears_api_versions = map.has("apiVersions") && map.get("apiVersions").is_nil();
  CW_TRY_VOID(map.texts("apiVersions", settings.api_versions));
  map.finish();
  return {};
}

base::Status read_provider(SuiteMap map, Settings& settings) {
  CW_TRY_VOID(map.dict("scheme", settings.scheme));
  CW_TRY(settings.objects, map.list("objects"));
  for (const auto& [kind, properties] : settings.scheme.as_dict()) {
    if (properties.find("should_err") != nullptr) {
      return map.error("scheme", "should_err of " + kind + " is not supported yet");
    }
  }
  for (const Value& object : settings.objects) {
    if (!object.is_dict()) {
      return map.error("objects", "expected a list of maps");
    }
  }
  map.finish();
  return {};
}

base::Status read_post_renderer(SuiteMap& map, Settings& settings) {
  PostRenderer& renderer = settings.post_renderer;
  renderer.pos = map.pos("postRenderer");
  CW_TRY(SuiteMap own, map.map("postRenderer"));
  CW_TRY_VOID(own.text("cmd", renderer.program));
  CW_TRY_VOID(own.texts("args", renderer.arguments));
  own.finish();
  if (renderer.program.empty() && map.get("postRenderer").is_dict()) {
    own.source().warnings.push_back(renderer.pos.to_string() +
                                    ": postRenderer has no `cmd`, so it runs nothing");
  }
  return {};
}

/// Reads the keys that suites and jobs share.
base::Status read_settings(SuiteMap& map, Settings& settings) {
  CW_TRY_VOID(map.texts("values", settings.values));
  CW_TRY_VOID(map.dict("set", settings.set));
  CW_TRY_VOID(map.texts("templates", settings.templates));
  CW_TRY(SuiteMap release, map.map("release"));
  CW_TRY_VOID(release.text("name", settings.release_name));
  CW_TRY_VOID(release.text("namespace", settings.release_namespace));
  CW_TRY_VOID(release.integer("revision", settings.revision));
  CW_TRY_VOID(release.boolean("upgrade", settings.upgrade));
  release.finish();
  CW_TRY(SuiteMap chart, map.map("chart"));
  CW_TRY_VOID(chart.text("version", settings.chart_version));
  CW_TRY_VOID(chart.text("appVersion", settings.chart_app_version));
  chart.finish();
  CW_TRY(SuiteMap capabilities, map.map("capabilities"));
  CW_TRY_VOID(read_capabilities(std::move(capabilities), settings));
  CW_TRY(SuiteMap provider, map.map("kubernetesProvider"));
  CW_TRY_VOID(read_provider(std::move(provider), settings));
  return read_post_renderer(map, settings);
}

base::Result<Job> read_job(const SuiteText& text, const Value& v, SuiteMap::Steps steps) {
  CW_TRY(SuiteMap map, SuiteMap::open(text, v, std::move(steps)));
  Job job;
  CW_TRY_VOID(map.text("it", job.name));
  CW_TRY_VOID(read_settings(map, job.settings));
  CW_TRY_VOID(map.text("template", job.template_name));
  CW_TRY_VOID(map.integer("documentIndex", job.document_index));
  CW_TRY_VOID(read_selector(map, job.selector));
  CW_TRY(SuiteMap skip, map.map("skip"));
  CW_TRY_VOID(skip.text("reason", job.settings.skip_reason));
  skip.finish();
  CW_TRY(const std::vector<Value> assertions, map.list("asserts"));
  for (size_t i = 0; i < assertions.size(); ++i) {
    SuiteMap::Steps place = map.steps_to("asserts");
    place.emplace_back(i);
    CW_TRY(Assertion assertion, read_assertion(text, assertions[i], std::move(place)));
    job.assertions.push_back(std::move(assertion));
  }
  if (job.assertions.empty()) {
    return map.error("asserts", "no asserts found");
  }
  map.finish();
  return job;
}

/// Source: helm-unittest pkg/unittest/test_suite.go VersionMeetsMinimum.
bool meets(const std::string& minimum) {
  const auto wanted = helm::Version::parse(minimum);
  const auto ours = helm::Version::parse(kUnittestVersion);
  return wanted.ok() && ours.ok() && ours->compare(*wanted) >= 0;
}

base::Status read_skip(SuiteMap map, Settings& settings) {
  std::string minimum;
  CW_TRY_VOID(map.text("reason", settings.skip_reason));
  CW_TRY_VOID(map.text("minimumVersion", minimum));
  map.finish();
  if (!minimum.empty() && !meets(minimum)) {
    settings.skip_reason = "Test suite requires minimum unittest plugin version " + minimum +
                           ", but current version is " + std::string(kUnittestVersion);
  }
  return {};
}

/// Fills in what jobs leave to their suite.
void inherit(const Settings& suite, Settings& job) {
  const auto fill = [](std::string& into, const std::string& from) {
    into = into.empty() ? from : into;
  };
  fill(job.release_name, suite.release_name);
  fill(job.release_namespace, suite.release_namespace);
  job.revision = job.revision != 0 ? job.revision : suite.revision;
  job.upgrade = job.upgrade || suite.upgrade;
  fill(job.chart_version, suite.chart_version);
  fill(job.chart_app_version, suite.chart_app_version);
  fill(job.major_version, suite.major_version);
  fill(job.minor_version, suite.minor_version);
  if (!job.clears_api_versions) {
    job.api_versions.insert(job.api_versions.end(), suite.api_versions.begin(),
                            suite.api_versions.end());
  }
  job.objects.insert(job.objects.end(), suite.objects.begin(), suite.objects.end());
  for (const auto& [kind, properties] : suite.scheme.as_dict()) {
    job.scheme.mutable_dict().set(kind, properties);
  }
  if (job.post_renderer.program.empty()) {
    job.post_renderer = suite.post_renderer;
  }
  if (!suite.skip_reason.empty()) {
    job.skip_reason = suite.skip_reason;
  }
  job.values.insert(job.values.begin(), suite.values.begin(), suite.values.end());
}

base::Result<Suite> read_suite(const SuiteText& text, const Value& v,
                               const ReadScenarios& read_scenarios) {
  CW_TRY(SuiteMap map, SuiteMap::open(text, v, {}));
  Suite suite;
  suite.file = text.file;
  CW_TRY_VOID(map.text("suite", suite.name));
  CW_TRY_VOID(read_settings(map, suite.settings));
  CW_TRY_VOID(map.texts("excludeTemplates", suite.exclude_templates));
  CW_TRY_VOID(map.boolean("includeCrds", suite.include_crds));
  CW_TRY_VOID(map.text("snapshotId", suite.snapshot_id));
  CW_TRY(SuiteMap skip, map.map("skip"));
  CW_TRY_VOID(read_skip(std::move(skip), suite.settings));
  CW_TRY(const std::vector<Value> jobs, map.list("tests"));
  for (size_t i = 0; i < jobs.size(); ++i) {
    SuiteMap::Steps place = map.steps_to("tests");
    place.emplace_back(i);
    CW_TRY(Job job, read_job(text, jobs[i], std::move(place)));
    inherit(suite.settings, job.settings);
    suite.jobs.push_back(std::move(job));
  }
  if (read_scenarios) {
    CW_TRY(suite.scenarios, read_scenarios(map));
  }
  if (suite.jobs.empty() && suite.scenarios.empty()) {
    return map.error("tests", "no tests found");
  }
  map.finish();
  return suite;
}

}  // namespace

base::Result<SuiteFile> read_suite_file(std::string_view text, const std::string& file,
                                        const ReadScenarios& read_scenarios) {
  SuiteFile read;
  for (const TextPart& part : split_documents(text)) {
    if (base::trim(part.text).empty()) {
      continue;
    }
    auto document = read_typed_yaml(part.text, part.lines_before);
    if (!document.ok()) {
      return std::move(document).error().at({file, 0, 0});
    }
    if (document->value.is_nil()) {
      continue;
    }
    if (read.suites.size() == kSuitesMax) {
      return base::Error(base::ErrorCode::kBudget, "too many suites").at({file, 0, 0});
    }
    const SuiteText source{document->written, part.lines_before, file, read.warnings};
    CW_TRY(Suite suite, read_suite(source, document->value, read_scenarios));
    read.suites.push_back(std::move(suite));
  }
  return read;
}

}  // namespace chartwright::suite
