// SPDX-License-Identifier: Apache-2.0
// `chartwright why`: why a custom resource is not ready, from it down to the cause, or where the
// value of a field comes from.
#include <algorithm>

#include "console/commands.h"
#include "console/field_reader.h"
#include "console/output.h"
#include "console/wanted.h"
#include "console/why_reader.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

class WhyCommand final : public Command {
 public:
  std::string_view name() const override { return "why"; }
  std::string_view summary() const override {
    return "Say why a custom resource is not ready, or where the value of a field comes from";
  }
  void declare(FlagSet& flags) override {
    declare_place_flags(flags, place_);
    declare_output_flag(flags, output_);
    flags.text(chart_, {.name = "chart",
                        .help = "for a field: the chart with its dependencies, in place of the "
                                "part of it that the record has",
                        .takes = kTakesFile});
    flags.arguments(arguments_, "KIND/NAME|KIND NAME|KIND/NAME FIELD",
                    "the custom resources; or one, and a field: spec.PATH, or KIND/NAME:PATH of a "
                    "child",
                    kTakesCustomResources);
  }
  base::Result<int> run(Streams& streams) override {
    CW_TRY_VOID(check_output(output_));
    if (const auto field = std::ranges::find_if(arguments_, origin::is_question);
        field != arguments_.end()) {
      return run_for_field(*field, streams);
    }
    if (!chart_.empty()) {
      return Error(ErrorCode::kInvalidArgument, "--chart has no use without a field");
    }
    CW_TRY(const auto connection, Connection::open(place_));
    CW_TRY(const NamedObjects named, read_named(arguments_, *connection, streams));
    std::vector<WhyReport> reports;
    for (const Value& cr : named.objects) {
      reports.push_back(read_why(cr, *connection));
    }
    CW_TRY_VOID(print(reports, connection->clock().wall(), streams));
    return named.exit_code;
  }

 private:
  base::Result<int> run_for_field(const std::string& field, Streams& streams) {
    if (arguments_.size() != 2 || &field != &arguments_.back()) {
      return Error(ErrorCode::kInvalidArgument,
                   "a field is asked for one custom resource: KIND/NAME FIELD");
    }
    CW_TRY(const origin::Question question, origin::parse_question(field));
    CW_TRY(const auto connection, Connection::open(place_));
    CW_TRY(const NamedObjects named, read_named({arguments_.front()}, *connection, streams));
    if (named.objects.size() != 1) {
      return named.objects.empty() ? base::Result<int>(named.exit_code)
                                   : Error(ErrorCode::kInvalidArgument,
                                           "a field is asked for one custom resource: KIND/NAME");
    }
    CW_TRY(const origin::FieldAnswer answer,
           read_field(named.objects.front(), question, chart_, *connection));
    if (!output_.is_document()) {
      streams.tell(origin::text_of(answer));
      return kExitOk;
    }
    CW_TRY_VOID(print_items({origin::to_value(answer)}, output_, streams));
    return kExitOk;
  }
  base::Status print(const std::vector<WhyReport>& reports, base::WallTime now,
                     Streams& streams) const {
    if (!output_.is_document()) {
      for (const WhyReport& report : reports) {
        streams.tell((&report == &reports.front() ? "" : "\n") + text_of(report, now));
      }
      return {};
    }
    std::vector<Value> items;
    std::ranges::transform(reports, std::back_inserter(items),
                           [](const WhyReport& report) { return to_value(report); });
    return print_items(std::move(items), output_, streams);
  }

  PlaceFlags place_;
  std::vector<std::string> arguments_;
  std::string chart_;
  OutputFlag output_{{"text", "json", "yaml"}, "text, json or yaml"};
};

}  // namespace

std::unique_ptr<Command> make_why_command() { return std::make_unique<WhyCommand>(); }

}  // namespace chartwright::cmd
