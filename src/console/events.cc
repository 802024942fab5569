// SPDX-License-Identifier: Apache-2.0
// `chartwright events`: what happened to a custom resource, its children and their pods.
#include <algorithm>

#include "base/thread.h"
#include "console/commands.h"
#include "console/event_search.h"
#include "console/output.h"
#include "console/tree_reader.h"
#include "console/wanted.h"
#include "report/table.h"
#include "value/json.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

class EventsCommand final : public Command {
 public:
  std::string_view name() const override { return "events"; }
  std::string_view summary() const override {
    return "List the Events about a custom resource, its children and their pods";
  }
  void declare(FlagSet& flags) override {
    declare_place_flags(flags, place_);
    flags.boolean(watch_, {"watch", 'w', "go on with those that come"});
    declare_output_flag(flags, output_);
    flags.arguments(arguments_, "KIND/NAME|KIND NAME", "the custom resources",
                    kTakesCustomResources);
  }
  base::Result<int> run(Streams& streams) override {
    CW_TRY_VOID(check_output(output_));
    if (watch_ && output_.word == "yaml") {
      return Error(ErrorCode::kInvalidArgument, "--watch: takes -o table, wide or json");
    }
    CW_TRY(const auto connection, Connection::open(place_));
    CW_TRY(const NamedObjects named, read_named(arguments_, *connection, streams));
    if (named.objects.empty()) {
      return named.exit_code;
    }
    std::vector<TreeReport> trees;
    for (const Value& cr : named.objects) {
      trees.push_back(read_tree(cr, *connection));
    }
    EventSearch search(std::move(trees), *connection);
    const std::vector<EventLine> lines = search.list();
    Table table(event_header(output_.word == "wide"));
    CW_TRY_VOID(print_first(lines, table, streams));
    for (const std::string& gap : search.gaps()) {
      streams.err(gap + "\n");
    }
    return watch_ ? follow(search, table, streams) : named.exit_code;
  }

 private:
  base::Status print_first(const std::vector<EventLine>& lines, Table& table,
                           Streams& streams) const {
    if (!output_.is_document()) {
      if (lines.empty() && !watch_) {
        streams.err("No Events found.\n");
      } else {
        print_rows(lines, table, streams);
      }
      return {};
    }
    if (watch_) {
      for (const EventLine& line : lines) {
        print_json(line, streams);
      }
      return {};
    }
    std::vector<Value> items;
    std::ranges::transform(lines, std::back_inserter(items),
                           [](const EventLine& line) { return to_value(line); });
    return print_items(std::move(items), output_, streams);
  }

  void print_rows(const std::vector<EventLine>& lines, Table& table, Streams& streams) const {
    for (const EventLine& line : lines) {
      table.add(event_row(line, output_.word == "wide"));
    }
    streams.tell(table.take());
  }
  static void print_json(const EventLine& line, Streams& streams) {
    if (const auto text = value::to_json(to_value(line), value::JsonEscape::kNone); text.ok()) {
      streams.out(*text + "\n");
    }
  }

  /// Returns once no namespace can be followed any more.
  int follow(EventSearch& search, Table& table, Streams& streams) const {
    base::Mutex mutex;
    const auto print = [&](const EventLine& line) {
      if (output_.is_document()) {
        print_json(line, streams);
      } else {
        print_rows({line}, table, streams);
      }
    };
    std::vector<base::Thread> threads;
    for (const std::string& ns : search.namespaces()) {
      threads.emplace_back("events", base::kDefaultStackBytes,
                           [&search, &print, &mutex, &streams, ns] {
                             const Error error = search.follow(ns, print);
                             const base::MutexLock lock(mutex);
                             print_error(error, streams);
                           });
    }
    for (base::Thread& thread : threads) {
      thread.join();
    }
    return kExitError;
  }

  PlaceFlags place_;
  std::vector<std::string> arguments_;
  bool watch_ = false;
  OutputFlag output_{{"table", "wide", "json", "yaml"},
                     "table, wide (namespaces and sources, too), json or yaml"};
};

}  // namespace

std::unique_ptr<Command> make_events_command() { return std::make_unique<EventsCommand>(); }

}  // namespace chartwright::cmd
