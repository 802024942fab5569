// SPDX-License-Identifier: Apache-2.0
// `chartwright diff`: what a reconcile would do, or how two revisions differ.
#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/strings.h"
#include "bundle/watches.h"
#include "cli/environment.h"
#include "cmd/cluster.h"
#include "cmd/commands.h"
#include "cmd/project.h"
#include "diff/print.h"
#include "diff/revisions.h"
#include "host/remote_schemas.h"
#include "value/merge_patch.h"
#include "yaml/yaml.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

constexpr size_t kCrBytesMax = size_t{4} << 20;
// The exit codes are those of kubectl diff.
constexpr int kExitDifferences = 1;
constexpr int kExitDiffError = 2;

struct DiffFlags {
  std::vector<std::string> arguments;
  std::string ns;
  std::string file;
  std::string chart;
  std::string revision;
  std::string watches_file = "./watches.yaml";
  std::string output = "text";
  std::string color = "auto";
  bool all = false;
  ClusterFlags cluster;
};

/// The custom resource that the arguments or the file name.
struct Target {
  std::string kind;
  std::string group;  ///< Empty: any.
  std::string name;
  Value given;  ///< From the file; nil without one.
};

Error wrong_arguments() {
  return Error(ErrorCode::kInvalidArgument,
               "which custom resource? Give KIND/NAME, or a file that has one with -f");
}

base::Result<Target> target_of_arguments(const std::vector<std::string>& arguments) {
  std::string text = base::join(arguments, "/");  // "KIND NAME", too.
  const size_t slash = text.find('/');
  if (arguments.empty() || slash == std::string::npos || slash == 0 || slash + 1 == text.size() ||
      text.find('/', slash + 1) != std::string::npos) {
    return wrong_arguments();
  }
  Target target;
  target.kind = text.substr(0, slash);
  target.name = text.substr(slash + 1);
  if (const size_t dot = target.kind.find('.'); dot != std::string::npos) {
    target.group = target.kind.substr(dot + 1);
    target.kind.resize(dot);
  }
  if (!kube::is_path_segment(target.name)) {
    return Error(ErrorCode::kInvalidArgument, "\"" + target.name + "\" is not a name");
  }
  return target;
}

base::Result<Target> target_of_file(const std::string& file, Streams& streams) {
  CW_TRY(const std::string text, file == "-" ? streams.in() : base::read_file(file, kCrBytesMax));
  const auto located = [&file](Error error) {
    const base::SourcePos pos = error.pos().value_or(base::SourcePos{"", 1, 0});
    return std::move(error).at({file, pos.line, pos.column});
  };
  auto parsed = yaml::parse_yaml(text, value::Numbers::kInt64);
  if (!parsed.ok()) {
    return located(std::move(parsed).error());
  }
  Target target;
  target.given = *std::move(parsed);
  const kube::Gvk gvk = kube::gvk_of(target.given);
  target.kind = gvk.kind;
  target.group = gvk.group;
  target.name = kube::name_of(target.given);
  if (target.kind.empty() || !kube::is_path_segment(target.name)) {
    return located(Error(ErrorCode::kInvalidArgument,
                         "not one custom resource with apiVersion, kind and metadata.name"));
  }
  return target;
}

base::Result<Target> target_of(const DiffFlags& flags, Streams& streams) {
  if (flags.file.empty()) {
    return target_of_arguments(flags.arguments);
  }
  if (!flags.arguments.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 "give KIND/NAME or -f, not both: the file names the custom resource");
  }
  return target_of_file(flags.file, streams);
}

bool is_kind(const bundle::Watch& watch, const Target& target) {
  const std::string kind = base::to_lower_ascii(watch.gvk.kind);
  const std::string asked = base::to_lower_ascii(target.kind);
  return (asked == kind || asked == kind + "s" || asked == kind + "es") &&
         (target.group.empty() || target.group == watch.gvk.group);
}

base::Result<bundle::Watch> watch_of(const Target& target, std::vector<bundle::Watch> watches,
                                     const std::string& file) {
  const auto found = std::ranges::find_if(
      watches, [&target](const bundle::Watch& watch) { return is_kind(watch, target); });
  if (found != watches.end()) {
    return std::move(*found);
  }
  std::vector<std::string_view> kinds;
  std::vector<std::string> names;
  for (const bundle::Watch& watch : watches) {
    kinds.push_back(watch.gvk.kind);
    names.push_back(watch.gvk.group_kind().to_string());
  }
  const std::string_view near = base::nearest(target.kind, kinds);
  const std::string asked = target.kind + (target.group.empty() ? "" : "." + target.group);
  return Error(ErrorCode::kInvalidArgument,
               file + " has no kind \"" + asked + "\"" +
                   (near.empty() ? "; it has " + base::join(names, ", ")
                                 : "; did you mean \"" + std::string(near) + "\"?"));
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

// Only what users write: the rest is of the cluster.
Value with_content_of(const Value& live, const Value& given) {
  Value metadata = Value::dict();
  for (const std::string_view key : {"labels", "annotations"}) {
    if (const Value* member = given.find_path({"metadata", key})) {
      metadata.mutable_dict().set(key, *member);
    }
  }
  Value changed = value::merge_patched(live, Value::dict({{"metadata", metadata}}));
  for (const auto& [key, member] : given.as_dict()) {
    if (key != "metadata" && key != "status" && key != "apiVersion" && key != "kind") {
      changed.mutable_dict().set(key, member);
    }
  }
  return changed;
}

/// Works on one custom resource in a cluster.
class Differ {
 public:
  Differ(const DiffFlags& flags, const Target& target, const bundle::Watch& watch, Cluster& cluster)
      : flags_(flags), target_(target), watch_(watch), cluster_(cluster) {}

  base::Result<diff::Report> plan();
  base::Result<diff::Report> revisions();

 private:
  base::Result<kube::ObjectRef> ref();
  base::Result<Value> custom_resource();
  base::Result<Value> as_written(const kube::ObjectRef& ref, base::Result<Value> live);
  base::Result<std::string> why_unseen(const Value& cr);
  base::Result<bool> is_selected(const Value& cr);
  std::vector<std::string> namespaces(const Value& cr) const;

  const DiffFlags& flags_;
  const Target& target_;
  const bundle::Watch& watch_;
  Cluster& cluster_;
};

base::Result<kube::ObjectRef> Differ::ref() {
  CW_TRY(const auto mapping, cluster_.client().mapping_for(watch_.gvk, cluster_.call()));
  if (mapping.scope == kube::Scope::kCluster) {
    return kube::ObjectRef{watch_.gvk, "", target_.name};
  }
  const std::string_view given = kube::namespace_of(target_.given);
  if (!given.empty() && !flags_.ns.empty() && given != flags_.ns) {
    return Error(ErrorCode::kInvalidArgument,
                 "--namespace is " + flags_.ns + ", and the file has " + std::string(given));
  }
  return kube::ObjectRef{
      watch_.gvk, given.empty() ? release_namespace(flags_.ns, flags_.cluster) : std::string(given),
      target_.name};
}

// The API server's answer has the defaults of the schema, and refuses what does not fit it.
base::Result<Value> Differ::as_written(const kube::ObjectRef& ref, base::Result<Value> live) {
  kube::WriteOptions options;
  options.field_manager = "chartwright-diff";
  options.dry_run = kube::DryRun::kServer;
  if (live.ok()) {
    return cluster_.client().update(with_content_of(*live, target_.given), options,
                                    cluster_.call());
  }
  Value fresh = value::deep_copy(target_.given);
  fresh.mutable_dict().erase("status");
  if (!ref.ns.empty()) {
    fresh.find("metadata")->mutable_dict().set("namespace", Value::string(ref.ns));
  }
  return cluster_.client().create(fresh, options, cluster_.call());
}

base::Result<Value> Differ::custom_resource() {
  CW_TRY(const kube::ObjectRef ref, this->ref());
  auto live = cluster_.client().get(ref, cluster_.call());
  const bool is_missing = !live.ok() && live.error().code() == ErrorCode::kNotFound;
  if (!live.ok() && !is_missing) {
    return std::move(live).error();
  }
  if (!target_.given.is_nil()) {
    auto written = as_written(ref, std::move(live));
    return written.ok() ? std::move(written) : std::move(written).error().wrap(flags_.file);
  }
  if (is_missing) {
    return Error(ErrorCode::kNotFound,
                 ref.to_string() + " does not exist; -f takes one that is still to be created");
  }
  return live;
}

// The children may be where the custom resource is, where WATCH_NAMESPACE says, or where it is
// recorded.
std::vector<std::string> Differ::namespaces(const Value& cr) const {
  const std::vector<std::string> watched = watched_namespaces();
  std::set<std::string> all(watched.begin(), watched.end());
  if (all.empty() && kube::namespace_of(cr).empty()) {
    return {};
  }
  if (all.empty()) {
    all.emplace(kube::namespace_of(cr));
    for (const auto& [ref, entry] : op::state_from_status(cr).inventory) {
      all.insert(ref.ns);
    }
    all.erase("");
  }
  return {all.begin(), all.end()};
}

// Returns what keeps the operator from seeing it, as the begin of a sentence; "": nothing does.
base::Result<std::string> Differ::why_unseen(const Value& cr) {
  const std::vector<std::string> watched = watched_namespaces();
  const std::string ns(kube::namespace_of(cr));
  const bool is_elsewhere = !watched.empty() && std::ranges::find(watched, ns) == watched.end();
  if (!ns.empty() && is_elsewhere) {
    return "WATCH_NAMESPACE (" + base::join(watched, ",") + ") leaves out the namespace of";
  }
  CW_TRY(const bool selected, is_selected(cr));
  if (!selected && target_.given.is_nil()) {
    return "the selector of the watch (" + watch_.label_selector + ") does not select";
  }
  return std::string();
}

base::Result<bool> Differ::is_selected(const Value& cr) {
  if (watch_.label_selector.empty()) {
    return true;
  }
  kube::ListOptions options;
  options.selection = {std::string(kube::namespace_of(cr)), watch_.label_selector,
                       "metadata.name=" + target_.name};
  CW_TRY(const auto page, cluster_.client().list(watch_.gvk, options, cluster_.call()));
  return !page.items.empty();
}

base::Result<diff::Report> Differ::plan() {
  CW_TRY(auto capabilities, cluster_.capabilities());
  CW_TRY(const Value cr, custom_resource());
  CW_TRY(const std::string hidden, why_unseen(cr));
  if (!hidden.empty()) {
    diff::Report none;
    none.notes.push_back(hidden + " the custom resource: the operator does not see it");
    return none;
  }
  base::SystemClock clock;
  const bundle::Renderer renderer(std::move(capabilities), clock);
  const diff::Scene scene{cluster_.client(),
                          watch_,
                          renderer,
                          clock,
                          cr,
                          namespaces(cr),
                          release_namespace(flags_.ns, flags_.cluster)};
  CW_TRY(diff::Rehearsal rehearsal, diff::rehearse(scene, {}));
  return diff::report_of(std::move(rehearsal));
}

base::Result<diff::Report> Differ::revisions() {
  CW_TRY(const diff::RevisionRange range, diff::parse_revisions(flags_.revision));
  CW_TRY(const kube::ObjectRef ref, this->ref());
  const release::Owner owner{ref.gvk, ref.ns, ref.name, "",
                             release_namespace(flags_.ns, flags_.cluster)};
  CW_TRY(const auto both, diff::load_revisions(cluster_.client(), cluster_.call(), owner, range));
  return diff::compare_revisions(both.first, both.second);
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
  CW_TRY_VOID(one_of("output", flags.output, {"text", "json"}));
  CW_TRY_VOID(one_of("color", flags.color, {"auto", "always", "never"}));
  if (!flags.revision.empty() && (!flags.file.empty() || !flags.chart.empty())) {
    return Error(ErrorCode::kInvalidArgument,
                 "--revision compares two records: -f and --chart have no use with it");
  }
  if (flags.revision.empty()) {
    return {};
  }
  CW_TRY_DISCARD(diff::parse_revisions(flags.revision));
  return {};
}

base::Result<diff::Report> make_report(const DiffFlags& flags, Streams& streams) {
  CW_TRY_VOID(check_flags(flags));
  CW_TRY(const Target target, target_of(flags, streams));
  base::SystemClock clock;
  const auto network = std::make_shared<host::RemoteSchemas>(clock, ca_file_of_environment());
  bundle::WatchesOptions loading;
  loading.network = network;
  loading.on_unknown_key = [&streams](const Error& error) {
    streams.err("WARNING: " + error.to_string() + "\n");
  };
  CW_TRY(std::vector<bundle::Watch> watches,
         bundle::load_watches(flags.watches_file, clock, environment, loading));
  CW_TRY(bundle::Watch watch, watch_of(target, std::move(watches), flags.watches_file));
  helm::SchemaSources elsewhere;
  elsewhere.elsewhere = network;
  CW_TRY_VOID(use_chart(flags.chart, elsewhere, watch));
  CW_TRY(const auto cluster, Cluster::open(flags.cluster));
  CW_TRY_VOID(cluster->check_reachable());
  Differ differ(flags, target, watch, *cluster);
  CW_TRY(diff::Report report, flags.revision.empty() ? differ.plan() : differ.revisions());
  diff::hide_overrides(report, bundle::OverrideMask(watch.override_values));
  return report;
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
  DiffFlags flags_;
};

void DiffCommand::declare(FlagSet& flags) {
  flags.text(flags_.ns, {"namespace", 'n',
                         "namespace of the custom resource; if that is cluster-scoped, of the "
                         "operator"});
  flags.text(flags_.file,
             {"filename", 'f', "file with the custom resource as it is to be; -: standard input",
              kTakesFile});
  flags.text(flags_.chart,
             {"chart", '\0', "chart to use in place of that of the watches file", kTakesFile});
  flags.text(flags_.revision,
             {"revision", '\0', "compare two recorded revisions instead, such as 3..4"});
  flags.text(flags_.watches_file, {"watches-file", '\0', "path of the watches file", kTakesFile});
  flags.boolean(flags_.all, {"all", '\0', "also list the objects that stay as they are"});
  flags.text(flags_.output, {"output", 'o', "text or json", {.words = {"text", "json"}}});
  flags.text(flags_.color, {"color",
                            '\0',
                            "auto, always or never; auto: on a terminal, unless $NO_COLOR is set",
                            {.words = {"auto", "always", "never"}}});
  declare_cluster_flags(flags, flags_.cluster);
  flags.arguments(flags_.arguments, "KIND/NAME", "the custom resource");
}

base::Result<int> DiffCommand::run(Streams& streams) {
  base::Result<diff::Report> report = diff::Report();
  CW_TRY_VOID(on_render_stack([&]() -> base::Status {
    report = make_report(flags_, streams);
    return {};
  }));
  if (!report.ok()) {
    return with_place(report.error());
  }
  if (flags_.output == "json") {
    CW_TRY(const std::string text, diff::to_json(*report));
    streams.out(text);
  } else {
    streams.out(diff::to_text(*report, color_of(flags_, streams),
                              flags_.all ? diff::Unchanged::kShown : diff::Unchanged::kHidden));
  }
  if (report->failure) {
    return with_place(*report->failure).wrap("the reconcile would fail");
  }
  return diff::has_changes(*report) ? kExitDifferences : kExitOk;
}

}  // namespace

std::unique_ptr<Command> make_diff_command() { return std::make_unique<DiffCommand>(); }

}  // namespace chartwright::cmd
