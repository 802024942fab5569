// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.h"
#include "diagnosis/diagnosis.h"
#include "report/summary.h"

namespace chartwright::cmd {

/// A child that is not ready, and why.
struct ChildReport {
  kube::ObjectRef ref;
  std::string state;           ///< The word of the status: "Progressing", "Failed".
  diagnosis::Finding finding;  ///< Without a cause, if none was found.
  std::string error;           ///< Why the child could not be read; empty if it could.
};

/// Why a custom resource is as it is.
struct WhyReport {
  Summary summary;
  std::vector<ChildReport> children;  ///< Those that are not ready, at most as many as were asked.
  size_t more = 0;                    ///< How many others are not ready.
};

/// Returns the children that a status names as not ready.
std::vector<ChildReport> unready_children(const value::Value& cr);

/// Returns the report in paragraphs: one for the custom resource, and one for each child, which
/// follows the links from the child to the cause. The last line of each says what to do.
std::string text_of(const WhyReport& report, base::WallTime now);

/// Returns the report as JSON has it: the form that docs/operate/why.md describes.
value::Value to_value(const WhyReport& report);

/// Returns the next step of a person who wants a cause to go: a sentence, or a command.
std::string advice_for(const diagnosis::Cause& cause);

}  // namespace chartwright::cmd
