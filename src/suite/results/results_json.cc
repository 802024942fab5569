// SPDX-License-Identifier: Apache-2.0
#include "suite/results/results_json.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "coverage/coverage_json.h"
#include "suite/results/tally.h"

namespace chartwright::suite {
namespace {

using value::Value;

template <typename T, typename Make>
Value list_of_each(const std::vector<T>& items, Make make) {
  std::vector<Value> values;
  std::ranges::transform(items, std::back_inserter(values), make);
  return Value::list(std::move(values));
}

std::string word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPassed:
      return "passed";
    case Verdict::kSkipped:
      return "skipped";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kErrored:
      break;
  }
  return "errored";
}

Value count(size_t number) { return Value::integer(static_cast<int64_t>(number)); }

Value field_value(const FieldDifference& field) {
  Value one = Value::dict({{"path", Value::string(field.path)}});
  if (field.expected) {
    one.mutable_dict().set("expected", Value::string(*field.expected));
  }
  if (field.actual) {
    one.mutable_dict().set("actual", Value::string(*field.actual));
  }
  return one;
}

Value assertion_value(const AssertionResult& assertion) {
  Value one = Value::dict({{"index", count(assertion.index)},
                           {"place", Value::string(assertion.pos.to_string())},
                           {"type", Value::string(assertion.type)},
                           {"not", Value::boolean(assertion.is_not)},
                           {"passed", Value::boolean(assertion.passed)},
                           {"skipped", Value::boolean(assertion.skipped)},
                           {"lines", value::list_of(assertion.lines)},
                           {"fields", list_of_each(assertion.fields, field_value)},
                           {"hints", value::list_of(assertion.hints)}});
  if (!assertion.place.empty()) {
    one.mutable_dict().set("step", Value::string(assertion.place));
  }
  return one;
}

Value job_value(const JobResult& job) {
  const double seconds = std::chrono::duration<double>(job.duration).count();
  Value one = Value::dict({{"name", Value::string(job.name)},
                           {"verdict", Value::string(word_of(verdict_of(job)))},
                           {"seconds", Value::number(seconds)},
                           {"assertions", list_of_each(job.assertions, assertion_value)}});
  if (job.error) {
    one.mutable_dict().set("error", Value::string(*job.error));
    one.mutable_dict().set("help", Value::string(job.help));
  }
  if (!job.compat.empty()) {
    one.mutable_dict().set("compat", Value::string(job.compat));
  }
  return one;
}

Value suite_value(const SuiteResult& suite) {
  Value one = Value::dict({{"name", Value::string(suite.name)},
                           {"file", Value::string(suite.file)},
                           {"passed", Value::boolean(suite.passed)},
                           {"skipped", Value::boolean(suite.skipped)},
                           {"tests", list_of_each(suite.jobs, job_value)}});
  if (suite.error) {
    one.mutable_dict().set("error", Value::string(*suite.error));
  }
  return one;
}

}  // namespace

Value results_value(const RunResults& results) {
  Tally tally;
  for (const SuiteResult& suite : results.suites) {
    tally.add(tally_of(suite));
  }
  Value all = Value::dict({{"suites", list_of_each(results.suites, suite_value)},
                           {"tests", Value::dict({{"total", count(tally.total)},
                                                  {"passed", count(tally.passed)},
                                                  {"skipped", count(tally.skipped)},
                                                  {"failed", count(tally.failed)},
                                                  {"errored", count(tally.errored)}})}});
  if (!results.coverage.empty()) {
    all.mutable_dict().set("coverage", coverage::coverage_value(results.coverage));
  }
  return all;
}

}  // namespace chartwright::suite
