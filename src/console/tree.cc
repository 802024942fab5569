// SPDX-License-Identifier: Apache-2.0
// `chartwright tree`: a custom resource with its children, and what these own.
#include <algorithm>

#include "base/strings.h"
#include "cli/environment.h"
#include "console/commands.h"
#include "console/output.h"
#include "console/tree_reader.h"
#include "console/wanted.h"

namespace chartwright::cmd {
namespace {

using value::Value;

/// Returns the lines that the terminal can show, by the locale of the environment.
TreeLines lines_of_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string locale = base::to_lower_ascii(environment(name).value_or(""));
    if (!locale.empty()) {
      const bool is_utf8 =
          locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
      return is_utf8 ? TreeLines::kUnicode : TreeLines::kAscii;
    }
  }
  return TreeLines::kAscii;
}

class TreeCommand final : public Command {
 public:
  std::string_view name() const override { return "tree"; }
  std::string_view summary() const override {
    return "Show a custom resource with its children, and what these own";
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
    std::vector<TreeReport> reports;
    for (const Value& cr : named.objects) {
      reports.push_back(read_tree(cr, *connection));
    }
    CW_TRY_VOID(print(reports, connection->clock().wall(), streams));
    return named.exit_code;
  }

 private:
  base::Status print(const std::vector<TreeReport>& reports, base::WallTime now,
                     Streams& streams) const {
    if (output_.is_document()) {
      std::vector<Value> items;
      std::ranges::transform(reports, std::back_inserter(items),
                             [](const TreeReport& report) { return to_value(report); });
      return print_items(std::move(items), output_, streams);
    }
    if (output_.word == "name") {
      for (const TreeReport& report : reports) {
        streams.tell(names_of(report));
      }
    } else if (!reports.empty()) {
      streams.tell(table_of(reports, {now, lines_of_locale(), output_.word == "wide"}));
    }
    for (const TreeReport& report : reports) {
      print_gaps(report.tree.nodes().front().ref, report.gaps, streams);
    }
    return {};
  }

  PlaceFlags place_;
  std::vector<std::string> arguments_;
  OutputFlag output_{{"table", "wide", "json", "yaml", "name"},
                     "table, wide (whole messages), json, yaml or name"};
};

}  // namespace

std::unique_ptr<Command> make_tree_command() { return std::make_unique<TreeCommand>(); }

}  // namespace chartwright::cmd
