// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_finder.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/file.h"
#include "base/strings.h"
#include "go/path.h"
#include "helm/render/prepare.h"
#include "helm/render/rendering.h"
#include "helm/values/coalesce.h"
#include "suite/suite_file.h"
#include "suite/suite_glob.h"
#include "suite/typed_yaml.h"

namespace chartwright::suite {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using value::Value;

constexpr size_t kFileBytesMax = size_t{16} << 20;

/// Returns the path relative to the current folder, if it has no other form.
std::string shown_path(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  const fs::path relative = absolute.lexically_relative(fs::current_path(error));
  return relative.empty() ? path : relative.string();
}

Error rendered_error(const std::string& name, const std::string& problem) {
  return {ErrorCode::kParse, "test suite template (" + name + ") " + problem};
}

}  // namespace

base::Result<std::string> read_test_file(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return base::Error(base::ErrorCode::kNotFound, "open " + path + ": no such file or directory");
  }
  return base::read_file(path, kFileBytesMax);
}

base::Status SuiteFinder::find(const helm::Chart& chart, const std::string& path,
                               const std::string& route) {
  CW_TRY(const std::vector<std::string> files, find_suite_files(path, options_.files));
  for (const std::string& file : files) {
    CW_TRY(const std::string text, read_test_file(file));
    CW_TRY_VOID(add(text, file, {path, route}, Origin::kFile));
  }
  if (!options_.chart_tests_path.empty()) {
    CW_TRY_VOID(find_rendered(go::join_path(path, options_.chart_tests_path), {path, route}));
  }
  if (!options_.with_subcharts) {
    return {};
  }
  if (values_.is_nil()) {
    CW_TRY_VOID(merge_values(chart));
  }
  for (const helm::Chart& dependency : chart.dependencies) {
    if (is_enabled(chart, dependency.name())) {
      const std::string below = "charts/" + dependency.name();
      CW_TRY_VOID(find(dependency, go::join_path(path, below), route + "/" + below));
    }
  }
  return {};
}

// A chart without that folder has no such suites.
base::Status SuiteFinder::find_rendered(const std::string& folder, const Home& home) {
  std::error_code error;
  if (!fs::exists(folder, error)) {
    return {};
  }
  CW_TRY(const auto chart, helm::RenderableChart::load(folder, *options_.profile));
  const helm::RenderInputs inputs{
      .values = {},
      .release = {"TEST-SUITE-RELEASE", "NAMESPACE", 1, helm::ReleaseAction::kNothing}};
  CW_TRY(const helm::PreparedChart prepared, helm::prepare(*chart, inputs));
  CW_TRY(const auto rendered, helm::render_templates(*chart, prepared, inputs, context_));
  for (const auto& [name, text] : rendered) {
    const size_t before = found_.size();
    const std::string file =
        go::join_path(folder, name.substr(std::min(name.find('/'), name.size())));
    CW_TRY_VOID(add(text, file, home, Origin::kRendered));
    if (found_.size() == before) {
      return rendered_error(name, "file did not render a manifest");
    }
  }
  return {};
}

base::Status SuiteFinder::add(std::string_view text, const std::string& file, const Home& home,
                              Origin origin) {
  const std::string shown = shown_path(file);
  ReadScenarios scenarios;
  if (options_.read_scenarios) {
    scenarios = [&](SuiteMap& suite) { return options_.read_scenarios(suite, home.folder); };
  }
  auto read = read_suite_file(text, shown, scenarios);
  if (read.ok() && options_.strict && !read->warnings.empty()) {
    read = Error(ErrorCode::kParse, base::join(read->warnings, "\n"));
  }
  if (!read.ok()) {
    broken_ = SuiteResult{.file = shown, .error = read.error().to_string()};
    return read.error();
  }
  warnings_.insert(warnings_.end(), read->warnings.begin(), read->warnings.end());
  size_t number = 0;
  for (Suite& suite : read->suites) {
    if (origin == Origin::kRendered && suite.name.empty()) {
      return rendered_error(shown, "helm chart based test suites must include `suite` field");
    }
    if (origin == Origin::kRendered && suite.snapshot_id.empty()) {
      suite.snapshot_id = std::to_string(number);
    }
    ++number;
    for (Job& job : suite.jobs) {
      const auto own =
          job.settings.values.begin() + static_cast<std::ptrdiff_t>(suite.settings.values.size());
      std::vector<std::string> given;
      std::ranges::transform(options_.values, std::back_inserter(given), [](const auto& name) {
        std::error_code error;
        return fs::absolute(name, error).string();
      });
      job.settings.values.insert(own, given.begin(), given.end());
    }
    found_.push_back({std::move(suite), home.route});
  }
  return {};
}

base::Status SuiteFinder::merge_values(const helm::Chart& chart) {
  values_ = value::deep_copy(chart.values);
  for (const std::string& name : options_.values) {
    CW_TRY(const std::string text, read_test_file(name));
    CW_TRY(Value over, parse_typed_yaml(text));
    if (over.is_dict()) {
      helm::Warnings ignored;
      helm::merge_tables(over, std::move(values_), {helm::Nulls::kKeep, *options_.profile},
                         ignored);
      values_ = std::move(over);
    }
  }
  return {};
}

// Source: helm-unittest pkg/unittest/test_runner.go isSubchartEnabled.
bool SuiteFinder::is_enabled(const helm::Chart& chart, const std::string& name) const {
  const auto& all = chart.metadata.dependencies;
  const auto found = std::ranges::find_if(all, [&](const helm::Dependency& dependency) {
    return (dependency.alias.empty() ? dependency.name : dependency.alias) == name;
  });
  if (found == all.end()) {
    return true;
  }
  if (!found->condition.empty()) {
    const Value* at = &values_;
    for (std::string_view part : base::split(found->condition, '.')) {
      at = at != nullptr ? at->find(part) : nullptr;
    }
    return at == nullptr || !at->is_bool() || at->as_bool();
  }
  const Value* const tags = values_.find("tags");
  return found->tags.empty() || tags == nullptr || !tags->is_dict() ||
         std::ranges::any_of(found->tags,
                             [&](const std::string& tag) { return tags->bool_at({tag}); });
}

}  // namespace chartwright::suite
