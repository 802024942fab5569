// SPDX-License-Identifier: Apache-2.0
#include "diff/fleet.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/ascii.h"
#include "base/printable.h"
#include "base/strings.h"
#include "value/json.h"

namespace chartwright::diff {
namespace {

using value::Value;

constexpr size_t kNamedMax = 10;

/// The fate of a custom resource, in the order in which groups are shown.
enum class Outcome : uint8_t { kChanges, kFails, kStays };

Outcome outcome_of(const Report& report) {
  if (report.failure) {
    return Outcome::kFails;
  }
  return has_changes(report) ? Outcome::kChanges : Outcome::kStays;
}

std::string error_line(const Report& report) {
  return "Error: " + base::printable(report.failure->to_string()) + "\n";
}

std::string body_of(const Report& report, Color color, Unchanged unchanged) {
  return changes_text(report, color, unchanged) + (report.failure ? error_line(report) : "");
}

/// Replaces a name by a sign, where it is not a part of a longer word.
void replace_word(std::string& text, const std::string& word, char sign) {
  if (word.empty()) {
    return;
  }
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool is_whole = (at == 0 || !base::is_ascii_alphanumeric(text[at - 1])) &&
                          (end == text.size() || !base::is_ascii_alphanumeric(text[end]));
    if (is_whole) {
      text.replace(at, word.size(), 1, sign);
    }
  }
}

/// Returns a text that is the same for members of one group. The signs cannot be in it otherwise,
/// since it is printable.
std::string key_of(const Member& member) {
  std::string text = member.cr.gvk.group_kind().to_string() + "\n" +
                     body_of(member.report, Color::kNo, Unchanged::kHidden);
  replace_word(text, member.cr.name, '\1');
  replace_word(text, member.cr.ns, '\2');
  return text;
}

std::string place_of(const kube::ObjectRef& cr) {
  return (cr.ns.empty() ? "" : cr.ns + "/") + cr.name;
}

/// Returns "shop/two, shop/three and 7 more".
std::string names_of(const Group& group, size_t from) {
  std::vector<std::string> names;
  for (size_t i = from; i < group.size() && names.size() < kNamedMax; ++i) {
    names.push_back(place_of(group[i]->cr));
  }
  const size_t left = group.size() - from - names.size();
  return base::join(names, ", ") + (left > 0 ? " and " + std::to_string(left) + " more" : "");
}

std::string number_of(size_t number, std::string_view one, std::string_view several) {
  return std::to_string(number) + " " + std::string(number == 1 ? one : several);
}

std::string text_of(const Group& group, Color color) {
  const Member& first = *group.front();
  const std::string number = number_of(group.size(), "custom resource", "custom resources");
  if (outcome_of(first.report) == Outcome::kStays && first.report.notes.empty()) {
    return number + " would stay as " + (group.size() == 1 ? "it is: " : "they are: ") +
           names_of(group, 0) + "\n";
  }
  std::string text = first.cr.gvk.kind + " " + place_of(first.cr);
  if (group.size() > 1) {
    text = number + ", as " + text;
  }
  text += ":\n" + body_of(first.report, color, Unchanged::kHidden);
  return text + (group.size() > 1 ? "Also: " + names_of(group, 1) + "\n" : "");
}

bool restarts_pods(const Member& member) {
  return std::ranges::any_of(member.report.objects, [](const ObjectChange& change) {
    return std::ranges::any_of(change.consequences, [](const std::string& text) {
      return text.starts_with(kRestartsMark);
    });
  });
}

struct Counts {
  size_t changed = 0;
  size_t restarted = 0;
  size_t failed = 0;
  size_t unchanged = 0;
};

Counts counts_of(const std::vector<Member>& fleet) {
  Counts counts;
  for (const Member& member : fleet) {
    const Outcome outcome = outcome_of(member.report);
    counts.failed += outcome == Outcome::kFails ? 1 : 0;
    counts.unchanged += outcome == Outcome::kStays ? 1 : 0;
    if (outcome == Outcome::kChanges) {
      ++counts.changed;
      counts.restarted += restarts_pods(member) ? 1 : 0;
    }
  }
  return counts;
}

std::string counts_line(const std::vector<Member>& fleet) {
  const Counts counts = counts_of(fleet);
  std::vector<std::string> parts;
  if (counts.changed > 0) {
    parts.push_back(number_of(counts.changed, "changes", "change"));
    if (counts.restarted > 0) {
      parts.back() += " (" + number_of(counts.restarted, "restarts pods", "restart pods") + ")";
    }
  }
  if (counts.failed > 0) {
    parts.push_back(number_of(counts.failed, "fails", "fail"));
  }
  if (counts.unchanged > 0) {
    parts.push_back(number_of(counts.unchanged, "stays as it is", "stay as they are"));
  }
  return number_of(fleet.size(), "custom resource", "custom resources") +
         (parts.empty() ? "" : ": " + base::join(parts, ", ")) + ".\n";
}

Value to_value(const Counts& counts) {
  const auto number = [](size_t of) { return Value::integer(static_cast<int64_t>(of)); };
  return Value::dict({{"changed", number(counts.changed)},
                      {"restarted", number(counts.restarted)},
                      {"failed", number(counts.failed)},
                      {"unchanged", number(counts.unchanged)}});
}

}  // namespace

std::vector<Group> groups_of(const std::vector<Member>& fleet) {
  std::map<std::string, size_t> known;
  std::vector<Group> groups;
  for (const Member& member : fleet) {
    const auto [found, is_new] = known.emplace(key_of(member), groups.size());
    if (is_new) {
      groups.emplace_back();
    }
    groups[found->second].push_back(&member);
  }
  std::ranges::stable_sort(groups, [](const Group& a, const Group& b) {
    return std::pair(outcome_of(a.front()->report), b.size()) <
           std::pair(outcome_of(b.front()->report), a.size());
  });
  return groups;
}

std::string to_summary(const std::vector<Member>& fleet, Color color) {
  std::string text;
  for (const Group& group : groups_of(fleet)) {
    text += text_of(group, color) + "\n";
  }
  return text + counts_line(fleet);
}

std::string to_text(const std::vector<Member>& fleet, Color color, Unchanged unchanged) {
  std::string text;
  for (const Member& member : fleet) {
    text += member.cr.to_string() + ":\n" + to_text(member.report, color, unchanged);
    text += (member.report.failure ? error_line(member.report) : "") + "\n";
  }
  return text + counts_line(fleet);
}

base::Result<std::string> to_json(const std::vector<Member>& fleet) {
  std::vector<Value> items;
  items.reserve(fleet.size());
  for (const Member& member : fleet) {
    Value item = to_value(member.report);
    item.mutable_dict().set("customResource", ref_value(member.cr));
    items.push_back(std::move(item));
  }
  const Value all = Value::dict(
      {{"items", Value::list(std::move(items))}, {"counts", to_value(counts_of(fleet))}});
  CW_TRY(std::string text, value::to_json(all, value::JsonEscape::kNone));
  return text + "\n";
}

}  // namespace chartwright::diff
