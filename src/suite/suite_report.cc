// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_report.h"

#include "go/format.h"
#include "helm/funcs/time_value.h"

namespace chartwright::suite {
namespace {

void print_assertion(const AssertionResult& result, std::string& out) {
  if (result.passed) {
    return;
  }
  out += "\t\t- asserts[" + std::to_string(result.index) + "]" + (result.is_not ? " NOT `" : " `") +
         result.type + "` fail\n";
  for (const std::string& line : result.lines) {
    out += "\t\t\t" + line + "\n";
  }
  out += "\n";
}

void print_job(const JobResult& result, std::string& out) {
  if (result.passed) {
    return;
  }
  if (result.skipped) {
    out += "\t- SKIPPED '" + result.name + "'\n";
  } else if (result.error) {
    out += "\t- " + result.name + "\n\t\tError: " + *result.error + "\n\n";
  } else {
    out += "\t- " + result.name + "\n\n";
    for (const AssertionResult& assertion : result.assertions) {
      print_assertion(assertion, out);
    }
  }
}

}  // namespace

std::string suite_text(const SuiteResult& result) {
  std::string out = result.passed ? " PASS  " : " FAIL  ";
  if (result.skipped) {
    out = " SKIP  ";
  }
  out += result.name + "\t" + result.file + "\n";
  if (result.error) {
    return out + "\t- Execution Error: \n\t\t" + *result.error + "\n\n";
  }
  for (const JobResult& job : result.jobs) {
    print_job(job, out);
  }
  return out;
}

std::string chart_text(const std::string& name, const std::string& path) {
  return "\n### Chart [ " + name + " ] " + path + "\n\n";
}

std::string broken_chart_text(const std::string& error) {
  return "\n### Error:  " + error + "\n\n";
}

void Summary::add(const SuiteResult& result) {
  if (result.skipped) {
    ++suites_.skipped;
  } else if (result.passed) {
    ++suites_.passed;
  } else {
    ++suites_.failed;
    suites_.errored += result.error ? 1 : 0;
    suites_with_failed_snapshots_ += result.snapshots.failed > 0 ? 1 : 0;
  }
  snapshots_.total += result.snapshots.total;
  snapshots_.failed += result.snapshots.failed;
  snapshots_.created += result.snapshots.created;
  snapshots_.vanished += result.snapshots.vanished;
  for (const JobResult& job : result.jobs) {
    if (job.passed) {
      ++jobs_.passed;
    } else if (job.skipped) {
      ++jobs_.skipped;
    } else {
      ++jobs_.failed;
      jobs_.errored += job.error ? 1 : 0;
    }
  }
}

void Summary::add_chart(Outcome outcome) {
  ++(outcome == Outcome::kPassed ? charts_.passed : charts_.failed);
  charts_.errored += outcome == Outcome::kErrored ? 1 : 0;
}

std::string Summary::Counts::text() const {
  const auto count = [](size_t number, const char* what) {
    return std::to_string(number) + " " + what;
  };
  return (failed > 0 ? count(failed, "failed, ") : "") +
         (errored > 0 ? count(errored, "errored, ") : "") + count(passed, "passed, ") +
         (skipped > 0 ? count(skipped, "skipped, ") : "") +
         count(passed + failed + skipped, "total");
}

std::string Summary::snapshots_text() const {
  const Counts counts{.passed = snapshots_.total - snapshots_.failed, .failed = snapshots_.failed};
  return counts.text();
}

std::string Summary::text(base::Duration elapsed) const {
  std::string out;
  if (snapshots_.failed > 0) {
    out += "\nSnapshot Summary: " + std::to_string(snapshots_.failed) + " snapshot failed in " +
           std::to_string(suites_with_failed_snapshots_) +
           " test suite. Check changes and use `-u` to update snapshot.\n";
  }
  return out + "\nCharts:      " + charts_.text() + "\nTest Suites: " + suites_.text() +
         "\nTests:       " + jobs_.text() + "\nSnapshot:    " + snapshots_text() +
         "\nTime:        " + go::format_value(helm::funcs::make_duration(elapsed)) + "\n\n";
}

}  // namespace chartwright::suite
