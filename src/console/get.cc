// SPDX-License-Identifier: Apache-2.0
// `chartwright get`: custom resources with what is wrong with them.
#include <algorithm>

#include "base/mutex.h"
#include "base/thread.h"
#include "console/commands.h"
#include "console/connection.h"
#include "console/object_watch.h"
#include "console/output.h"
#include "console/wanted.h"
#include "report/get_lines.h"
#include "report/summary.h"
#include "report/table.h"
#include "value/json.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

/// Each has a thread.
constexpr size_t kWatchesMax = 100;

bool comes_before(const Summary& a, const Summary& b) {
  const auto key = [](const Summary& one) {
    return std::tie(one.ref.ns, one.ref.gvk.kind, one.ref.gvk.group, one.ref.name);
  };
  return key(a) < key(b);
}

class GetCommand final : public Command {
 public:
  std::string_view name() const override { return "get"; }
  std::string_view summary() const override {
    return "List custom resources, and what is wrong with each";
  }
  void declare(FlagSet& flags) override {
    declare_place_flags(flags, place_);
    flags.text(selector_, {"selector", 'l', "list only what has these labels, such as app=shop"});
    flags.boolean(problem_, {"problem", '\0', "list only what has a problem"});
    flags.boolean(watch_, {"watch", 'w', "go on with a line for each change"});
    declare_output_flag(flags, output_);
    flags.arguments(arguments_, "KIND NAME|KIND/NAME",
                    "a kind, and names of custom resources; default: all kinds in the category "
                    "chartwright",
                    kTakesCustomResources);
  }
  base::Result<int> run(Streams& streams) override {
    CW_TRY_VOID(check_output(output_));
    if (watch_ && (output_.word == "yaml" || output_.word == "name")) {
      return Error(ErrorCode::kInvalidArgument, "--watch: takes -o table, wide or json");
    }
    CW_TRY(const auto connection, Connection::open(place_));
    CW_TRY(const auto served, served_kinds(connection->transport(), connection->call()));
    CW_TRY(const auto wanted, wanted_of(served, arguments_));
    CW_TRY_VOID(check_names(wanted, connection->ns()));
    if (wanted.empty()) {
      streams.err("No kind of this cluster is in the category chartwright.\n");
      return kExitOk;
    }
    form_ = {output_.word == "wide", wanted.size() > 1, connection->ns().empty()};
    bool complete = true;
    for (const Wanted& one : wanted) {
      complete = collect(one, *connection, streams) && complete;
    }
    std::ranges::sort(found_, comes_before);
    if (watch_) {
      return watch(*connection, streams);
    }
    CW_TRY_VOID(print(*connection, streams));
    return complete ? kExitOk : kExitError;
  }

 private:
  base::Status check_names(const std::vector<Wanted>& wanted, const std::string& ns) const {
    for (const Wanted& one : wanted) {
      if (!one.names.empty() && !selector_.empty()) {
        return Error(ErrorCode::kInvalidArgument, "--selector cannot be used beside names");
      }
      if (!one.names.empty()) {
        CW_TRY_VOID(check_namespace(one.kind, ns));
      }
    }
    return {};
  }
  /// Adds what there is of a kind. Reports whether it could be read, and tells why not.
  bool collect(const Wanted& wanted, Connection& connection, Streams& streams) {
    const kube::ResourceMapping& mapping = wanted.kind.mapping;
    const std::string ns = mapping.scope == kube::Scope::kCluster ? "" : connection.ns();
    if (wanted.names.empty()) {
      ObjectWatch watch(mapping.gvk, {ns, selector_, ""});
      const base::Status listed =
          watch.list(connection.client(), connection.call(),
                     {[this](const Value& object) { add(object); }, [](const kube::ObjectRef&) {}});
      if (!listed.ok()) {
        print_error(listed.error(), streams);
        return false;
      }
      watches_.push_back(std::move(watch));
      return true;
    }
    bool complete = true;
    for (const std::string& name : wanted.names) {
      auto object = connection.client().get({mapping.gvk, ns, name}, connection.call());
      if (object.ok()) {
        add(*object);
        watches_.emplace_back(mapping.gvk, kube::Selection{ns, "", "metadata.name=" + name});
        watches_.back().begin_with(*object);
      } else {
        print_error(object.error(), streams);
        complete = false;
      }
    }
    return complete;
  }
  void add(const Value& object) {
    Summary summary = summary_of(object);
    if (!problem_ || summary.problem) {
      found_.push_back(std::move(summary));
    }
  }

  base::Status print(Connection& connection, Streams& streams) const {
    if (output_.is_document()) {
      std::vector<Value> items;
      std::ranges::transform(found_, std::back_inserter(items),
                             [](const Summary& summary) { return to_value(summary); });
      return print_items(std::move(items), output_, streams);
    }
    if (output_.word == "name") {
      for (const Summary& one : found_) {
        streams.tell(name_text(one.ref) + "\n");
      }
    } else if (found_.empty()) {
      streams.err(std::string("No custom resources ") + (problem_ ? "with a problem " : "") +
                  "found" + (connection.ns().empty() ? "" : " in namespace " + connection.ns()) +
                  ".\n");
    } else {
      Table table(get_header(form_));
      print_rows(found_, table, connection, streams);
    }
    return {};
  }
  void print_rows(const std::vector<Summary>& summaries, Table& table, Connection& connection,
                  Streams& streams) const {
    const base::WallTime now = connection.clock().wall();
    for (const Summary& one : summaries) {
      table.add(get_row(one, form_, now));
    }
    streams.tell(table.take());
  }

  /// Prints what there is, then a line for each change. Returns once nothing can be followed.
  base::Result<int> watch(Connection& connection, Streams& streams) {
    if (watches_.empty()) {
      return kExitError;  // It is told why.
    }
    if (watches_.size() > kWatchesMax) {
      return Error(ErrorCode::kInvalidArgument,
                   "--watch: follows at most " + std::to_string(kWatchesMax) + " kinds or names");
    }
    ShownLines shown(output_.is_document() ? std::nullopt : std::optional(form_),
                     problem_ ? ShownLines::Of::kProblems : ShownLines::Of::kAll);
    for (const Summary& one : found_) {
      shown.is_news(one);
    }
    Table table(get_header(form_));
    print_lines(found_, table, connection, streams);
    base::Mutex mutex;  // Guards what the sink works with, and the streams.
    ObjectWatch::Sink sink;
    sink.seen = [&](const Value& object) {
      const Summary summary = summary_of(object);
      const base::MutexLock lock(mutex);
      if (shown.is_news(summary)) {
        print_lines({summary}, table, connection, streams);
      }
    };
    sink.gone = [&](const kube::ObjectRef& ref) {
      const base::MutexLock lock(mutex);
      if (auto summary = shown.take_deleted(ref)) {
        print_lines({*std::move(summary)}, table, connection, streams);
      }
    };
    follow_all(connection, sink, [&](const Error& error) {
      const base::MutexLock lock(mutex);
      print_error(error, streams);
    });
    return kExitError;
  }
  void follow_all(Connection& connection, const ObjectWatch::Sink& sink,
                  const std::function<void(const Error& error)>& tell) {
    std::vector<base::Thread> threads;
    for (ObjectWatch& watch : watches_) {
      threads.emplace_back("get", base::kDefaultStackBytes, [&watch, &connection, &sink, &tell] {
        tell(watch.follow(connection, sink));
      });
    }
    for (base::Thread& thread : threads) {
      thread.join();
    }
  }
  void print_lines(const std::vector<Summary>& summaries, Table& table, Connection& connection,
                   Streams& streams) const {
    if (!output_.is_document()) {
      print_rows(summaries, table, connection, streams);
      return;
    }
    for (const Summary& one : summaries) {
      if (const auto text = value::to_json(to_value(one), value::JsonEscape::kNone); text.ok()) {
        streams.out(*text + "\n");
      }
    }
  }

  PlaceFlags place_;
  std::vector<std::string> arguments_;
  std::string selector_;
  bool problem_ = false;
  bool watch_ = false;
  OutputFlag output_{{"table", "wide", "json", "yaml", "name"},
                     "table, wide (whole messages), json, yaml or name"};
  GetTable form_;
  std::vector<Summary> found_;
  std::vector<ObjectWatch> watches_;
};

}  // namespace

std::unique_ptr<Command> make_get_command() { return std::make_unique<GetCommand>(); }

}  // namespace chartwright::cmd
