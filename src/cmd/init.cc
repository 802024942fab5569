// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "base/file.h"
#include "cmd/commands.h"
#include "generate/first_suite.h"
#include "generate/manifests.h"
#include "generate/yaml_text.h"
#include "go/path.h"
#include "helm/chart/archive.h"
#include "project/project.h"
#include "project/recorded_flags.h"

namespace chartwright::cmd {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

constexpr std::string_view kWatches = "watches.yaml";
constexpr std::string_view kDeploy = "deploy";
/// The file of operator-sdk that tells the domain of a project.
constexpr std::string_view kSdkProject = "PROJECT";
/// The group of operator-sdk, if none is given. Source: operator-framework/operator-sdk
/// internal/plugins/helm/v1/api.go.
constexpr std::string_view kSdkGroup = "charts";
constexpr std::string_view kOwnImage = "chartwright:";
constexpr size_t kProjectFileBytesMax = size_t{16} << 20;

struct InitOptions : ProjectFlags {
  std::vector<std::string> arguments;
  std::string base_image = "chartwright:" CW_VERSION;
  std::string domain;  ///< The domain of operator-sdk's project; "": none.
  bool force = false;
};

/// Flags of operator-sdk's "init" and "create api".
struct SdkFlags {
  std::string plugins;
  std::string domain;
  std::string project_name;
  std::string chart;
  std::string chart_repo;
  std::string chart_version;
  std::string crd_version;
  bool is_of_go = false;  ///< Given --resource or --controller.
  bool unused = false;    ///< Their values.
};

Error invalid_flag(std::string text) { return Error(ErrorCode::kInvalidArgument, std::move(text)); }

/// Returns why a chart that must be fetched is refused, with the command that fetches it.
Error unfetched(const std::string& chart, const SdkFlags& sdk) {
  const auto flag = [](std::string_view name, const std::string& value) {
    return value.empty() ? std::string() : " --" + std::string(name) + " " + value;
  };
  return invalid_flag("charts are not fetched: run \"helm pull " + chart +
                      flag("repo", sdk.chart_repo) + flag("version", sdk.chart_version) +
                      " --untar --untardir helm-charts\", and give --helm-chart helm-charts/" +
                      helm::chart_name_of(chart));
}

/// Refuses what is neither the folder nor the archive of a chart. `chart` is as it was given.
base::Status check_chart_path(const std::string& chart, const SdkFlags& sdk) {
  std::error_code error;
  const bool is_remote = chart.find("://") != std::string::npos;
  if (is_remote || !sdk.chart_repo.empty() || !sdk.chart_version.empty()) {
    return unfetched(chart, sdk);
  }
  if (fs::is_regular_file(chart, error)) {
    if (helm::has_archive_name(chart)) {
      return {};
    }
    return invalid_flag(chart + " is neither the folder of a chart nor an archive (.tgz)");
  }
  if (!fs::is_directory(chart, error)) {
    return Error(ErrorCode::kNotFound,
                 "there is no chart folder " + chart +
                     "; \"helm create\" makes one, and \"helm pull --untar\" fetches one");
  }
  return {};
}

/// Returns a group in a domain. A group that has it already stays.
/// Source: kubernetes-sigs/kubebuilder pkg/model/resource/gvk.go QualifiedGroup.
std::string in_domain(const std::string& group, const std::string& domain) {
  const std::string suffix = "." + domain;
  if (group == domain || group.ends_with(suffix)) {
    return group;
  }
  return (group.empty() ? std::string(kSdkGroup) : group) + suffix;
}

/// Takes what operator-sdk's flags mean here. Error: kInvalidArgument, with what to do instead.
base::Status take_sdk_flags(const SdkFlags& sdk, InitOptions& options) {
  if (!sdk.plugins.empty() && !sdk.plugins.starts_with("helm")) {
    return invalid_flag(
        "--plugins: \"" + sdk.plugins +
        "\" is for projects of another kind: a chart needs no plugin, leave it out");
  }
  if (sdk.is_of_go) {
    return invalid_flag(
        "--resource and --controller are for projects in Go: a chart always gets its CRD, and "
        "needs "
        "no controller of its own, leave them out");
  }
  if (!sdk.crd_version.empty() && sdk.crd_version != "v1") {
    return invalid_flag("--crd-version: \"" + sdk.crd_version +
                        "\" is no longer served by Kubernetes: CRDs are v1, leave it out");
  }
  if (!sdk.domain.empty()) {
    options.group = in_domain(options.group, sdk.domain);
  }
  if (!sdk.project_name.empty()) {
    options.naming.name = sdk.project_name;
    options.given.name = true;
  }
  return {};
}

/// Takes the domain of operator-sdk's project, if there is one. Error: kParse.
base::Status take_project_domain(InitOptions& options) {
  const auto project = base::read_file(std::string(kSdkProject), kProjectFileBytesMax);
  if (!project.ok()) {
    return {};  // Without one, --group is the whole group.
  }
  CW_TRY(options.domain, recorded_domain(*project));
  if (!options.domain.empty() && !options.group.empty()) {
    options.group = in_domain(options.group, options.domain);
  }
  return {};
}

/// Writes files below a folder and reports each. A file that exists and differs is replaced only if
/// it was generated, or with --force.
class FileWriter {
 public:
  /// `root` is the folder, "" for the current one.
  FileWriter(std::string root, Overwrite overwrite, Streams& streams)
      : root_(std::move(root)), overwrite_(overwrite), streams_(streams) {}

  base::Status write(const std::string& below, const std::string& text) {
    if (!root_.empty()) {
      std::error_code error;
      fs::create_directories(root_, error);
    }
    CW_TRY_VOID(make_folders(root_, below));
    const std::string path = go::join_path(root_, below);
    const auto present = base::read_file(path, kProjectFileBytesMax);
    if (present.ok() && *present == text) {
      return {};
    }
    if (present.ok() && overwrite_ == Overwrite::kNo && !generate::is_generated(*present)) {
      kept_.push_back(path);
      return {};
    }
    if (!present.ok() && present.error().code() != ErrorCode::kNotFound) {
      return present.error();
    }
    CW_TRY_VOID(base::replace_file(path, text));
    streams_.tell((present.ok() ? "replaced " : "wrote ") + path + "\n");
    return {};
  }

  /// Writes a file, unless there is one by hand: many projects have their own.
  base::Status write_own(const std::string& below, const std::string& text) {
    const auto present = base::read_file(go::join_path(root_, below), kProjectFileBytesMax);
    if (present.ok() && !generate::is_generated(*present)) {
      return {};
    }
    return write(below, text);
  }

  bool has(const std::string& below) const {
    std::error_code error;
    return fs::exists(go::join_path(root_, below), error);
  }

  /// Tells which files were left as they are.
  void finish() {
    for (const std::string& path : kept_) {
      streams_.err("WARNING: " + path + ": kept, as it was written by hand; --force replaces it\n");
    }
  }

 private:
  const std::string root_;
  const Overwrite overwrite_;
  Streams& streams_;
  std::vector<std::string> kept_;
};

base::Status write_manifests(const Project& project, const generate::Naming& naming,
                             const std::string& folder, FileWriter& writer, Streams& streams) {
  CW_TRY(const generate::Manifests manifests,
         generate::manifests_of(project.watches, project.served, naming));
  print_notes(manifests.notes, streams);
  for (const generate::GeneratedFile& file : manifests.files) {
    const std::string path = go::join_path(folder, file.path);
    if (file.path.starts_with("samples/") && writer.has(path)) {
      continue;  // A sample is the author's once it exists.
    }
    CW_TRY_VOID(writer.write(path, file.text));
  }
  return {};
}

/// Writes a suite to begin with, unless the chart has tests or is an archive. `sample`: the file of
/// its custom resource.
base::Status write_first_suite(const bundle::Watch& watch, const std::string& sample,
                               FileWriter& writer) {
  std::error_code error;
  if (!fs::is_directory(watch.chart_path, error) || !generate::has_scenarios(watch) ||
      writer.has(go::join_path(watch.chart_path, "tests"))) {
    return {};
  }
  CW_TRY(const std::string text, base::read_file(sample, kProjectFileBytesMax));
  const auto suite = generate::first_suite(watch, text);
  const std::string path = go::join_path(watch.chart_path, "tests/operator_test.yaml");
  if (!suite) {
    return {};
  }
  return writer.write(path, *suite);
}

std::string watch_entry(const bundle::Watch& watch) {
  return generate::Yaml::list({generate::Yaml()
                                   .set("group", watch.gvk.group)
                                   .set("version", watch.gvk.version)
                                   .set("kind", watch.gvk.kind)
                                   .set("chart", watch.chart_path)})
      .to_string();
}

/// Refuses what a Dockerfile cannot hold. Error: kInvalidArgument.
base::Status check_dockerfile(const Project& project, const std::string& base_image) {
  for (const bundle::Watch& watch : project.watches) {
    CW_TRY_VOID(check_copied(watch.chart_path));
  }
  CW_TRY_VOID(check_copied(project.served.folder));
  return check_image("base-image", base_image);
}

/// Adds an entry to watches.yaml, unless it has one for that kind. Returns the project.
base::Result<Project> add_watch(const bundle::Watch& added, const InitOptions& options,
                                Streams& streams) {
  ProjectFlags flags;
  flags.views = options.views;
  flags.naming = options.naming;
  const std::string path(kWatches);
  auto present = base::read_file(path, kProjectFileBytesMax);
  if (!present.ok() && present.error().code() != ErrorCode::kNotFound) {
    return std::move(present).error();
  }
  if (present.ok()) {
    CW_TRY(Project project, load_project(path, flags));
    for (const bundle::Watch& watch : project.watches) {
      if (watch.gvk.group_kind() != added.gvk.group_kind()) {
        continue;
      }
      if (watch.gvk != added.gvk || go::clean_path(watch.chart_path) != added.chart_path) {
        return Error(ErrorCode::kAlreadyExists,
                     path + " has an entry for " + watch.gvk.group_kind().to_string() +
                         " already: version " + watch.gvk.version + ", chart " + watch.chart_path);
      }
      return project;
    }
  }
  std::string text = present.ok() ? *present : std::string(generate::kLicenseLine);
  text += text.ends_with('\n') ? "" : "\n";
  CW_TRY_VOID(base::replace_file(path, text + watch_entry(added)));
  streams.tell((present.ok() ? "added " + added.gvk.kind + " to " : "wrote ") + path + "\n");
  return load_project(path, flags);
}

/// Takes group, kind and version, where no flag gives them, from the entry that watches.yaml has
/// for the chart.
base::Status recall_kind(const std::string& chart, InitOptions& options) {
  std::error_code error;
  const std::string path(kWatches);
  if (!fs::exists(path, error)) {
    return {};
  }
  CW_TRY(const Project project, load_project(path, ProjectFlags()));
  const bundle::Watch* found = nullptr;
  for (const bundle::Watch& watch : project.watches) {
    if (go::clean_path(watch.chart_path) != chart ||
        (!options.group.empty() && options.group != watch.gvk.group) ||
        (!options.kind.empty() && options.kind != watch.gvk.kind)) {
      continue;
    }
    if (found != nullptr) {
      return Error(ErrorCode::kInvalidArgument,
                   path + " has several kinds with the chart " + chart + ", such as " +
                       found->gvk.group_kind().to_string() + " and " +
                       watch.gvk.group_kind().to_string() + ": give --group and --kind");
    }
    found = &watch;
  }
  if (found != nullptr) {
    options.group = found->gvk.group;
    options.kind = found->gvk.kind;
    options.version = options.given.version ? options.version : found->gvk.version;
  }
  return {};
}

/// Takes what no flag gives from the files of an earlier run.
base::Status recall_options(const std::string& chart, InitOptions& options) {
  CW_TRY_VOID(recall_kind(chart, options));
  CW_TRY_VOID(recall_flags(std::string(kWatches), std::string(kDeploy), options));
  const auto dockerfile = base::read_file("Dockerfile", kProjectFileBytesMax);
  const std::string before = dockerfile.ok() ? recorded_base(*dockerfile) : "";
  // The image of another version of this program is one to replace.
  if (!options.given.base_image && !before.empty() && !before.starts_with(kOwnImage)) {
    options.base_image = before;
  }
  return {};
}

base::Status initialize(InitOptions options, std::string chart, Streams& streams) {
  chart = go::clean_path(chart);
  if (chart.starts_with("/") || chart.starts_with("..")) {
    return Error(ErrorCode::kInvalidArgument,
                 "the chart " + chart +
                     " must be below the current folder, which becomes the "
                     "context of the image");
  }
  CW_TRY_VOID(recall_options(chart, options));
  if (options.group.empty() && !options.domain.empty()) {
    options.group = in_domain("", options.domain);
  }
  CW_TRY_VOID(check_naming(options.naming));
  CW_TRY(const Project one, load_project(chart, options));
  if (one.watches.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 chart + " has views, but no chart: see \"chartwright generate manifests " + chart +
                     " --output-dir deploy\"");
  }
  const bundle::Watch& added = one.watches.front();
  CW_TRY_VOID(check_dockerfile(one, options.base_image));
  CW_TRY(const Project project, add_watch(added, options, streams));
  CW_TRY_VOID(check_dockerfile(project, options.base_image));
  FileWriter writer("", options.force ? Overwrite::kYes : Overwrite::kNo, streams);
  CW_TRY_VOID(write_manifests(project, options.naming, std::string(kDeploy), writer, streams));
  const std::string sample =
      go::join_path(std::string(kDeploy), generate::sample_path(project.watches, added.gvk));
  CW_TRY_VOID(write_first_suite(added, sample, writer));
  CW_TRY_VOID(writer.write(
      "Dockerfile", generate::dockerfile(project.watches, project.served, options.base_image)));
  CW_TRY_VOID(
      writer.write_own(".dockerignore", generate::dockerignore(project.watches, project.served)));
  if (!writer.has(".gitignore")) {
    CW_TRY_VOID(writer.write(".gitignore", generate::gitignore()));
  }
  writer.finish();
  const std::string image = options.naming.image + ":" + options.naming.tag;
  streams.tell("\nNext:\n  docker build --tag " + image +
               " . && kubectl apply -k deploy\n  kubectl apply -f " + sample + "\n");
  return {};
}

/// `init CHART`, and `create api`, as operator-sdk calls it.
class InitCommand final : public Command {
 public:
  enum class Spelling : uint8_t { kInit, kCreateApi };
  explicit InitCommand(Spelling spelling) : spelling_(spelling) {}

  std::string_view name() const override {
    return spelling_ == Spelling::kInit ? "init" : "create";
  }
  std::string_view summary() const override {
    return spelling_ == Spelling::kInit ? "Make an operator project from a chart"
                                        : "Make an operator project from a chart (create api)";
  }

  void declare(FlagSet& flags) override {
    InitOptions& o = options_;
    declare_kind_flags(flags, o);
    declare_naming_flags(flags, o);
    declare_views_flag(flags, o);
    declare_monitor_flag(flags, o);
    flags.text(o.naming.image,
               {"image", '\0', "name of the image that is built", {}, {}, &o.given.image});
    flags.text(o.naming.tag, {"tag", '\0', "tag of the image that is built", {}, {}, &o.given.tag});
    flags.text(o.base_image,
               {"base-image", '\0', "image of the operator itself", {}, {}, &o.given.base_image});
    flags.boolean(o.force, {"force", '\0', "replace files that were written by hand"});
    declare_sdk_flags(flags);
    flags.arguments(o.arguments, spelling_ == Spelling::kInit ? "CHART" : "api [CHART]",
                    "folder or archive of the chart", kTakesFile);
  }

  base::Result<int> run(Streams& streams) override {
    CW_TRY(const std::string chart, chart_argument());
    CW_TRY_VOID(check_chart_path(chart, sdk_));
    CW_TRY_VOID(take_sdk_flags(sdk_, options_));
    if (const bool as_sdk = spelling_ == Spelling::kCreateApi; as_sdk && sdk_.domain.empty()) {
      if (const base::Status taken = take_project_domain(options_); !taken.ok()) {
        return with_place(taken.error());
      }
    }
    const auto done = on_render_stack([&] { return initialize(options_, chart, streams); });
    if (!done.ok()) {
      return with_place(done.error());
    }
    return kExitOk;
  }

 private:
  void declare_sdk_flags(FlagSet& flags) {
    flags.text(sdk_.chart, {"helm-chart", '\0', "folder or archive of the chart", kTakesFile});
    flags.text(sdk_.domain, {"domain", '\0', "added to the group: \"apps\" in \"example.com\""});
    flags.text(sdk_.project_name, {"project-name", '\0', "the same as --name"});
    flags.text(sdk_.plugins, {"plugins", '\0', "only \"helm\""});
    flags.text(sdk_.crd_version, {"crd-version", '\0', "only \"v1\""});
    const std::string_view fetch = "refused: tells the command that fetches the chart";
    flags.text(sdk_.chart_repo, {"helm-chart-repo", '\0', fetch});
    flags.text(sdk_.chart_version, {"helm-chart-version", '\0', fetch});
    const std::string_view go = "refused: for projects in Go";
    flags.boolean(sdk_.unused, {"resource", '\0', go, {}, {}, &sdk_.is_of_go});
    flags.boolean(sdk_.unused, {"controller", '\0', go, {}, {}, &sdk_.is_of_go});
  }

  base::Result<std::string> chart_argument() {
    std::vector<std::string> rest = options_.arguments;
    if (spelling_ == Spelling::kCreateApi) {
      if (rest.empty() || rest.front() != "api") {
        return Error(ErrorCode::kInvalidArgument,
                     "only an api can be created: chartwright create api CHART --group G --kind K");
      }
      rest.erase(rest.begin());
    }
    if (!sdk_.chart.empty()) {
      rest.insert(rest.begin(), sdk_.chart);
    }
    if (rest.size() != 1) {
      return Error(ErrorCode::kInvalidArgument,
                   "expected one chart folder, for example: chartwright init charts/shop --group "
                   "apps.example.com --kind Shop; \"helm create\" makes one");
    }
    return rest.front();
  }

  const Spelling spelling_;
  InitOptions options_;
  SdkFlags sdk_;
};

}  // namespace

base::Status write_project(const Project& project, const generate::Naming& naming,
                           const std::string& folder, Overwrite overwrite, Streams& streams) {
  FileWriter writer(folder, overwrite, streams);
  CW_TRY_VOID(write_manifests(project, naming, "", writer, streams));
  writer.finish();
  return {};
}

base::Status write_generated(const std::vector<generate::GeneratedFile>& files,
                             const std::string& folder, Overwrite overwrite, Streams& streams) {
  FileWriter writer(folder, overwrite, streams);
  for (const generate::GeneratedFile& file : files) {
    CW_TRY_VOID(writer.write(file.path, file.text));
  }
  writer.finish();
  return {};
}

std::unique_ptr<Command> make_init_command() {
  return std::make_unique<InitCommand>(InitCommand::Spelling::kInit);
}

std::unique_ptr<Command> make_create_command() {
  return std::make_unique<InitCommand>(InitCommand::Spelling::kCreateApi);
}

}  // namespace chartwright::cmd
