// SPDX-License-Identifier: Apache-2.0
#include "suite/results/tally.h"

#include <array>
#include <cstdio>

#include "suite/results/suite_report.h"

namespace chartwright::suite {

Verdict verdict_of(const JobResult& job) {
  if (job.skipped) {
    return Verdict::kSkipped;
  }
  if (job.passed) {
    return Verdict::kPassed;
  }
  return job.error ? Verdict::kErrored : Verdict::kFailed;
}

void Tally::add(Verdict verdict) {
  ++total;
  switch (verdict) {
    case Verdict::kPassed:
      ++passed;
      break;
    case Verdict::kSkipped:
      ++skipped;
      break;
    case Verdict::kFailed:
      ++failed;
      break;
    case Verdict::kErrored:
      ++errored;
      break;
  }
}

void Tally::add(const Tally& other) {
  total += other.total;
  passed += other.passed;
  skipped += other.skipped;
  failed += other.failed;
  errored += other.errored;
}

Tally tally_of(const SuiteResult& suite) {
  Tally tally;
  if (suite.error) {
    tally.add(Verdict::kErrored);
  }
  for (const JobResult& job : suite.jobs) {
    tally.add(verdict_of(job));
  }
  return tally;
}

base::Duration duration_of(const SuiteResult& suite) {
  base::Duration sum{};
  for (const JobResult& job : suite.jobs) {
    sum += job.duration;
  }
  return sum;
}

std::string seconds_text(base::Duration duration) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", std::chrono::duration<double>(duration).count());
  return text.data();
}

std::string error_of(const JobResult& job) {
  return job.error.value_or("") + (job.help.empty() ? "" : "\n" + job.help) +
         (job.compat.empty() ? "" : "\n" + job.compat);
}

std::string details_of(const JobResult& job) {
  std::string text = job.skipped ? "SKIPPED '" + job.name + "' \n" : "";
  if (job.error) {
    text += error_of(job) + "\n";
  }
  for (const AssertionResult& assertion : job.assertions) {
    if (assertion.passed && !assertion.skipped) {
      continue;
    }
    text += "\t\t " + assertion_title(assertion) + " \n";
    for (const std::string& line : assertion.lines) {
      text += "\t\t\t " + line + " \n";
    }
    for (const std::string& hint : assertion.hints) {
      text += "\t\t\t " + hint + " \n";
    }
  }
  return job.error || job.compat.empty() ? text : text + job.compat + "\n";
}

}  // namespace chartwright::suite
