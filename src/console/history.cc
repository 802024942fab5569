// SPDX-License-Identifier: Apache-2.0
// `chartwright history`: the revisions of a custom resource, as `helm history` lists them.
#include <algorithm>

#include "console/commands.h"
#include "console/output.h"
#include "console/record_reader.h"
#include "console/wanted.h"
#include "report/revisions.h"
#include "report/summary.h"
#include "revision/listed_record.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

/// Each record is a Secret of up to 1 MiB.
constexpr size_t kRecordsMax = 50;

/// Adds what a record has to its line. Its author may be anyone who may write Secrets.
void read_record(RevisionLine& line, const Value& secret, const release::Owner& owner) {
  if (release::holder_of(secret, owner) != release::Holder::kUs) {
    line.record = RecordState::kForeign;
    return;
  }
  const auto record = decode_record(secret, line.revision);
  if (record.ok()) {
    add_record(line, *record);
  } else {
    line.record = RecordState::kDamaged;
  }
}

/// Looks for the records of the newest revisions, until one may not be read.
void read_records(RevisionReport& report, const release::Owner& owner, Connection& connection) {
  size_t looked_at = 0;
  for (auto line = report.revisions.rbegin(); line != report.revisions.rend(); ++line) {
    if (looked_at++ == kRecordsMax) {
      report.gaps.push_back("only the " + std::to_string(kRecordsMax) +
                            " newest records were looked at");
      return;
    }
    const auto secret = read_secret(owner, line->revision, connection);
    if (secret.ok()) {
      read_record(*line, *secret, owner);
    } else if (secret.error().code() == ErrorCode::kNotFound && !owner.ns.empty()) {
      line->record = RecordState::kMissing;
    } else {
      report.gaps.push_back(record_gap(secret.error(), owner, "the rest of the history"));
      return;
    }
  }
}

class HistoryCommand final : public Command {
 public:
  std::string_view name() const override { return "history"; }
  std::string_view summary() const override {
    return "List the revisions of a custom resource, as helm history does";
  }
  void declare(FlagSet& flags) override {
    declare_place_flags(flags, place_);
    flags.integer(max_, {"max", '\0', "the largest number of revisions to list: the newest"});
    declare_output_flag(flags, output_);
    flags.arguments(arguments_, "KIND/NAME|KIND NAME", "the custom resources",
                    kTakesCustomResources);
  }
  base::Result<int> run(Streams& streams) override {
    CW_TRY_VOID(check_output(output_));
    if (max_ < 1) {
      return Error(ErrorCode::kInvalidArgument, "--max: at least one revision has to be listed");
    }
    CW_TRY(const auto connection, Connection::open(place_));
    CW_TRY(const NamedObjects named, read_named(arguments_, *connection, streams));
    std::vector<RevisionReport> reports;
    for (const Value& cr : named.objects) {
      reports.push_back(report_on(cr, *connection));
    }
    CW_TRY_VOID(print(reports, streams));
    return named.exit_code;
  }

 private:
  RevisionReport report_on(const Value& cr, Connection& connection) const {
    RevisionReport report = revisions_of(cr, static_cast<size_t>(max_));
    // The records of one that is in no namespace are in that of its operator.
    const release::Owner owner = record_owner(cr, connection.ns());
    if (owner.release_namespace().empty()) {
      report.gaps.emplace_back(
          "the records are in the namespace of the operator, to be named by -n");
    } else {
      read_records(report, owner, connection);
    }
    return report;
  }
  base::Status print(const std::vector<RevisionReport>& reports, Streams& streams) const {
    if (output_.is_document()) {
      std::vector<Value> items;
      std::ranges::transform(reports, std::back_inserter(items),
                             [](const RevisionReport& report) { return to_value(report); });
      return print_items(std::move(items), output_, streams);
    }
    bool has_lines = false;
    for (const RevisionReport& report : reports) {
      has_lines = has_lines || !report.revisions.empty();
      if (report.revisions.empty()) {
        streams.err(name_text(report.ref) + " has no revision yet.\n");
      }
    }
    if (has_lines) {
      streams.tell(table_of(reports, output_.word == "wide"));
    }
    for (const RevisionReport& report : reports) {
      print_gaps(report.ref, report.gaps, streams);
    }
    return {};
  }

  PlaceFlags place_;
  std::vector<std::string> arguments_;
  int64_t max_ = 256;
  OutputFlag output_{{"table", "wide", "json", "yaml"},
                     "table, wide (whole descriptions, and the records), json or yaml"};
};

}  // namespace

std::unique_ptr<Command> make_history_command() { return std::make_unique<HistoryCommand>(); }

}  // namespace chartwright::cmd
