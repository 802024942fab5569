// SPDX-License-Identifier: Apache-2.0
#include "report/status_page.h"

#include <algorithm>
#include <utility>

#include "health/condition_types.h"
#include "report/summary.h"
#include "report/table.h"

namespace chartwright::cmd {
namespace {

using value::Value;

constexpr size_t kRevisionsShown = 3;
constexpr size_t kEventsShown = 5;
constexpr size_t kRevisionsMax = 50;
constexpr size_t kChildLinesMax = 1000;
constexpr size_t kCellRunes = 100;

bool is_notable(const std::string& type, const std::string& status) {
  for (const health::ConditionType* known : health::condition_types()) {
    if (known->name == type) {
      const bool is_normal = known->polarity == health::Polarity::kNormalTrue;
      return is_normal ? status != "True" : status == "True" || type == "RolledBack";
    }
  }
  return status != "True";  // One of the author.
}

ConditionLine condition_line(const Value& condition) {
  ConditionLine line{
      short_line(condition.string_at({"type"})), short_line(condition.string_at({"status"})),
      short_line(condition.string_at({"reason"})), short_lines(condition.string_at({"message"})),
      short_line(condition.string_at({"lastTransitionTime"}))};
  line.is_notable = is_notable(line.type, line.status);
  return line;
}

/// Returns the first text that an entry of the inventory has of what waits.
std::string held_in(const Value& item) {
  for (const std::string_view key : {"drift", "held", "frozen", "leftOut"}) {
    if (const std::string_view text = item.string_at({key}); !text.empty()) {
      return short_line(text);
    }
  }
  return item.bool_at({"outdated"}) ? "a change waits until it is deleted" : "";
}

ChildLine child_line(const Value& item) {
  return {short_line(std::string(item.string_at({"kind"})) + "/" +
                     std::string(item.string_at({"name"}))),
          short_line(item.string_at({"state"})), short_line(item.string_at({"cause"})),
          held_in(item), item.bool_at({"partial"})};
}

fields::SpecChange shown_change(const fields::SpecChange& change) {
  return {short_line(change.manager), short_line(change.time)};
}

std::string ago(const std::string& time, base::WallTime now) {
  const std::string age = age_text(time, now);
  return age.empty() ? "" : ", " + age + " ago";
}

constexpr size_t kTextColumn = 14;

/// Returns "  Ready:      text\n".
std::string line_of(std::string_view title, const std::string& text) {
  std::string line = "  " + std::string(title) + ":";
  line.resize(std::max(line.size() + 1, kTextColumn), ' ');
  return line + text + "\n";
}

std::string ready_line(const StatusPage& page, base::WallTime now) {
  std::string text = page.summary.ready.empty() ? "Unknown" : page.summary.ready;
  if (!page.summary.problem) {
    return line_of("Ready", text);
  }
  const Problem& problem = *page.summary.problem;
  const std::string age = age_text(problem.since, now);
  text += ": " + problem.reason + (age.empty() ? "" : ", since " + age);
  if (problem.message.empty()) {
    return line_of("Ready", text);
  }
  return line_of("Ready", text) +
         indented(short_lines(problem.message), std::string(kTextColumn, ' '));
}

std::string spec_line(const StatusPage& page, base::WallTime now) {
  std::string text = "generation " + std::to_string(page.generation);
  if (!page.spec_change.manager.empty()) {
    text += ", changed by " + page.spec_change.manager + ago(page.spec_change.time, now);
  }
  if (page.observed != page.generation) {
    text += page.observed == 0 ? "; no operator has looked at it"
                               : "; the operator has looked at " + std::to_string(page.observed);
  }
  return line_of("Spec", text);
}

std::string revision_line(const StatusPage& page, base::WallTime now) {
  if (page.summary.revision == 0) {
    return line_of("Revision", "none");
  }
  std::string text = std::to_string(page.summary.revision);
  for (const RevisionLine& line : page.revisions.revisions) {
    if (line.is_in_force) {
      text += " of " + line.chart + ago(line.updated, now) + " (" +
              cut_to(line.description, kCellRunes) + ")";
    }
  }
  return line_of("Revision", text);
}

std::string section(std::string_view title, const Table& table) {
  return "\n" + std::string(title) + "\n" + table.text();
}

std::string conditions_text(const StatusPage& page, Detail detail, base::WallTime now) {
  Table table({"TYPE", "STATUS", "REASON", "AGE", "MESSAGE"});
  bool has_any = false;
  for (const ConditionLine& line : page.conditions) {
    if (detail == Detail::kAll || line.is_notable) {
      has_any = true;
      table.add({line.type, line.status, line.reason, age_text(line.since, now),
                 detail == Detail::kAll ? line.message : cut_to(line.message, kCellRunes)});
    }
  }
  return has_any ? section("Conditions", table) : "";
}

std::string children_text(const StatusPage& page, Detail detail) {
  Table table({"RESOURCE", "STATE", "CAUSE", "HELD"});
  size_t children = 0;
  size_t ready = 0;
  bool has_any = false;
  for (const ChildLine& child : page.children) {
    const bool is_ready = child.state == "Ready" || child.partial;
    if (!child.partial) {
      ++children;
      ready += is_ready ? 1 : 0;
    }
    if (detail == Detail::kAll || !is_ready || !child.held.empty()) {
      has_any = true;
      table.add({child.name, child.state, child.cause, cut_to(child.held, kCellRunes)});
    }
  }
  const std::string title =
      "Children: " + std::to_string(ready) + " of " + std::to_string(children) + " ready";
  return has_any ? section(title, table) : "\n" + title + "\n";
}

std::string revisions_text(const StatusPage& page, Detail detail, base::WallTime now) {
  const std::vector<RevisionLine>& all = page.revisions.revisions;
  const size_t shown = detail == Detail::kAll ? all.size() : std::min(all.size(), kRevisionsShown);
  if (shown == 0) {
    return "";
  }
  Table table({"REVISION", "AGE", "STATUS", "CHART", "DESCRIPTION"});
  for (size_t i = all.size() - shown; i < all.size(); ++i) {
    table.add({std::to_string(all[i].revision), age_text(all[i].updated, now), all[i].status,
               all[i].chart, cut_to(all[i].description, kCellRunes)});
  }
  return section("Revisions", table);
}

std::string events_text(const StatusPage& page, Detail detail, base::WallTime now) {
  const size_t shown =
      detail == Detail::kAll ? page.events.size() : std::min(page.events.size(), kEventsShown);
  if (shown == 0) {
    return "";
  }
  Table table({"AGE", "TYPE", "REASON", "MESSAGE"});
  for (size_t i = page.events.size() - shown; i < page.events.size(); ++i) {
    const EventLine& event = page.events[i];
    const std::string times = event.count > 1 ? " (x" + std::to_string(event.count) + ")" : "";
    table.add({age_text(event.time, now), event.type, event.reason + times,
               detail == Detail::kAll ? event.message : cut_to(event.message, kCellRunes)});
  }
  return section("Events", table);
}

Value to_value(const ConditionLine& line) {
  return Value::dict({{"type", Value::string(line.type)},
                      {"status", Value::string(line.status)},
                      {"reason", Value::string(line.reason)},
                      {"message", Value::string(line.message)},
                      {"since", Value::string(line.since)}});
}

Value to_value(const ChildLine& line) {
  return Value::dict({{"resource", Value::string(line.name)},
                      {"state", Value::string(line.state)},
                      {"cause", Value::string(line.cause)},
                      {"held", Value::string(line.held)},
                      {"partial", Value::boolean(line.partial)}});
}

template <typename Lines>
Value values_of(const Lines& lines) {
  std::vector<Value> items;
  items.reserve(lines.size());
  for (const auto& line : lines) {
    items.push_back(to_value(line));
  }
  return Value::list(std::move(items));
}

}  // namespace

StatusPage page_of(const Value& cr) {
  StatusPage page;
  page.summary = summary_of(cr);
  page.generation = kube::generation_of(cr);
  const Value* observed = cr.find_path({"status", "observedGeneration"});
  page.observed = observed != nullptr && observed->is_int() ? observed->as_int() : 0;
  page.spec_change = shown_change(fields::spec_change_in(cr));
  for (const Value& condition : cr.items_at({"status", "conditions"})) {
    page.conditions.push_back(condition_line(condition));
  }
  for (const Value& item : cr.items_at({"status", "resources"})) {
    if (page.children.size() < kChildLinesMax) {
      page.children.push_back(child_line(item));
    }
  }
  page.revisions = revisions_of(cr, kRevisionsMax);
  return page;
}

std::string text_of(const StatusPage& page, Detail detail, base::WallTime now) {
  std::string text = page.summary.ref.to_string() + "\n";
  text += ready_line(page, now) + revision_line(page, now) + spec_line(page, now);
  const std::string age = age_text(page.summary.created, now);
  text += age.empty() ? "" : line_of("Age", age);
  text += conditions_text(page, detail, now) + children_text(page, detail);
  text += revisions_text(page, detail, now) + events_text(page, detail, now);
  if (page.summary.problem) {
    const std::string& ns = page.summary.ref.ns;
    text += "\n→ chartwright why " + name_text(page.summary.ref) +
            (ns.empty() ? "" : " --namespace " + ns) + "\n";
  }
  return text;
}

Value to_value(const StatusPage& page) {
  Value item = to_value(page.summary);
  value::Dict& members = item.mutable_dict();
  members.set("generation", Value::integer(page.generation));
  members.set("observedGeneration", Value::integer(page.observed));
  members.set("specChange", Value::dict({{"manager", Value::string(page.spec_change.manager)},
                                         {"time", Value::string(page.spec_change.time)}}));
  members.set("conditions", values_of(page.conditions));
  members.set("children", values_of(page.children));
  members.set("revisions", *to_value(page.revisions).find("revisions"));
  members.set("events", values_of(page.events));
  return item;
}

}  // namespace chartwright::cmd
