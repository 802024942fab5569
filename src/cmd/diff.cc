// SPDX-License-Identifier: Apache-2.0
// `chartwright diff`: what a reconcile would do, or how two revisions differ.
#include <algorithm>
#include <memory>

#include "base/strings.h"
#include "bundle/watches.h"
#include "cli/environment.h"
#include "cmd/commands.h"
#include "console/wanted.h"
#include "diff/fleet.h"
#include "diff/print.h"
#include "diff/revisions.h"
#include "diff/structured.h"
#include "host/remote_schemas.h"
#include "project/cluster.h"
#include "project/diff_target.h"
#include "project/differ.h"
#include "project/project.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;

// The exit codes are those of kubectl diff.
constexpr int kExitDifferences = 1;
constexpr int kExitDiffError = 2;

struct DiffFlags {
  std::vector<std::string> arguments;
  std::string file;
  std::string chart;
  std::string revision;
  std::string watches_file = "./watches.yaml";
  std::string output = "text";
  std::string color = "auto";
  bool all = false;
  bool summary = false;
  DiffPlace place;
};

base::Result<std::vector<DiffTarget>> targets_of(const DiffFlags& flags, Streams& streams) {
  if (flags.file.empty()) {
    return targets_of_arguments(flags.arguments);
  }
  if (!flags.arguments.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 "give KIND/NAME or -f, not both: the file names the custom resource");
  }
  CW_TRY(DiffTarget target, target_of_file(flags.file, streams));
  return std::vector<DiffTarget>{std::move(target)};
}

base::Status use_chart(const std::string& path, const helm::SchemaSources& network,
                       bundle::Watch& watch) {
  if (path.empty()) {
    return {};
  }
  const bool loads = watch.remote_schemas == bundle::RemoteSchemas::kNetwork;
  watch.chart_path = path;
  auto loaded = bundle::load_bundle(path, watch.bundle.chart->profile(),
                                    loads ? network : helm::SchemaSources());
  if (!loaded.ok()) {
    return loaded.error().pos() ? std::move(loaded).error()
                                : std::move(loaded).error().wrap("--chart " + path);
  }
  watch.bundle = *std::move(loaded);
  return {};
}

base::Status check_flags(const DiffFlags& flags) {
  const auto one_of = [](const std::string& name, const std::string& given,
                         const std::vector<std::string>& words) -> base::Status {
    if (std::ranges::find(words, given) != words.end()) {
      return {};
    }
    return Error(ErrorCode::kInvalidArgument,
                 "--" + name + ": \"" + given + "\" is not one of " + base::join(words, ", "));
  };
  CW_TRY_VOID(one_of("output", flags.output, {"text", "json", "structured"}));
  CW_TRY_VOID(one_of("color", flags.color, {"auto", "always", "never"}));
  if (flags.summary && flags.output != "text") {
    return Error(ErrorCode::kInvalidArgument,
                 "--summary is a text: with --output " + flags.output + " it has no use");
  }
  if (flags.revision.empty()) {
    return {};
  }
  if (!flags.file.empty() || !flags.chart.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 "--revision compares two records: -f and --chart have no use with it");
  }
  CW_TRY_DISCARD(diff::parse_revisions(flags.revision));
  return {};
}

/// Refuses flags that the targets have no use for.
base::Status check_targets(const DiffFlags& flags, const std::vector<DiffTarget>& targets) {
  const bool has_name =
      std::ranges::any_of(targets, [](const DiffTarget& one) { return !one.name.empty(); });
  if (has_name && (flags.place.all_namespaces || !flags.place.selector.empty())) {
    return Error(ErrorCode::kInvalidArgument,
                 "--all-namespaces and --selector are for all of a kind, and not for a name");
  }
  if (!flags.revision.empty() && (targets.size() > 1 || !has_name)) {
    return Error(ErrorCode::kInvalidArgument, "--revision is for one custom resource: KIND/NAME");
  }
  return {};
}

base::Result<diff::Report> compare_revisions(const DiffFlags& flags, const DiffTarget& target,
                                             const bundle::Watch& watch, Cluster& cluster) {
  CW_TRY(const diff::RevisionRange range, diff::parse_revisions(flags.revision));
  CW_TRY(const kube::ObjectRef ref, ref_of(target, watch, flags.place, cluster));
  const release::Owner owner{ref.gvk, ref.ns, ref.name, "",
                             release_namespace(flags.place.ns, flags.place.cluster)};
  CW_TRY(const auto both, diff::load_revisions(cluster.client(), cluster.call(), owner, range));
  return diff::compare_revisions(both.first, both.second);
}

/// The result of a run: a report of the one custom resource that was asked for, or of several.
struct Found {
  bool is_one = false;
  std::vector<diff::Member> fleet;
};

/// Looks at custom resources, of which the watches must outlive it.
class Run {
 public:
  Run(const DiffFlags& flags, const std::vector<bundle::Watch>& watches, Cluster& cluster)
      : flags_(flags), watches_(watches), cluster_(cluster) {}

  base::Result<Found> look(const std::vector<DiffTarget>& targets) const;

 private:
  base::Result<diff::Report> look_at(const DiffTarget& target, const bundle::Watch& watch) const;
  base::Status add(const DiffTarget& target, const bundle::Watch& watch, Found& found) const;

  const DiffFlags& flags_;
  const std::vector<bundle::Watch>& watches_;
  Cluster& cluster_;
};

base::Result<diff::Report> Run::look_at(const DiffTarget& target,
                                        const bundle::Watch& watch) const {
  if (!flags_.revision.empty()) {
    return compare_revisions(flags_, target, watch, cluster_);
  }
  CW_TRY(const auto differ, Differ::make(flags_.place, watch, cluster_));
  return differ->plan_one(target, flags_.file);
}

base::Status Run::add(const DiffTarget& target, const bundle::Watch& watch, Found& found) const {
  std::vector<diff::Member> members;
  if (target.name.empty()) {
    CW_TRY(const auto differ, Differ::make(flags_.place, watch, cluster_));
    CW_TRY(members, differ->plan_all());
  } else {
    auto report = look_at(target, watch);
    if (!report.ok() && found.is_one) {
      return std::move(report).error();
    }
    CW_TRY(const kube::ObjectRef ref, ref_of(target, watch, flags_.place, cluster_));
    diff::Member& member = members.emplace_back(diff::Member{ref, {}});
    if (report.ok()) {
      member.report = *std::move(report);
    } else {
      member.report.failure = std::move(report).error();
    }
  }
  for (diff::Member& member : members) {
    diff::hide_overrides(member.report, bundle::OverrideMask(watch.override_values));
    found.fleet.push_back(std::move(member));
  }
  return {};
}

base::Result<Found> Run::look(const std::vector<DiffTarget>& targets) const {
  CW_TRY_VOID(cluster_.check_reachable());
  Found found;
  found.is_one = targets.size() == 1 && !targets.front().name.empty() && !flags_.summary;
  for (const DiffTarget& target : targets) {
    CW_TRY(const bundle::Watch* watch, watch_of(target, watches_, flags_.watches_file));
    CW_TRY_VOID(add(target, *watch, found));
  }
  return found;
}

/// Checks that each target has a watch, and gives the chart to the one that it is for.
base::Status prepare(const DiffFlags& flags, const std::vector<DiffTarget>& targets,
                     const helm::SchemaSources& network, std::vector<bundle::Watch>& watches) {
  CW_TRY(const bundle::Watch* first, watch_of(targets.front(), watches, flags.watches_file));
  for (const DiffTarget& target : targets) {
    CW_TRY(const bundle::Watch* watch, watch_of(target, watches, flags.watches_file));
    if (watch != first && !flags.chart.empty()) {
      return Error(ErrorCode::kInvalidArgument, "--chart is for one kind");
    }
  }
  return use_chart(flags.chart, network, watches[static_cast<size_t>(first - watches.data())]);
}

base::Result<Found> look(const DiffFlags& flags, Streams& streams) {
  CW_TRY_VOID(check_flags(flags));
  CW_TRY(const auto targets, targets_of(flags, streams));
  CW_TRY_VOID(check_targets(flags, targets));
  base::SystemClock clock;
  const auto network = std::make_shared<host::RemoteSchemas>(clock, ca_file_of_environment());
  bundle::WatchesOptions loading;
  loading.network = network;
  loading.on_unknown_key = [&streams](const Error& error) {
    streams.err("WARNING: " + error.to_string() + "\n");
  };
  CW_TRY(std::vector<bundle::Watch> watches,
         bundle::load_watches(flags.watches_file, clock, environment, loading));
  helm::SchemaSources elsewhere;
  elsewhere.elsewhere = network;
  CW_TRY_VOID(prepare(flags, targets, elsewhere, watches));
  CW_TRY(const auto cluster, Cluster::open(flags.place.cluster));
  return Run(flags, watches, *cluster).look(targets);
}

diff::Color color_of(const DiffFlags& flags, const Streams& streams) {
  const bool wanted = flags.color == "auto"
                          ? streams.out_is_terminal && environment("NO_COLOR").value_or("").empty()
                          : flags.color == "always";
  return wanted ? diff::Color::kYes : diff::Color::kNo;
}

class DiffCommand final : public Command {
 public:
  std::string_view name() const override { return "diff"; }
  std::string_view summary() const override {
    return "Show what the operator would change, without changing anything";
  }
  int error_exit_code() const override { return kExitDiffError; }
  void declare(FlagSet& flags) override;
  base::Result<int> run(Streams& streams) override;

 private:
  base::Result<std::string> shown(const Found& found, const Streams& streams) const;

  DiffFlags flags_;
};

void DiffCommand::declare(FlagSet& flags) {
  flags.text(flags_.place.ns, {.name = "namespace",
                               .letter = 'n',
                               .help = "namespace of the custom resource; if that is "
                                       "cluster-scoped, of the operator",
                               .takes = {.live = Takes::Live::kNamespaces}});
  flags.boolean(flags_.place.all_namespaces,
                {"all-namespaces", 'A', "with a kind alone: look at all namespaces"});
  flags.text(flags_.place.selector,
             {"selector", 'l', "with a kind alone: only those with these labels, as app=shop"});
  flags.text(flags_.file,
             {"filename", 'f', "file with the custom resource as it is to be; -: standard input",
              kTakesFile});
  flags.text(flags_.chart,
             {"chart", '\0', "chart to use in place of that of the watches file", kTakesFile});
  flags.text(flags_.revision,
             {"revision", '\0', "compare two recorded revisions instead, such as 3..4"});
  flags.text(flags_.watches_file, {"watches-file", '\0', "path of the watches file", kTakesFile});
  flags.boolean(flags_.summary, {"summary", '\0',
                                 "show each change once, with the custom resources that it is of"});
  flags.boolean(flags_.all, {"all", '\0', "also list the objects that stay as they are"});
  flags.text(flags_.output, {"output",
                             'o',
                             "text, json, or structured, the JSON of helm-diff",
                             {.words = {"text", "json", "structured"}}});
  flags.text(flags_.color, {"color",
                            '\0',
                            "auto, always or never; auto: on a terminal, unless $NO_COLOR is set",
                            {.words = {"auto", "always", "never"}}});
  declare_cluster_flags(flags, flags_.place.cluster);
  flags.arguments(flags_.arguments, "KIND|KIND/NAME",
                  "custom resources, or a kind for all of it in the namespace",
                  kTakesCustomResources);
}

base::Result<std::string> DiffCommand::shown(const Found& found, const Streams& streams) const {
  const auto unchanged = flags_.all ? diff::Unchanged::kShown : diff::Unchanged::kHidden;
  const diff::Color color = color_of(flags_, streams);
  if (flags_.output == "structured") {
    return diff::to_structured(found.fleet);
  }
  if (found.is_one) {
    const diff::Report& report = found.fleet.front().report;
    return flags_.output == "json" ? diff::to_json(report)
                                   : diff::to_text(report, color, unchanged);
  }
  if (flags_.output == "json") {
    return diff::to_json(found.fleet);
  }
  return flags_.summary ? diff::to_summary(found.fleet, color)
                        : diff::to_text(found.fleet, color, unchanged);
}

base::Result<int> DiffCommand::run(Streams& streams) {
  base::Result<Found> found = Found();
  CW_TRY_VOID(on_render_stack([&]() -> base::Status {
    found = look(flags_, streams);
    return {};
  }));
  if (!found.ok()) {
    return with_place(found.error());
  }
  CW_TRY(const std::string text, shown(*found, streams));
  streams.out(text);
  bool has_failure = false;
  bool has_changes = false;
  for (const diff::Member& member : found->fleet) {
    has_failure = has_failure || member.report.failure;
    has_changes = has_changes || diff::has_changes(member.report);
  }
  if (has_failure && found->is_one) {
    return with_place(*found->fleet.front().report.failure).wrap("the reconcile would fail");
  }
  if (has_failure) {
    return kExitDiffError;
  }
  return has_changes ? kExitDifferences : kExitOk;
}

}  // namespace

std::unique_ptr<Command> make_diff_command() { return std::make_unique<DiffCommand>(); }

}  // namespace chartwright::cmd
