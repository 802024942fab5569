// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "value/value.h"

namespace chartwright::diagnosis {

/// An Event about one object. Its views are valid for as long as the value that it was read from.
struct Event {
  std::string_view time;  ///< When it was last seen, in RFC 3339; may be empty.
  std::string_view type;
  std::string_view reason;
  std::string_view message;
  std::string_view container;  ///< Empty if it does not concern a container.
};

/// The Events about one object, the newest first.
class Events {
 public:
  Events() = default;
  /// Takes those of `objects` that concern the object with that uid.
  Events(const std::vector<value::Value>& objects, std::string_view uid);

  const std::vector<Event>& all() const { return events_; }
  /// Returns the newest one that has one of the reasons; null if there is none.
  const Event* newest(std::initializer_list<std::string_view> reasons) const;
  /// Returns the newest warnings, each once, in one line: "FailedMount: MountVolume.SetUp failed".
  /// Of Events whose message may contain output of a program, only the reason is kept.
  std::vector<std::string> warnings() const;

 private:
  std::vector<Event> events_;
};

}  // namespace chartwright::diagnosis
