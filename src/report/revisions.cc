// SPDX-License-Identifier: Apache-2.0
#include "report/revisions.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "go/time.h"
#include "report/summary.h"
#include "report/table.h"

namespace chartwright::cmd {
namespace {

using value::Value;

constexpr size_t kDescriptionRunes = 60;

int64_t positive_at(const Value& object, std::initializer_list<std::string_view> path) {
  const Value* number = object.find_path(path);
  return number != nullptr && number->is_int() ? std::max<int64_t>(0, number->as_int()) : 0;
}

RevisionLine line_of(const Value& item) {
  RevisionLine line;
  line.revision = positive_at(item, {"revision"});
  line.updated = short_line(item.string_at({"deployedAt"}));
  line.status = short_line(item.string_at({"status"}));
  line.chart = short_line(item.string_at({"chart"}));
  line.description = short_line(item.string_at({"description"}));
  return line;
}

/// Returns a time in RFC 3339 as Helm prints it, in UTC: "Sat Nov 28 09:01:28 2026".
std::string helm_time(const std::string& time) {
  const auto parsed = base::parse_rfc3339(time);
  return parsed.ok() ? go::format_time(go::Time::from_wall(*parsed), "Mon Jan _2 15:04:05 2006")
                     : time;
}

Value to_value(const RevisionLine& line) {
  return Value::dict({{"revision", Value::integer(line.revision)},
                      {"updated", Value::string(line.updated)},
                      {"status", Value::string(line.status)},
                      {"chart", Value::string(line.chart)},
                      {"appVersion", Value::string(line.app_version)},
                      {"description", Value::string(line.description)},
                      {"generation", Value::integer(line.generation)},
                      {"by", Value::string(line.by)},
                      {"current", Value::boolean(line.is_in_force)},
                      {"record", Value::string(to_string(line.record))}});
}

/// Returns the controller of a record, for people.
std::string controller_of(const release::ListedRecord& record) {
  switch (record.holder) {
    case release::Holder::kUs:
      return "this custom resource";
    case release::Holder::kPredecessor:
      return "one of its name that was deleted";
    case release::Holder::kOther:
      return short_line(record.controller);
    case release::Holder::kNobody:
      break;
  }
  return "";
}

}  // namespace

std::string_view to_string(RecordState state) {
  constexpr std::array<std::string_view, 5> kNames = {"Unknown", "Present", "Missing", "Foreign",
                                                      "Damaged"};
  return kNames[static_cast<size_t>(state)];
}

RevisionReport revisions_of(const Value& cr, size_t max) {
  RevisionReport report;
  report.ref = kube::ref_of(cr);
  std::set<int64_t> known;
  const auto add = [&](RevisionLine line) {
    const bool is_plausible = line.revision > 0 && line.revision <= release::kRevisionNumberMax;
    if (is_plausible && known.insert(line.revision).second) {
      report.revisions.push_back(std::move(line));
    }
  };
  for (const Value& item : cr.items_at({"status", "history"})) {
    add(line_of(item));
  }
  RevisionLine attempt;
  attempt.revision = positive_at(cr, {"status", "attempt", "revision"});
  attempt.status = "pending";
  attempt.description = short_line(cr.string_at({"status", "attempt", "failure"}));
  add(std::move(attempt));
  std::ranges::sort(report.revisions, {}, &RevisionLine::revision);
  const size_t dropped = report.revisions.size() - std::min(max, report.revisions.size());
  report.revisions.erase(report.revisions.begin(),
                         report.revisions.begin() + static_cast<std::ptrdiff_t>(dropped));
  for (RevisionLine& line : report.revisions) {
    line.is_in_force = line.revision == positive_at(cr, {"status", "revision"});
  }
  return report;
}

void add_record(RevisionLine& line, const release::Revision& record) {
  line.record = RecordState::kPresent;
  line.app_version = short_line(record.chart_metadata.string_at({"appVersion"}));
  line.generation = std::max<int64_t>(0, record.spec.generation);
  line.by = short_line(record.spec.manager);
  if (!line.updated.empty()) {
    return;  // The status has the rest.
  }
  line.updated = base::format_rfc3339(record.last_deployed);
  line.status = release::to_string(record.status);
  line.chart = short_line(release::chart_of(record));
  line.description = short_line(record.description);
}

std::string add_records(RevisionReport& report, const std::vector<release::ListedRecord>& records) {
  Table table({"SECRET", "REVISION", "STATUS", "CONTROLLED BY"});
  std::map<int64_t, RecordState> states;
  for (const release::ListedRecord& record : records) {
    const bool is_ours = record.holder == release::Holder::kUs;
    states[record.number] = is_ours ? RecordState::kPresent : RecordState::kForeign;
    table.add({record.ref.name, std::to_string(record.number), short_line(record.status),
               controller_of(record)});
  }
  for (RevisionLine& line : report.revisions) {
    const auto state = states.find(line.revision);
    line.record = state == states.end() ? RecordState::kMissing : state->second;
  }
  return table.text();
}

std::string table_of(const std::vector<RevisionReport>& reports, bool is_wide) {
  const bool has_several = reports.size() > 1;
  std::vector<std::string> header = {"REVISION",    "UPDATED",     "STATUS", "CHART",
                                     "APP VERSION", "DESCRIPTION", "SPEC",   "BY"};
  if (has_several) {
    header.insert(header.begin(), "NAME");
  }
  if (is_wide) {
    header.emplace_back("RECORD");
  }
  Table table(header);
  for (const RevisionReport& report : reports) {
    for (const RevisionLine& line : report.revisions) {
      std::vector<std::string> row = {
          std::to_string(line.revision),
          helm_time(line.updated),
          line.status,
          line.chart,
          line.app_version,
          is_wide ? line.description : cut_to(line.description, kDescriptionRunes),
          line.generation == 0 ? "" : std::to_string(line.generation),
          line.by};
      if (has_several) {
        row.insert(row.begin(), name_text(report.ref));
      }
      if (is_wide) {
        row.emplace_back(to_string(line.record));
      }
      table.add(std::move(row));
    }
  }
  return table.text();
}

Value to_value(const RevisionReport& report) {
  std::vector<Value> revisions;
  for (const RevisionLine& line : report.revisions) {
    revisions.push_back(to_value(line));
  }
  std::vector<Value> gaps;
  std::ranges::transform(report.gaps, std::back_inserter(gaps),
                         [](const std::string& gap) { return Value::string(gap); });
  return Value::dict({{"apiVersion", Value::string(report.ref.gvk.api_version())},
                      {"kind", Value::string(report.ref.gvk.kind)},
                      {"namespace", Value::string(report.ref.ns)},
                      {"name", Value::string(report.ref.name)},
                      {"revisions", Value::list(std::move(revisions))},
                      {"gaps", Value::list(std::move(gaps))}});
}

}  // namespace chartwright::cmd
