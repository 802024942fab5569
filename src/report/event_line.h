// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kube/object.h"
#include "value/value.h"

namespace chartwright::cmd {

/// An Event in one line. Its texts are printable, and at most 1024 bytes long.
struct EventLine {
  kube::ObjectRef object;  ///< The object that it is about.
  std::string time;        ///< When it was last seen, in RFC 3339; may be empty.
  std::string first_time;  ///< When it was first seen.
  std::string type;        ///< "Normal", "Warning"
  std::string reason;
  std::string message;
  std::string source;  ///< The component that tells it.
  int64_t count = 1;   ///< How often it was seen.
};

/// Returns the line of an Event, which may have any content.
EventLine event_line_of(const value::Value& event);

/// Returns the object that an Event is about, with its uid as far as that is known.
kube::ObjectRef object_of_event(const value::Value& event);

/// Returns the columns of a table of Events. `is_wide`: with namespaces and sources.
std::vector<std::string> event_header(bool is_wide);
/// Returns the cells of an Event in them.
std::vector<std::string> event_row(const EventLine& line, bool is_wide);

/// Returns the Event as JSON has it: the form that docs/operate/events.md describes.
value::Value to_value(const EventLine& line);

}  // namespace chartwright::cmd
