// SPDX-License-Identifier: Apache-2.0
#include "report/get_lines.h"

#include <utility>

#include "base/strings.h"
#include "report/table.h"
#include "value/json.h"

namespace chartwright::cmd {
namespace {

constexpr size_t kProblemRunes = 60;
/// Beyond this many, all are forgotten, and shown again when they change in anything.
constexpr size_t kShownMax = 20'000;

std::string shown_problem(const Summary& one, bool is_wide) {
  if (!one.problem) {
    return "";
  }
  const std::string text =
      one.problem->reason + (one.problem->message.empty() ? "" : ": " + one.problem->message);
  return is_wide ? text : cut_to(text, kProblemRunes);
}

}  // namespace

std::vector<std::string> get_header(const GetTable& table) {
  std::vector<std::string> header = {"NAME", "READY", "REV", "CHART", "AGE", "PROBLEM"};
  if (table.has_namespaces) {
    header.insert(header.begin(), "NAMESPACE");
  }
  if (table.is_wide) {
    header.emplace_back("SINCE");
  }
  return header;
}

std::vector<std::string> get_row(const Summary& summary, const GetTable& table,
                                 base::WallTime now) {
  const std::string kind = base::to_lower_ascii(summary.ref.gvk.kind) + "/";
  std::vector<std::string> row = {(table.has_kinds ? kind : "") + summary.ref.name,
                                  summary.ready,
                                  summary.revision > 0 ? std::to_string(summary.revision) : "",
                                  summary.chart,
                                  age_text(summary.created, now),
                                  shown_problem(summary, table.is_wide)};
  if (table.has_namespaces) {
    row.insert(row.begin(), summary.ref.ns);
  }
  if (table.is_wide) {
    row.push_back(summary.problem ? age_text(summary.problem->since, now) : "");
  }
  return row;
}

std::string ShownLines::text_of(Summary summary) const {
  if (!table_) {
    return value::to_json(to_value(summary), value::JsonEscape::kNone).value_or("");
  }
  summary.created.clear();
  if (summary.problem) {
    summary.problem->since.clear();
  }
  return base::join(get_row(summary, *table_, {}), "\n");
}

bool ShownLines::is_news(const Summary& summary) {
  if (of_ == Of::kProblems && !summary.problem) {
    return lines_.erase(summary.ref) > 0;
  }
  if (lines_.size() >= kShownMax) {
    lines_.clear();
  }
  Line& line = lines_[summary.ref];
  std::string text = text_of(summary);
  const bool is_new = line.text != text;
  line = {summary, std::move(text)};
  return is_new;
}

std::optional<Summary> ShownLines::take_deleted(const kube::ObjectRef& ref) {
  auto node = lines_.extract(ref);
  if (node.empty()) {
    return std::nullopt;
  }
  Summary summary = std::move(node.mapped().summary);
  summary.problem = Problem{"Deleted", "", ""};
  return summary;
}

}  // namespace chartwright::cmd
