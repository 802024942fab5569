// SPDX-License-Identifier: Apache-2.0
// `chartwright why`: why a custom resource is not ready, from it down to the cause.
#include <algorithm>

#include "console/commands.h"
#include "console/output.h"
#include "console/wanted.h"
#include "console/why_reader.h"

namespace chartwright::cmd {
namespace {

using value::Value;

class WhyCommand final : public Command {
 public:
  std::string_view name() const override { return "why"; }
  std::string_view summary() const override {
    return "Say why a custom resource is not ready, down to the pod, its events, and what to do";
  }
  void declare(FlagSet& flags) override {
    declare_place_flags(flags, place_);
    declare_output_flag(flags, output_);
    flags.arguments(arguments_, "KIND/NAME|KIND NAME", "the custom resources",
                    kTakesCustomResources);
  }
  base::Result<int> run(Streams& streams) override {
    CW_TRY_VOID(check_output(output_));
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
  OutputFlag output_{{"text", "json", "yaml"}, "text, json or yaml"};
};

}  // namespace

std::unique_ptr<Command> make_why_command() { return std::make_unique<WhyCommand>(); }

}  // namespace chartwright::cmd
