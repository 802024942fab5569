// SPDX-License-Identifier: Apache-2.0
// `chartwright logs`: the log of the pod that holds up a custom resource.
#include "base/strings.h"
#include "console/commands.h"
#include "console/pod_log.h"
#include "console/tree_reader.h"
#include "console/wanted.h"
#include "console/why_reader.h"
#include "report/pod_choice.h"
#include "report/summary.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

constexpr int64_t kLinesMax = 10'000;
/// The API server cuts a longer log.
constexpr int64_t kLogBytesMax = int64_t{4} << 20;
constexpr size_t kNamedPodsMax = 5;

/// The pods of a custom resource whose logs may say something, the worst first.
struct Candidates {
  std::vector<kube::ObjectRef> pods;
  std::vector<std::string> gaps;
};

/// Returns the pods in the tree, those that are not ready first.
Candidates pods_in(const TreeReport& report) {
  Candidates found;
  found.gaps = report.gaps;
  for (const bool ready : {false, true}) {
    for (const TreeNode& node : report.tree.nodes()) {
      const bool is_pod = node.ref.group_kind() == kube::GroupKind{"", "Pod"} &&
                          node.relation != Relation::kPatched && !node.uid.empty();
      if (is_pod && (node.state == "Ready") == ready) {
        found.pods.push_back(node.ref);
      }
    }
  }
  return found;
}

Candidates candidates_of(const Value& cr, Connection& connection) {
  const WhyReport report = read_why(cr, connection);
  Candidates found{failing_pods(report), {}};
  for (const ChildReport& child : report.children) {
    for (const std::string& gap : child.finding.gaps) {
      add_gap(found.gaps, gap);
    }
  }
  return found.pods.empty() ? pods_in(read_tree(cr, connection)) : found;
}

class LogsCommand final : public Command {
 public:
  std::string_view name() const override { return "logs"; }
  std::string_view summary() const override {
    return "Print the log of the pod that holds up a custom resource";
  }
  void declare(FlagSet& flags) override {
    declare_place_flags(flags, place_);
    flags.text(container_, {.name = "container",
                            .letter = 'c',
                            .help = "the container",
                            .default_text = "the one that fails"});
    flags.boolean(previous_, {"previous", 'p', "the run of the container before the last restart"});
    flags.integer(lines_, {"tail", '\0', "the number of lines: the last ones, at most 10000"});
    flags.arguments(arguments_, "KIND/NAME|KIND NAME", "the custom resource",
                    kTakesCustomResources);
  }
  base::Result<int> run(Streams& streams) override {
    if (lines_ < 1 || lines_ > kLinesMax) {
      return Error(ErrorCode::kInvalidArgument,
                   "--tail: the number has to be from 1 to " + std::to_string(kLinesMax));
    }
    CW_TRY(const auto connection, Connection::open(place_));
    CW_TRY(const auto refs, named_objects(arguments_, *connection));
    if (refs.size() > 1) {
      return Error(ErrorCode::kInvalidArgument, "name one custom resource: KIND/NAME");
    }
    CW_TRY(const Value cr, connection->client().get(refs.front(), connection->call()));
    const Candidates found = candidates_of(cr, *connection);
    print_gaps(refs.front(), found.gaps, streams);
    if (found.pods.empty()) {
      return Error(ErrorCode::kNotFound, name_text(refs.front()) + " has no pods");
    }
    CW_TRY_VOID(print_log(found.pods.front(), *connection, streams));
    tell_others(found.pods, streams);
    return kExitOk;
  }

 private:
  base::Status print_log(const kube::ObjectRef& ref, Connection& connection,
                         Streams& streams) const {
    CW_TRY(const Value pod, connection.client().get(ref, connection.call()));
    if (!container_.empty()) {
      CW_TRY_VOID(check_container(pod, container_));
    }
    const LogQuery query{container_.empty() ? container_to_read(pod) : container_, lines_,
                         kLogBytesMax, previous_};
    streams.err(ref.to_string() + ", container " + query.container +
                (previous_ ? ", the run before the last restart" : "") + ":\n");
    CW_TRY(const std::string log, read_log(ref, query, connection));
    streams.tell(log);
    if (log.size() >= static_cast<size_t>(kLogBytesMax)) {
      streams.err("The log was cut after " + std::to_string(kLogBytesMax) + " bytes.\n");
    }
    return {};
  }

  static void tell_others(const std::vector<kube::ObjectRef>& pods, Streams& streams) {
    std::vector<std::string> names;
    for (size_t i = 1; i < pods.size() && names.size() < kNamedPodsMax; ++i) {
      names.push_back(pods[i].name);
    }
    if (!names.empty()) {
      const size_t more = pods.size() - 1 - names.size();
      streams.err("Other pods: " + base::join(names, ", ") +
                  (more > 0 ? " and " + std::to_string(more) + " more" : "") + "\n");
    }
  }

  PlaceFlags place_;
  std::vector<std::string> arguments_;
  std::string container_;
  bool previous_ = false;
  int64_t lines_ = 100;
};

}  // namespace

std::unique_ptr<Command> make_logs_command() { return std::make_unique<LogsCommand>(); }

}  // namespace chartwright::cmd
