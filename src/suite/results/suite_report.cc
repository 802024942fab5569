// SPDX-License-Identifier: Apache-2.0
#include "suite/results/suite_report.h"

#include "base/printable.h"
#include "base/strings.h"
#include "go/format.h"
#include "helm/funcs/time_value.h"

namespace chartwright::suite {
namespace {

/// A form of text on a terminal, and its end. Source: github.com/fatih/color color.go.
struct Ink {
  std::string_view begin;
  std::string_view end;
};
constexpr Ink kPassLabel{"\x1b[42;30m", "\x1b[0;0m"};
constexpr Ink kFailLabel{"\x1b[41;37m", "\x1b[0;0m"};
constexpr Ink kSkipLabel{"\x1b[43;30m", "\x1b[0;0m"};
constexpr Ink kDanger{"\x1b[31m", "\x1b[0m"};
constexpr Ink kWarning{"\x1b[33m", "\x1b[0m"};
constexpr Ink kBold{"\x1b[1m", "\x1b[22m"};
constexpr Ink kFaint{"\x1b[2m", "\x1b[22m"};

std::string painted(const std::string& text, const Ink& ink, Color color) {
  return color == Color::kNo ? text : std::string(ink.begin) + text + std::string(ink.end);
}

std::string for_terminal(std::string_view text) { return base::printable_lines(text); }

void print_assertion(const AssertionResult& result, Color color, std::string& out) {
  if (result.passed) {
    return;
  }
  out += "\t\t" + painted(for_terminal(assertion_title(result)), kDanger, color) + "\n";
  for (const std::string& line : result.lines) {
    out += "\t\t\t" + for_terminal(line) + "\n";
  }
  for (const std::string& line : result.hints) {
    out += "\t\t\t" + painted(for_terminal(line), kFaint, color) + "\n";
  }
  out += "\n";
}

/// Returns a text of several lines in the place of an error of a job.
std::string indented(const std::string& text) {
  return "\t\t" + base::replace_all(for_terminal(text), "\n", "\n\t\t") + "\n\n";
}

void print_job(const JobResult& result, Color color, std::string& out) {
  if (result.passed) {
    return;
  }
  const std::string name = for_terminal(result.name);
  if (result.skipped) {
    out += "\t" + painted("- ", kBold, color) + painted("SKIPPED", kSkipLabel, color) +
           painted(" '" + name + "'", kWarning, color) + "\n";
  } else if (result.error) {
    out += "\t" + painted("- " + name, kBold, color) + "\n\t\t" +
           painted("Error: " + for_terminal(*result.error) + "\n", kBold, color) + "\n";
    if (!result.help.empty()) {
      out += indented(result.help);
    }
  } else {
    out += "\t" + painted("- " + name + "\n", kDanger, color) + "\n";
    for (const AssertionResult& assertion : result.assertions) {
      print_assertion(assertion, color, out);
    }
  }
  out += result.compat.empty() ? "" : indented(result.compat);
}

/// Returns the first word of a suite.
std::string label_of(const SuiteResult& result, Color color) {
  if (result.skipped) {
    return painted(" SKIP ", kSkipLabel, color);
  }
  return result.passed ? painted(" PASS ", kPassLabel, color)
                       : painted(" FAIL ", kFailLabel, color);
}

/// Returns a path whose folder is faint.
std::string path_text(const std::string& path, Color color) {
  const size_t length = path.rfind('/') + 1;
  return length == 0 ? path : painted(path.substr(0, length), kFaint, color) + path.substr(length);
}

}  // namespace

std::string assertion_title(const AssertionResult& result) {
  const std::string place =
      result.place.empty() ? "asserts[" + std::to_string(result.index) + "]" : result.place;
  return "- " + place + (result.is_not ? " NOT `" : " `") + result.type + "` fail";
}

std::string suite_text(const SuiteResult& result, Color color) {
  std::string out = label_of(result, color) + " " +
                    painted(for_terminal(result.name), kBold, color) + "\t" +
                    path_text(for_terminal(result.file), color) + "\n";
  if (result.error) {
    return out + "\t" + painted("- Execution Error: ", kBold, color) + "\n\t\t" +
           for_terminal(*result.error) + "\n\n";
  }
  for (const JobResult& job : result.jobs) {
    print_job(job, color, out);
  }
  return out;
}

std::string chart_text(const std::string& name, const std::string& path, Color color) {
  return "\n### Chart [ " + painted(for_terminal(name), kBold, color) + " ] " +
         painted(for_terminal(path), kFaint, color) + "\n\n";
}

std::string broken_chart_text(const std::string& error, Color color) {
  return "\n### " + painted("Error: ", kDanger, color) + " " + for_terminal(error) + "\n\n";
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

std::string Summary::Counts::text(Color color) const {
  const auto count = [](size_t number, const char* what) {
    return std::to_string(number) + " " + what;
  };
  return (failed > 0 ? painted(count(failed, "failed, "), kDanger, color) : "") +
         (errored > 0 ? count(errored, "errored, ") : "") + count(passed, "passed, ") +
         (skipped > 0 ? count(skipped, "skipped, ") : "") +
         count(passed + failed + skipped, "total");
}

std::string Summary::snapshots_text(Color color) const {
  const Counts counts{.passed = snapshots_.total - snapshots_.failed, .failed = snapshots_.failed};
  return counts.text(color);
}

std::string Summary::text(base::Duration elapsed, Color color) const {
  std::string out;
  if (snapshots_.failed > 0) {
    out += "\nSnapshot Summary: " +
           painted(std::to_string(snapshots_.failed) + " snapshot failed", kDanger, color) +
           " in " + std::to_string(suites_with_failed_snapshots_) + " test suite." +
           painted(" Check changes and use `-u` to update snapshot.", kFaint, color) + "\n";
  }
  return out + "\nCharts:      " + charts_.text(color) + "\nTest Suites: " + suites_.text(color) +
         "\nTests:       " + jobs_.text(color) + "\nSnapshot:    " + snapshots_text(color) +
         "\nTime:        " + go::format_value(helm::funcs::make_duration(elapsed)) + "\n\n";
}

}  // namespace chartwright::suite
