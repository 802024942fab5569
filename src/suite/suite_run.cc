// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_run.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "go/path.h"
#include "suite/check.h"
#include "suite/clues.h"
#include "suite/paths/json_path.h"
#include "suite/typed_yaml.h"
#include "value/compare.h"

namespace chartwright::suite {
namespace {

using value::Value;

/// Selects the documents of templates. Source: helm-unittest valueutils/documentselector.go.
base::Result<ManifestsByFile> select_documents(const DocumentSelector& selector,
                                               const ManifestsByFile& from) {
  CW_TRY(const JsonPath path, JsonPath::compile(selector.path));
  ManifestsByFile selected;
  size_t count = 0;
  for (const auto& [file, documents] : from) {
    for (const Value& document : documents) {
      CW_TRY(const auto found, path.find(reread(document)));
      const bool matches = std::ranges::any_of(found, [&](const Value& v) {
        return selector.value.is_nil() || value::deep_equal(selector.value, v);
      });
      if (!matches) {
        continue;
      }
      if (++count > 1 && !selector.match_many) {
        return base::Error(base::ErrorCode::kInvalidArgument, "multiple indexes found");
      }
      selected[file].push_back(document);
    }
  }
  if (count == 0 && !selector.skip_empty_templates) {
    return base::Error(base::ErrorCode::kNotFound, "document not found");
  }
  return selected;
}

base::Result<ManifestsByFile> select_by_index(int64_t index, const ManifestsByFile& from) {
  ManifestsByFile selected;
  for (const auto& [file, documents] : from) {
    if (index < 0 || std::cmp_greater_equal(index, documents.size())) {
      return base::Error(base::ErrorCode::kInvalidArgument,
                         "document index " + std::to_string(index) + " is out of range");
    }
    selected[file] = {documents[static_cast<size_t>(index)]};
  }
  return selected;
}

/// The assertions of a job over what was rendered for it.
class JobRun {
 public:
  JobRun(const Suite& suite, const Job& job, const ChartUnderTest& under, const JobRender& render)
      : suite_(suite), job_(job), under_(under), render_(render) {}

  AssertionResult run(const Assertion& assertion, Snapshots& snapshots, FailFast fail_fast) {
    AssertionResult result{
        .pos = assertion.pos, .type = assertion.type, .is_not = assertion.is_not};
    const auto selected = select(assertion);
    if (!selected.ok()) {
      result.lines = {"Error:", selected.error().message()};
      return result;
    }
    if (selected->empty() && job_.selector && job_.selector->skip_empty_templates) {
      result.skipped = result.passed = true;
      result.lines = {
          "skipped as 'documentSelector.skipEmptyTemplates: true' and 'selectedTemplates: empty'"};
      return result;
    }
    CheckResults results(false);
    for (const auto& [file, documents] : *selected) {
      CheckResult one = check_file(assertion, file, documents, snapshots, fail_fast);
      clues_.note(assertion, file, documents, one);
      results.add(std::move(one), false);
    }
    CheckResult all = results.take();
    if (selected->empty()) {
      all = check_nothing(assertion, snapshots, fail_fast);
    }
    result.passed = all.passed;
    result.lines = std::move(all.lines);
    result.fields = std::move(all.fields);
    return result;
  }

  const Clues& clues() const { return clues_; }

 private:
  /// The templates that an assertion looks at, with all their documents.
  ManifestsByFile candidates(const Assertion& assertion) const {
    std::vector<std::string> names;
    const bool names_all = std::ranges::any_of(
        suite_.settings.templates,
        [](const std::string& name) { return name.find('*') != std::string::npos; });
    if (!assertion.template_name.empty()) {
      names = {assertion.template_name};
    } else if (!job_.settings.templates.empty()) {
      names = job_.settings.templates;
    } else if (!job_.template_name.empty()) {
      names = {job_.template_name};
    } else if (!names_all && !suite_.settings.templates.empty()) {
      names = suite_.settings.templates;
    }
    // A post-renderer need not keep the names of files.
    if (render_.is_post_rendered && render_.manifests.size() == 1 &&
        render_.manifests.begin()->first.ends_with(kPostRenderedFile)) {
      return render_.manifests;
    }
    ManifestsByFile found;
    for (const std::string& file : names.empty() ? render_.files : std::vector<std::string>()) {
      found[file] = documents_of(file);
    }
    for (const std::string& name : names) {
      const std::string file = go::join_path(under_.route, template_file(name));
      found[file] = documents_of(file);
    }
    return found;
  }

  std::vector<Value> documents_of(const std::string& file) const {
    const auto found = render_.manifests.find(file);
    return found != render_.manifests.end() ? found->second : std::vector<Value>();
  }

  base::Result<ManifestsByFile> select(const Assertion& assertion) const {
    ManifestsByFile all = candidates(assertion);
    const auto& selector = assertion.selector ? assertion.selector : job_.selector;
    if (selector && !selector->path.empty()) {
      return select_documents(*selector, all);
    }
    const auto index = job_.document_index ? job_.document_index : assertion.document_index;
    return index && *index != -1 ? select_by_index(*index, all) : std::move(all);
  }

  CheckResult check_nothing(const Assertion& assertion, Snapshots& snapshots,
                            FailFast fail_fast) const {
    if (assertion.expects_failure == render_.succeeded) {
      return {false, {"Error: rendered manifest is empty"}};
    }
    return run_check({assertion,
                      {},
                      {},
                      render_.error,
                      snapshots,
                      fail_fast == FailFast::kYes,
                      under_.compat != nullptr});
  }

  CheckResult check_file(const Assertion& assertion, const std::string& file,
                         const std::vector<Value>& selected, Snapshots& snapshots,
                         FailFast fail_fast) const {
    const auto rendered = render_.manifests.find(file);
    if (rendered == render_.manifests.end() && !assertion.expects_failure) {
      return {false,
              {"Error:", "\ttemplate \"" + file + "\" not exists or not selected in test suite"}};
    }
    const std::vector<Value> documents = documents_of(file);
    CheckResult result;
    if (assertion.expects_failure == render_.succeeded) {
      result.lines = {unexpected_render(documents)};
    } else {
      result = run_check({assertion, documents, selected, render_.error, snapshots,
                          fail_fast == FailFast::kYes, under_.compat != nullptr});
    }
    if (!result.passed) {
      result.lines.insert(result.lines.begin(), "Template:\t" + file);
    }
    return result;
  }

  /// Says that the render has failed, or that it has not, where the opposite is expected.
  std::string unexpected_render(const std::vector<Value>& documents) const {
    if (documents.empty()) {
      return "Error: rendered manifest is empty";
    }
    const Value* const raw = documents.front().find(kRaw);
    if (raw != nullptr && raw->is_string()) {
      return "Error: Invalid rendering: " + raw->as_string();
    }
    return under_.compat != nullptr ? "Error: Invalid rendering: %!s(<nil>)"
                                    : "Error: the template was rendered, but is expected to fail";
  }

  const Suite& suite_;
  const Job& job_;
  const ChartUnderTest& under_;
  const JobRender& render_;
  Clues clues_;
};

/// The run of one suite.
class SuiteRun {
 public:
  SuiteRun(const Suite& suite, const ChartUnderTest& under, Snapshots& snapshots,
           FailFast fail_fast)
      : suite_(suite),
        under_(under),
        snapshots_(snapshots),
        fail_fast_(fail_fast),
        filter_(suite, under.route),
        left_behind_(under.left_behind) {}

  JobResult run(const Job& job) {
    JobResult result = attempt(job, under_, snapshots_);
    if (!result.passed && !result.skipped && under_.compat == nullptr) {
      result.compat = mistake_needed(job, result);
    }
    left_behind_ = after_job(left_behind_, suite_, job);
    return result;
  }

 private:
  JobResult attempt(const Job& job, const ChartUnderTest& under, Snapshots& snapshots) {
    JobResult result{.name = job.name};
    snapshots.begin(job.name);
    const auto render = render_job(suite_, job, under, filter_);
    if (!render.ok()) {
      result.error = render.error().message();
      return result;
    }
    result.error = render->error;
    JobRun run(suite_, job, under, *render);
    result.passed = true;
    for (size_t i = 0; i < job.assertions.size(); ++i) {
      AssertionResult one = run.run(job.assertions[i], snapshots, fail_fast_);
      one.index = i;
      result.passed = result.passed && one.passed;
      result.assertions.push_back(std::move(one));
      if (!result.passed && fail_fast_ == FailFast::kYes) {
        break;
      }
    }
    result.skipped = std::ranges::all_of(result.assertions, &AssertionResult::skipped);
    if (!result.passed && under.compat == nullptr) {
      result.help = render->help;
      run.clues().add_to(job, result.assertions, [&](const FileVisit& files) {
        return trace_job(suite_, job, under, filter_, files);
      });
    }
    return result;
  }

  /// Returns which mistake of helm-unittest makes a job that has failed pass; "": none does.
  std::string mistake_needed(const Job& job, const JobResult& failed) {
    const bool rests_on_check =
        std::ranges::any_of(failed.assertions, [&job](const AssertionResult& result) {
          return !result.passed && never_fails(job.assertions[result.index]);
        });
    if (rests_on_check && passes_with(Compat(), job)) {
      return "It passes with --compat, since helm-unittest never fails a negated greaterOrEqual.";
    }
    if (depends_on(left_behind_, job) && passes_with(left_behind_, job)) {
      return "It passes with --compat, since helm-unittest keeps the version of Kubernetes (" +
             left_behind_.kube_major + "." + left_behind_.kube_minor + ") that the test " +
             left_behind_.from + " sets: set `capabilities` in this one.";
    }
    return "";
  }

  bool passes_with(Compat mistakes, const Job& job) {
    ChartUnderTest under = under_;
    under.compat = &mistakes;
    under.recording = nullptr;
    under.keep_render = {};
    Snapshots snapshots = snapshots_.of_job(job.name);
    return attempt(job, under, snapshots).passed;
  }

  const Suite& suite_;
  const ChartUnderTest& under_;
  Snapshots& snapshots_;
  const FailFast fail_fast_;
  TemplateFilter filter_;
  Compat left_behind_;  ///< The state that helm-unittest would have before the next job.
};

/// The jobs and the scenarios of a suite, one after another.
class SuiteResults {
 public:
  SuiteResults(const Suite& suite, const base::Clock& clock, FailFast fail_fast)
      : clock_(clock), fail_fast_(fail_fast) {
    result_.name = suite.name;
    result_.file = suite.file;
    result_.passed = true;
  }

  /// Adds the test that `run` runs, or skips. Returns false if the rest is not to be run.
  bool add(const std::string& name, const std::string& skip_reason,
           const std::function<JobResult()>& run) {
    if (!skip_reason.empty()) {
      ++skipped_;
      result_.jobs.push_back({.name = name, .skipped = true});
      return true;
    }
    const base::MonotonicTime start = clock_.monotonic();
    result_.jobs.push_back(run());
    result_.jobs.back().duration = clock_.monotonic() - start;
    result_.passed = result_.passed && result_.jobs.back().passed;
    result_.stopped = !result_.passed && fail_fast_ == FailFast::kYes;
    return !result_.stopped;
  }

  SuiteResult take() {
    result_.skipped = skipped_ == result_.jobs.size();
    return std::move(result_);
  }

 private:
  const base::Clock& clock_;
  const FailFast fail_fast_;
  SuiteResult result_;
  size_t skipped_ = 0;
};

}  // namespace

SuiteResult run_suite(const Suite& suite, const ChartUnderTest& under, Snapshots& snapshots,
                      FailFast fail_fast) {
  SuiteRun run(suite, under, snapshots, fail_fast);
  SuiteResults results(suite, under.context.clock, fail_fast);
  bool goes_on = std::ranges::all_of(suite.jobs, [&](const Job& job) {
    return results.add(job.name, job.settings.skip_reason, [&] { return run.run(job); });
  });
  for (const ScenarioTest& test : suite.scenarios) {
    goes_on = goes_on && results.add(test.name, test.skip_reason, test.run);
  }
  SuiteResult result = results.take();
  result.snapshots = snapshots.counts();
  return result;
}

}  // namespace chartwright::suite
