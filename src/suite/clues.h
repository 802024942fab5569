// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "suite/check.h"
#include "suite/job_render.h"
#include "suite/results/suite_result.h"
#include "suite/suite.h"
#include "value/path.h"
#include "value/value.h"

// The lines of a failed assertion beyond those of helm-unittest: its place, the line of the
// template that wrote what it looked at, the values which that line reads, and the path that was
// probably meant.
namespace chartwright::suite {

/// The clues of one job. The job must outlive it.
class Clues {
 public:
  /// Renders the job again.
  using Trace = std::function<base::Status(const FileVisit& files)>;

  /// Notes that an assertion has failed for a template: for which of its selected documents, and
  /// where in them, `result` says.
  void note(const Assertion& assertion, const std::string& file,
            const std::vector<value::Value>& selected, const CheckResult& result);

  /// Adds the clues to the results of the job's assertions. Renders again only if a field was
  /// noted. A render that fails leaves out what it would have told.
  void add_to(const Job& job, std::vector<AssertionResult>& results, const Trace& trace) const;

 private:
  struct Field {
    const Assertion& assertion;
    std::string file;
    value::Value document;
    value::Path path;
  };
  struct Hint {
    const Assertion& assertion;
    std::string line;
  };

  void note_place(const Assertion& assertion, const std::string& file, const value::Value& document,
                  int value);
  void note_dead_end(const Assertion& assertion, const value::Value& document);

  std::vector<Field> fields_;
  std::vector<Hint> hints_;
};

}  // namespace chartwright::suite
