// SPDX-License-Identifier: Apache-2.0
#include "report/event_line.h"

#include <initializer_list>

#include "base/printable.h"
#include "report/table.h"

namespace chartwright::cmd {
namespace {

using value::Value;

// The seconds of a time, which all its forms in Kubernetes have: "2026-11-29T14:47:31".
constexpr size_t kSecondsSize = 19;

/// Returns the first time that there is, with whole seconds.
std::string first_time_at(const Value& event,
                          std::initializer_list<std::initializer_list<std::string_view>> paths) {
  for (const auto& path : paths) {
    const std::string_view time = event.string_at(path);
    if (time.size() > kSecondsSize) {
      return base::printable(time.substr(0, kSecondsSize)) + "Z";
    }
  }
  return "";
}

int64_t count_of(const Value& event) {
  for (const Value* count : {event.find_path({"series", "count"}), event.find("count")}) {
    if (count != nullptr && count->is_int() && count->as_int() > 0) {
      return count->as_int();
    }
  }
  return 1;
}

}  // namespace

kube::ObjectRef object_of_event(const Value& event) {
  const auto text = [&event](std::string_view key) {
    return short_line(event.string_at({"involvedObject", key}));
  };
  return {kube::Gvk::from_api_version(text("apiVersion"), text("kind")), text("namespace"),
          text("name")};
}

EventLine event_line_of(const Value& event) {
  EventLine line;
  line.object = object_of_event(event);
  line.time = first_time_at(event, {{"series", "lastObservedTime"},
                                    {"lastTimestamp"},
                                    {"eventTime"},
                                    {"metadata", "creationTimestamp"}});
  line.first_time =
      first_time_at(event, {{"firstTimestamp"}, {"eventTime"}, {"metadata", "creationTimestamp"}});
  line.type = short_line(event.string_at({"type"}));
  line.reason = short_line(event.string_at({"reason"}));
  line.message = short_line(event.string_at({"message"}));
  const std::string_view component = event.string_at({"source", "component"});
  line.source = short_line(component.empty() ? event.string_at({"reportingComponent"}) : component);
  line.count = count_of(event);
  return line;
}

std::vector<std::string> event_header(bool is_wide) {
  return is_wide ? std::vector<std::string>{"TIME",      "TYPE", "REASON", "OBJECT",
                                            "NAMESPACE", "FROM", "MESSAGE"}
                 : std::vector<std::string>{"TIME", "TYPE", "REASON", "OBJECT", "MESSAGE"};
}

std::vector<std::string> event_row(const EventLine& line, bool is_wide) {
  const std::string times = line.count > 1 ? " (x" + std::to_string(line.count) + ")" : "";
  std::vector<std::string> row = {line.time, line.type, line.reason + times,
                                  line.object.gvk.kind + "/" + line.object.name};
  if (is_wide) {
    row.push_back(line.object.ns);
    row.push_back(line.source);
  }
  row.push_back(line.message);
  return row;
}

Value to_value(const EventLine& line) {
  const auto text = [](const std::string& of) { return Value::string(of); };
  return Value::dict({{"time", text(line.time)},
                      {"firstTime", text(line.first_time)},
                      {"type", text(line.type)},
                      {"reason", text(line.reason)},
                      {"message", text(line.message)},
                      {"source", text(line.source)},
                      {"count", Value::integer(line.count)},
                      {"object", Value::dict({{"apiVersion", text(line.object.gvk.api_version())},
                                              {"kind", text(line.object.gvk.kind)},
                                              {"namespace", text(line.object.ns)},
                                              {"name", text(line.object.name)}})}});
}

}  // namespace chartwright::cmd
