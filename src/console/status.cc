// SPDX-License-Identifier: Apache-2.0
// `chartwright status`: the state of a custom resource on one page.
#include <algorithm>
#include <string>
#include <vector>

#include "console/commands.h"
#include "console/output.h"
#include "console/tree_reader.h"
#include "console/wanted.h"
#include "report/status_page.h"

namespace chartwright::cmd {
namespace {

using value::Value;

/// The exit code where nothing failed, but one is not ready.
constexpr int kExitNotReady = 3;
constexpr int64_t kEventsMax = 500;
const kube::Gvk kEventKind{"", "v1", "Event"};

class StatusCommand final : public Command {
 public:
  std::string_view name() const override { return "status"; }
  std::string_view summary() const override {
    return "Show the state of a custom resource on one page";
  }
  void declare(FlagSet& flags) override {
    declare_place_flags(flags, place_);
    flags.boolean(all_, {"verbose", 'v', "all conditions, children, revisions and Events"});
    declare_output_flag(flags, output_);
    flags.arguments(arguments_, "KIND/NAME|KIND NAME", "the custom resources",
                    kTakesCustomResources);
  }
  base::Result<int> run(Streams& streams) override {
    CW_TRY_VOID(check_output(output_));
    CW_TRY(const auto connection, Connection::open(place_));
    CW_TRY(const NamedObjects named, read_named(arguments_, *connection, streams));
    std::vector<StatusPage> pages;
    for (const Value& cr : named.objects) {
      pages.push_back(page_of(cr));
      pages.back().events = events_about(cr, *connection, streams);
    }
    CW_TRY_VOID(print(pages, connection->clock().wall(), streams));
    const bool all_ready = std::ranges::all_of(
        pages, [](const StatusPage& page) { return page.summary.ready == "True"; });
    return named.exit_code == kExitOk && !all_ready ? kExitNotReady : named.exit_code;
  }

 private:
  /// Returns the Events about a custom resource itself, the oldest first.
  static std::vector<EventLine> events_about(const Value& cr, Connection& connection,
                                             const Streams& streams) {
    kube::ListOptions options;
    const std::string ns(kube::namespace_of(cr));
    // The Events of what is in no namespace are in this one.
    options.selection = {ns.empty() ? "default" : ns, "",
                         "involvedObject.uid=" + std::string(kube::uid_of(cr))};
    options.limit = kEventsMax;
    const auto page = connection.client().list(kEventKind, options, connection.call());
    std::vector<EventLine> lines;
    if (!page.ok()) {
      print_gaps(kube::ref_of(cr), {list_gap(kEventKind, options.selection.ns, page.error())},
                 streams);
      return lines;
    }
    std::ranges::transform(page->items, std::back_inserter(lines), event_line_of);
    std::ranges::stable_sort(lines, {}, &EventLine::time);
    return lines;
  }
  base::Status print(const std::vector<StatusPage>& pages, base::WallTime now,
                     Streams& streams) const {
    if (!output_.is_document()) {
      for (const StatusPage& page : pages) {
        streams.tell((&page == &pages.front() ? "" : "\n") +
                     text_of(page, all_ ? Detail::kAll : Detail::kNotable, now));
      }
      return {};
    }
    std::vector<Value> items;
    std::ranges::transform(pages, std::back_inserter(items),
                           [](const StatusPage& page) { return to_value(page); });
    return print_items(std::move(items), output_, streams);
  }

  PlaceFlags place_;
  std::vector<std::string> arguments_;
  bool all_ = false;
  OutputFlag output_{{"text", "json", "yaml"}, "text, json or yaml"};
};

}  // namespace

std::unique_ptr<Command> make_status_command() { return std::make_unique<StatusCommand>(); }

}  // namespace chartwright::cmd
