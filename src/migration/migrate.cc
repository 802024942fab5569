// SPDX-License-Identifier: Apache-2.0
// `chartwright migrate --check`: whether a project of helm-operator works here, without a write.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "bundle/watches.h"
#include "cli/environment.h"
#include "console/output.h"
#include "doctor/doctor.h"
#include "generate/access.h"
#include "helm/render/manifest.h"
#include "kinds/sdk_project.h"
#include "migration/commands.h"
#include "migration/live_check.h"
#include "migration/render_check.h"
#include "migration/sdk_files.h"
#include "project/cluster.h"
#include "project/differ.h"
#include "project/project.h"
#include "yaml/document.h"
#include "yaml/yaml.h"

namespace chartwright::cmd {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using value::Value;

constexpr int kExitNeedsWork = 2;
constexpr size_t kConfigBytesMax = size_t{4} << 20;
constexpr size_t kConfigFilesMax = 200;
constexpr std::string_view kWatchesFile = "watches.yaml";

struct MigrateFlags {
  std::vector<std::string> arguments;
  bool check = false;
  bool live = false;
  DiffPlace place;
  OutputFlag output{{"table", "json", "yaml"}, "table, json or yaml"};
};

/// Returns the documents of the YAML files in a folder, which need not be there. Other texts become
/// findings.
std::vector<Value> documents_in(const std::string& folder, std::vector<Finding>& findings) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (yaml::has_yaml_name(at->path().native()) && files.size() < kConfigFilesMax) {
      files.push_back(at->path());
    }
  }
  std::ranges::sort(files);
  std::vector<Value> documents;
  for (const fs::path& file : files) {
    const auto text = base::read_file(file.string(), kConfigBytesMax);
    for (const std::string& part :
         text.ok() ? helm::split_manifests(*text) : std::vector<std::string>()) {
      auto document = yaml::parse_yaml(part, value::Numbers::kInt64);
      if (document.ok()) {
        documents.push_back(*std::move(document));
      } else {
        findings.push_back({Grade::kWarn, "manifests",
                            file.string() + ": " + document.error().message(), "correct the file"});
      }
    }
  }
  return documents;
}

/// Checks a project in the working directory.
class Checker {
 public:
  explicit Checker(FlagNames run_flags) : run_flags_(std::move(run_flags)) {}

  /// Returns whether watches.yaml and its charts could be loaded.
  bool load() {
    bundle::WatchesOptions options;
    options.on_unknown_key = [this](const Error& error) {
      add({Grade::kWarn, "watches", error.to_string(), "remove the key, or give run --lenient"});
    };
    auto watches =
        bundle::load_watches(std::string(kWatchesFile), clock_, environment, std::move(options));
    if (!watches.ok()) {
      add({Grade::kFail, "watches", watches.error().to_string(), "correct the file"});
      return false;
    }
    project_.watches = *std::move(watches);
    kinds::take_sdk_names(std::string(kWatchesFile), project_.watches);
    const size_t kinds = project_.watches.size();
    add({Grade::kOk, "watches",
         kinds == 1 ? "1 kind, and its chart loads"
                    : std::to_string(kinds) + " kinds, and their charts load"});
    return true;
  }
  void check_files() {
    const auto dockerfile = base::read_file("Dockerfile", kConfigBytesMax);
    add_all(check_dockerfile(dockerfile.ok() ? *dockerfile : ""));
    std::vector<Value> manager = documents_in("config/manager", findings_);
    for (Value& patch : documents_in("config/default", findings_)) {
      manager.push_back(std::move(patch));
    }
    add_all(check_arguments(manager, run_flags_));
    check_definitions(documents_in("config/crd/bases", findings_));
    check_rights(bound_roles(documents_in("config/rbac", findings_)));
  }
  void check_charts() {
    const std::vector<Value> samples = documents_in("config/samples", findings_);
    for (const bundle::Watch& watch : project_.watches) {
      add_all(check_renders(watch, samples, clock_));
    }
    for (const Value& sample : samples) {
      add_all(check_annotations(sample));
    }
  }
  base::Status check_cluster(const DiffPlace& place, Cluster& cluster) {
    CW_TRY(auto found, check_live(project_, place, cluster));
    add_all(std::move(found));
    return {};
  }
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  void add(Finding finding) { findings_.push_back(std::move(finding)); }
  void add_all(std::vector<Finding> found) {
    std::ranges::move(found, std::back_inserter(findings_));
  }
  /// Adds complaints as warnings, or `fine` if there are none.
  void add_complaints(const std::vector<doctor::Complaint>& complaints, const Finding& fine,
                      const std::string& fix) {
    const size_t before = findings_.size();
    for (const doctor::Complaint& complaint : complaints) {
      if (complaint.weight == doctor::Complaint::Weight::kFault) {
        add({Grade::kWarn, fine.check, complaint.text, fix});
      }
    }
    if (findings_.size() == before) {
      add(fine);
    }
  }
  void check_definitions(const std::vector<Value>& crds) {
    std::vector<doctor::Complaint> complaints;
    size_t checked = 0;
    for (const bundle::Watch& watch : project_.watches) {
      for (const Value& crd : crds) {
        const kube::GroupKind kind{std::string(crd.string_at({"spec", "group"})),
                                   std::string(crd.string_at({"spec", "names", "kind"}))};
        if (kind == watch.gvk.group_kind()) {
          ++checked;
          std::ranges::move(doctor::check_definition(crd, watch), std::back_inserter(complaints));
        }
      }
    }
    if (checked > 0) {
      add_complaints(complaints,
                     {Grade::kOk, "CRDs", "they keep what the operator writes and reads"},
                     "change config/crd/bases: chartwright generate crd prints one that fits");
    }
  }
  void check_rights(const std::vector<Value>& roles) {
    if (roles.empty()) {
      return;
    }
    const auto access = generate::access_of(project_.watches, project_.served);
    if (!access.ok()) {
      add({Grade::kWarn, "rights", access.error().to_string(), ""});
      return;
    }
    add_complaints(doctor::check_roles(roles, *access),
                   {Grade::kOk, "rights", "the bound roles in config/rbac are sufficient"},
                   "add it to config/rbac/role.yaml: chartwright generate rbac prints the rule");
  }

  const FlagNames run_flags_;
  base::SystemClock clock_;
  Project project_;
  std::vector<Finding> findings_;
};

class MigrateCommand final : public Command {
 public:
  explicit MigrateCommand(const Declared& run) {
    for (const DeclaredFlag& flag : run.flags) {
      run_flags_.insert(flag.names.begin(), flag.names.end());
    }
  }
  std::string_view name() const override { return "migrate"; }
  std::string_view summary() const override {
    return "Check whether a project of helm-operator works here, and which things change";
  }
  void declare(FlagSet& flags) override {
    flags.boolean(flags_.check, {"check", '\0', "write nothing: the only way there is"});
    flags.boolean(flags_.live, {"live", '\0',
                                "look at the cluster, too: its CRDs, the rights of the caller, and "
                                "the first reconcile of each custom resource"});
    flags.text(flags_.place.ns, {.name = "namespace",
                                 .letter = 'n',
                                 .help = "with --live: the namespace of custom resources",
                                 .takes = {.live = Takes::Live::kNamespaces}});
    flags.boolean(flags_.place.all_namespaces,
                  {"all-namespaces", 'A', "with --live: look at all namespaces"});
    declare_cluster_flags(flags, flags_.place.cluster);
    declare_output_flag(flags, flags_.output);
    flags.arguments(flags_.arguments, "PROJECT", "the folder of the project; default: the current",
                    kTakesFolder);
  }
  base::Result<int> run(Streams& streams) override {
    CW_TRY_VOID(check_flags());
    std::unique_ptr<Cluster> cluster;
    if (flags_.live) {
      CW_TRY(cluster, Cluster::open(flags_.place.cluster));
    }
    CW_TRY_VOID(enter_project());
    Checker checker(run_flags_);
    CW_TRY_VOID(on_render_stack([&] { return check(checker, cluster.get()); }));
    CW_TRY_VOID(print(checker.findings(), streams));
    const Grade worst = worst_of(checker.findings());
    if (worst == Grade::kFail) {
      return kExitError;
    }
    return worst == Grade::kWarn ? kExitNeedsWork : kExitOk;
  }

 private:
  base::Status check_flags() const {
    CW_TRY_VOID(check_output(flags_.output));
    if (!flags_.check) {
      return Error(ErrorCode::kInvalidArgument,
                   "give --check: the switch itself is the base image in the Dockerfile, and no "
                   "command makes it");
    }
    if (flags_.arguments.size() > 1) {
      return Error(ErrorCode::kInvalidArgument, "give one folder of a project");
    }
    if (!flags_.live && (!flags_.place.ns.empty() || flags_.place.all_namespaces)) {
      return Error(ErrorCode::kInvalidArgument, "a namespace is of use with --live only");
    }
    return {};
  }
  /// Looks at the cluster, too, unless it is null.
  base::Status check(Checker& checker, Cluster* cluster) const {
    if (!checker.load()) {
      return {};
    }
    checker.check_files();
    checker.check_charts();
    if (cluster == nullptr) {
      return {};
    }
    return checker.check_cluster(flags_.place, *cluster);
  }
  /// Makes the project the working directory: paths in watches.yaml are relative to that, as in the
  /// image.
  base::Status enter_project() const {
    const std::string folder = flags_.arguments.empty() ? "." : flags_.arguments.front();
    std::error_code error;
    fs::current_path(folder, error);
    if (error) {
      return Error(ErrorCode::kNotFound, "open " + folder + ": " + error.message());
    }
    if (!fs::exists(kWatchesFile, error)) {
      return Error(ErrorCode::kNotFound,
                   folder + " has no watches.yaml: give the folder of a project of helm-operator");
    }
    return {};
  }
  base::Status print(const std::vector<Finding>& findings, const Streams& streams) const {
    if (!flags_.output.is_document()) {
      streams.tell(table_of(findings));
      return {};
    }
    std::vector<Value> items;
    std::ranges::transform(findings, std::back_inserter(items),
                           [](const Finding& finding) { return to_value(finding); });
    return print_items(std::move(items), flags_.output, streams);
  }

  FlagNames run_flags_;
  MigrateFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_migrate_command(const Declared& run) {
  return std::make_unique<MigrateCommand>(run);
}

}  // namespace chartwright::cmd
