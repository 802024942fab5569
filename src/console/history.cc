// SPDX-License-Identifier: Apache-2.0
// `chartwright history`: the revisions of a custom resource, as `helm history` lists them.
#include <algorithm>

#include "base/printable.h"
#include "console/commands.h"
#include "console/output.h"
#include "console/wanted.h"
#include "kube/api_status.h"
#include "report/revisions.h"
#include "report/summary.h"
#include "revision/listed_record.h"
#include "revision/revision.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

/// Each record is a Secret of up to 1 MiB.
constexpr size_t kRecordsMax = 50;

release::Owner owner_of(const Value& cr, const std::string& home) {
  const kube::ObjectRef ref = kube::ref_of(cr);
  return {ref.gvk, ref.ns, ref.name, std::string(kube::uid_of(cr)), home};
}

/// Adds what a record has to its line. Its author may be anyone who may write Secrets.
void read_record(RevisionLine& line, const Value& secret, const release::Owner& owner) {
  if (release::holder_of(secret, owner) != release::Holder::kUs) {
    line.record = RecordState::kForeign;
    return;
  }
  const base::Status read = on_render_stack([&]() -> base::Status {
    CW_TRY(const release::Revision record, release::decode_revision(secret));
    if (record.number != line.revision) {
      return Error(ErrorCode::kParse, "the record of another revision");
    }
    add_record(line, record);
    return {};
  });
  if (!read.ok()) {
    line.record = RecordState::kDamaged;
  }
}

std::string gap_of(const Error& error, const release::Owner& owner) {
  const std::string& ns = owner.release_namespace();
  if (error.code() == ErrorCode::kNotFound) {
    return "no records in " + ns + ": they are in the namespace of the operator, to be named by -n";
  }
  if (kube::lacks_right(error)) {
    return "no right to get Secrets in " + ns + ", which have the versions of the application";
  }
  return base::printable(error.message());
}

/// Looks for the records of the newest revisions, until one may not be read.
void read_records(RevisionReport& report, const release::Owner& owner, Connection& connection) {
  const std::string& ns = owner.release_namespace();
  size_t looked_at = 0;
  for (auto line = report.revisions.rbegin(); line != report.revisions.rend(); ++line) {
    if (looked_at++ == kRecordsMax) {
      report.gaps.push_back("only the " + std::to_string(kRecordsMax) +
                            " newest records were looked at");
      return;
    }
    const std::string name =
        release::record_secret_name(owner.name, static_cast<int>(line->revision));
    const auto secret =
        connection.client().get({{"", "v1", "Secret"}, ns, name}, connection.call());
    if (secret.ok()) {
      read_record(*line, *secret, owner);
    } else if (secret.error().code() == ErrorCode::kNotFound && !owner.ns.empty()) {
      line->record = RecordState::kMissing;
    } else {
      report.gaps.push_back(gap_of(secret.error(), owner));
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
    const release::Owner owner = owner_of(cr, connection.ns());
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
