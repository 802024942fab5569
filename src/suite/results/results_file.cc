// SPDX-License-Identifier: Apache-2.0
#include "suite/results/results_file.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"
#include "suite/results/results_json.h"
#include "suite/results/tally.h"
#include "suite/results/xml.h"
#include "value/json.h"

namespace chartwright::suite {
namespace {

constexpr std::string_view kFramework = "chartwright";
constexpr std::string_view kMethod = "Helm-Validation";

std::string number(size_t n) { return std::to_string(n); }
std::string truth(bool is_so) { return is_so ? "true" : "false"; }

/// Returns the part of a suite's name after its last slash.
std::string class_of(const SuiteResult& suite) {
  return suite.name.substr(suite.name.rfind('/') + 1);
}

/// Returns details_of() in one line.
std::string details_line(const JobResult& job) {
  return base::replace_all(base::replace_all(details_of(job), "\n", ","), "\t", "");
}

XmlElement cdata(std::string name, std::string text) {
  return {.name = std::move(name), .text = std::move(text), .is_cdata = true};
}

XmlElement leaf(std::string name, std::string text) {
  return {.name = std::move(name), .text = std::move(text)};
}

/// Returns "2026-11-30T12:00:00".
std::string time_text(const RunPlace& place) {
  constexpr size_t kLength = std::string_view("2026-11-30T12:00:00").size();
  return base::format_rfc3339(place.time).substr(0, kLength);
}
std::string date_part(const RunPlace& place) {
  const std::string text = time_text(place);
  return text.substr(0, text.find('T'));
}
std::string clock_part(const RunPlace& place) {
  const std::string text = time_text(place);
  return text.substr(text.find('T') + 1);
}

// Source: http://windyroad.org/dl/Open%20Source/JUnit.xsd.
XmlElement junit_problem(std::string name, std::string message, std::string text) {
  return {.name = std::move(name),
          .attributes = {{"message", std::move(message)}, {"type", ""}},
          .text = std::move(text)};
}

XmlElement junit_case(const JobResult& job, const std::string& class_name) {
  XmlElement element{
      .name = "testcase",
      .attributes = {
          {"classname", class_name}, {"name", job.name}, {"time", seconds_text(job.duration)}}};
  switch (verdict_of(job)) {
    case Verdict::kPassed:
      break;
    case Verdict::kSkipped:
      element.children.push_back(
          {.name = "skipped", .attributes = {{"message", details_line(job)}}});
      break;
    case Verdict::kFailed:
      element.children.push_back(junit_problem("failure", "Failed", details_line(job)));
      break;
    case Verdict::kErrored:
      element.children.push_back(junit_problem("error", "Error", error_of(job)));
      break;
  }
  return element;
}

XmlElement junit_suite(const SuiteResult& suite, size_t id, const RunPlace& place) {
  const Tally tally = tally_of(suite);
  XmlElement element{.name = "testsuite",
                     .attributes = {{"id", number(id)},
                                    {"tests", number(tally.total)},
                                    {"failures", number(tally.failed)},
                                    {"errors", number(tally.errored)},
                                    {"package", ""},
                                    {"time", seconds_text(duration_of(suite))},
                                    {"name", suite.name},
                                    {"timestamp", time_text(place)},
                                    {"hostname", place.host}}};
  element.children.push_back(
      {.name = "properties",
       .children = {
           {.name = "property", .attributes = {{"name", "program"}, {"value", place.program}}}}});
  if (suite.error) {
    element.children.push_back(junit_case({.name = suite.file, .error = suite.error}, ""));
  }
  for (const JobResult& job : suite.jobs) {
    element.children.push_back(junit_case(job, class_of(suite)));
  }
  return element;
}

XmlElement junit(const std::vector<SuiteResult>& results, const RunPlace& place) {
  XmlElement root{.name = "testsuites"};
  for (size_t i = 0; i < results.size(); ++i) {
    root.children.push_back(junit_suite(results[i], i, place));
  }
  return root;
}

// Source: NUnit 2.5, test-results.
constexpr std::string_view kUnknown = "unknown";

std::string nunit_result(bool passed, bool skipped) {
  if (skipped) {
    return "Skipped";
  }
  return passed ? "Success" : "Failed";
}

XmlElement nunit_failure(std::string message, std::string details) {
  return {
      .name = "failure",
      .children = {leaf("message", std::move(message)), leaf("stack-trace", std::move(details))}};
}

XmlElement nunit_case(const JobResult& job, const std::string& class_name) {
  const Verdict verdict = verdict_of(job);
  XmlElement element{.name = "test-case",
                     .attributes = {{"name", job.name},
                                    {"description", class_name + "." + job.name},
                                    {"success", truth(job.passed)},
                                    {"time", seconds_text(job.duration)},
                                    {"executed", truth(!job.error && !job.skipped)},
                                    {"asserts", "0"},
                                    {"result", nunit_result(job.passed, job.skipped)}}};
  if (verdict == Verdict::kSkipped) {
    element.children.push_back({.name = "reason", .children = {leaf("message", details_of(job))}});
  } else if (verdict != Verdict::kPassed) {
    element.children.push_back(nunit_failure("Failed", details_of(job)));
  }
  return element;
}

XmlElement nunit_suite(const SuiteResult& suite) {
  XmlElement element{.name = "test-suite",
                     .attributes = {{"type", "TestFixture"},
                                    {"name", suite.name},
                                    {"description", suite.file},
                                    {"success", truth(suite.passed)},
                                    {"time", seconds_text(duration_of(suite))},
                                    {"executed", truth(!suite.error && !suite.skipped)},
                                    {"asserts", ""},
                                    {"result", nunit_result(suite.passed, suite.skipped)}}};
  if (suite.error) {
    element.children.push_back(nunit_failure("Error", *suite.error));
  }
  XmlElement cases{.name = "results"};
  for (const JobResult& job : suite.jobs) {
    cases.children.push_back(nunit_case(job, class_of(suite)));
  }
  element.children.push_back(std::move(cases));
  return element;
}

XmlElement nunit_environment(const RunPlace& place) {
  return {.name = "environment",
          .attributes = {{"nunit-version", "2.5.8.0"},
                         {"clr-version", std::string(kUnknown)},
                         {"os-version", std::string(kUnknown)},
                         {"platform", place.program},
                         {"cwd", place.folder},
                         {"machine-name", place.host},
                         {"user", place.user},
                         {"user-domain", ""}}};
}

XmlElement nunit(const std::vector<SuiteResult>& results, const RunPlace& place) {
  Tally tally;
  for (const SuiteResult& suite : results) {
    tally.add(tally_of(suite));
  }
  XmlElement root{.name = "test-results",
                  .attributes = {{"name", std::string(kFramework)},
                                 {"total", number(tally.total)},
                                 {"errors", number(tally.errored)},
                                 {"failures", number(tally.failed)},
                                 {"inconclusive", "0"},
                                 {"not-run", "0"},
                                 {"ignored", "0"},
                                 {"skipped", number(tally.skipped)},
                                 {"invalid", "0"},
                                 {"date", date_part(place)},
                                 {"time", clock_part(place)}}};
  root.children.push_back(nunit_environment(place));
  // The messages are in English, whatever the locale.
  root.children.push_back(
      {.name = "culture-info",
       .attributes = {{"current-culture", "en"}, {"current-uiculture", "en-US"}}});
  std::ranges::transform(results, std::back_inserter(root.children), nunit_suite);
  return root;
}

// Source: https://xunit.net/docs/format-xml-v2.
std::string xunit_result(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPassed:
      return "Pass";
    case Verdict::kSkipped:
      return "Skip";
    case Verdict::kFailed:
    case Verdict::kErrored:
      break;
  }
  return "Fail";
}

XmlElement xunit_failure(Verdict verdict, std::string message, std::string details) {
  const std::string type = std::string(kMethod) + (verdict == Verdict::kErrored ? "-Error" : "");
  return {
      .name = "failure",
      .attributes = {{"exception-type", type}},
      .children = {cdata("message", std::move(message)), cdata("stack-trace", std::move(details))}};
}

XmlElement xunit_case(const JobResult& job, const std::string& class_name) {
  const Verdict verdict = verdict_of(job);
  XmlElement element{.name = "test",
                     .attributes = {{"name", job.name},
                                    {"type", class_name},
                                    {"method", std::string(kMethod)},
                                    {"time", seconds_text(job.duration)},
                                    {"result", xunit_result(verdict)}},
                     .children = {{.name = "traits"}}};
  if (verdict == Verdict::kSkipped) {
    element.children.push_back(cdata("reason", details_of(job)));
  } else if (verdict != Verdict::kPassed) {
    element.children.push_back(xunit_failure(verdict, "Failed", details_of(job)));
  }
  return element;
}

XmlElement xunit_collection(const SuiteResult& suite) {
  const Tally tally = tally_of(suite);
  XmlElement element{.name = "collection",
                     .attributes = {{"name", suite.name},
                                    {"time", seconds_text(duration_of(suite))},
                                    {"total", number(tally.total)},
                                    {"passed", number(tally.passed)},
                                    {"failed", number(tally.failed)},
                                    {"skipped", number(tally.skipped)}}};
  for (const JobResult& job : suite.jobs) {
    element.children.push_back(xunit_case(job, class_of(suite)));
  }
  return element;
}

XmlElement xunit_assembly(const SuiteResult& suite, const RunPlace& place) {
  const Tally tally = tally_of(suite);
  XmlElement element{.name = "assembly",
                     .attributes = {{"name", suite.file},
                                    {"config-file", suite.file},
                                    {"test-framework", std::string(kFramework)},
                                    {"run-date", date_part(place)},
                                    {"run-time", clock_part(place)},
                                    {"time", seconds_text(duration_of(suite))},
                                    {"total", number(tally.total)},
                                    {"passed", number(tally.passed)},
                                    {"failed", number(tally.failed)},
                                    {"skipped", number(tally.skipped)},
                                    {"errors", number(tally.errored)}},
                     .children = {leaf("environment", place.program), {.name = "errors"}}};
  if (!suite.error) {
    element.children.push_back(xunit_collection(suite));
    return element;
  }
  element.children.back().children.push_back(
      {.name = "error",
       .attributes = {{"type", "Error"}, {"name", "Error"}},
       .children = {xunit_failure(Verdict::kErrored, "Error", *suite.error)}});
  return element;
}

XmlElement xunit(const std::vector<SuiteResult>& results, const RunPlace& place) {
  XmlElement root{.name = "assemblies"};
  for (const SuiteResult& suite : results) {
    root.children.push_back(xunit_assembly(suite, place));
  }
  return root;
}

// Source: https://docs.sonarqube.org, generic test data.
XmlElement sonar_problem(std::string name, std::string message, std::string details) {
  XmlElement element = cdata(std::move(name), std::move(details));
  element.attributes = {{"message", std::move(message)}};
  return element;
}

XmlElement sonar_case(const JobResult& job) {
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(job.duration).count();
  XmlElement element{
      .name = "testCase",
      .attributes = {{"name", job.name}, {"duration", std::to_string(milliseconds)}}};
  switch (verdict_of(job)) {
    case Verdict::kPassed:
      break;
    case Verdict::kSkipped:
      element.children.push_back(sonar_problem("skipped", "Skipped", details_of(job)));
      break;
    case Verdict::kFailed:
      element.children.push_back(sonar_problem("failure", "Failed", details_of(job)));
      break;
    case Verdict::kErrored:
      element.children.push_back(sonar_problem("error", "Error", error_of(job)));
      break;
  }
  return element;
}

XmlElement sonar(const std::vector<SuiteResult>& results) {
  XmlElement root{.name = "testExecutions", .attributes = {{"version", "1"}}};
  for (const SuiteResult& suite : results) {
    XmlElement file{.name = "file", .attributes = {{"path", suite.file}}};
    if (suite.error) {
      file.children.push_back(sonar_case({.name = suite.file, .error = suite.error}));
    }
    std::ranges::transform(suite.jobs, std::back_inserter(file.children), sonar_case);
    root.children.push_back(std::move(file));
  }
  return root;
}

}  // namespace

base::Result<ResultsForm> parse_results_form(std::string_view name) {
  constexpr std::pair<std::string_view, ResultsForm> kForms[] = {{"JUnit", ResultsForm::kJUnit},
                                                                 {"NUnit", ResultsForm::kNUnit},
                                                                 {"XUnit", ResultsForm::kXUnit},
                                                                 {"Sonar", ResultsForm::kSonar},
                                                                 {"JSON", ResultsForm::kJson}};
  for (const auto& [known, form] : kForms) {
    if (base::to_lower_ascii(known) == base::to_lower_ascii(name)) {
      return form;
    }
  }
  return base::Error(
      base::ErrorCode::kInvalidArgument,
      "\"" + std::string(name) + "\" is not one of JUnit, NUnit, XUnit, Sonar, JSON");
}

base::Result<std::string> results_text(const RunResults& results, ResultsForm form,
                                       const RunPlace& place) {
  switch (form) {
    case ResultsForm::kJUnit:
      return xml_text(junit(results.suites, place));
    case ResultsForm::kNUnit:
      return xml_text(nunit(results.suites, place));
    case ResultsForm::kXUnit:
      return xml_text(xunit(results.suites, place));
    case ResultsForm::kSonar:
      return xml_text(sonar(results.suites));
    case ResultsForm::kJson:
      break;
  }
  return value::to_json_pretty(results_value(results), value::JsonEscape::kNone);
}

}  // namespace chartwright::suite
