// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "fields/spec_change.h"
#include "report/event_line.h"
#include "report/revisions.h"
#include "report/summary.h"
#include "value/value.h"

namespace chartwright::cmd {

/// A condition. Its texts are one printable line each, but for the message.
struct ConditionLine {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;      ///< Printable lines; may be empty.
  std::string since;        ///< In RFC 3339; may be empty.
  bool is_notable = false;  ///< It says more than that all is well.
};

/// A child as the status has it.
struct ChildLine {
  std::string name;      ///< "Deployment/web"
  std::string state;     ///< "Ready", "Failed", ...; empty: not known.
  std::string cause;     ///< Why it is not ready; may be empty.
  std::string held;      ///< A change that waits, or a field that stays; may be empty.
  bool partial = false;  ///< An object of others, of which the chart sets some fields.
};

/// The state of a custom resource on one page.
struct StatusPage {
  Summary summary;
  int64_t generation = 0;
  int64_t observed = 0;  ///< The generation that the operator has looked at; 0: none.
  fields::SpecChange spec_change;
  std::vector<ConditionLine> conditions;
  std::vector<ChildLine> children;
  RevisionReport revisions;
  std::vector<EventLine> events;  ///< The newest, the oldest first.
};

/// Returns the page of a live custom resource, which may have any content, without Events.
StatusPage page_of(const value::Value& cr);

enum class Detail : uint8_t { kNotable, kAll };
/// Returns the page as text. kNotable: conditions and children that somebody should look at, and
/// the last three revisions and five Events.
std::string text_of(const StatusPage& page, Detail detail, base::WallTime now);

/// Returns the page as JSON has it: the form that docs/operate/status.md describes.
value::Value to_value(const StatusPage& page);

}  // namespace chartwright::cmd
