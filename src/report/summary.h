// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kube/object.h"
#include "value/value.h"

namespace chartwright::cmd {

/// A fault of a custom resource, or a thing that somebody who looks at it should know.
struct Problem {
  std::string reason;   ///< "Paused", "Stalled", or the reason of the condition Ready.
  std::string message;  ///< Printable lines; may be empty.
  std::string since;    ///< In RFC 3339; may be empty.
};

/// A custom resource in one line.
struct Summary {
  kube::ObjectRef ref;
  std::string ready;     ///< The status of the condition Ready; empty: no operator has set it.
  int64_t revision = 0;  ///< The revision in force; 0: none.
  std::string chart;     ///< The chart of that revision, "shop-1.2.0"; may be empty.
  std::string created;   ///< In RFC 3339; may be empty.
  bool paused = false;
  bool pinned = false;             ///< A rollback is in force.
  std::optional<Problem> problem;  ///< The worst one.
};

/// Returns the summary of a live custom resource, which may have any content.
Summary summary_of(const value::Value& cr);

/// Returns "shop.example.com/one", as kubectl names an object in its messages.
std::string name_text(const kube::ObjectRef& ref);

/// Returns the summary as JSON has it: the form that docs/operate/get.md describes.
value::Value to_value(const Summary& summary);

}  // namespace chartwright::cmd
