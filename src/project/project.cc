// SPDX-License-Identifier: Apache-2.0
#include "project/project.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/strings.h"
#include "bundle/watches.h"
#include "cli/environment.h"
#include "generate/monitor.h"
#include "go/path.h"
#include "go/quote.h"
#include "helm/chart/archive.h"
#include "helm/values/dependencies.h"
#include "kinds/sdk_project.h"
#include "kube/names.h"
#include "project/recorded_flags.h"
#include "views/view_file.h"
#include "yaml/document.h"

namespace chartwright::cmd {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

constexpr size_t kManifestBytesMax = size_t{16} << 20;

/// The longest tag of an image.
constexpr size_t kTagBytesMax = 128;

/// Reports whether a text begins with a letter or digit, and has no signs but these.
bool is_made_of(const std::string& text, std::string_view signs) {
  return !text.empty() && base::is_ascii_alphanumeric(text.front()) &&
         std::ranges::all_of(text, [&](char c) {
           return base::is_ascii_alphanumeric(c) || signs.find(c) != std::string_view::npos;
         });
}

/// Reports whether a folder has what only a chart has. Any of it is enough for a chart that lacks
/// the rest.
bool has_chart_parts(const fs::path& folder) {
  std::error_code error;
  return std::ranges::any_of(std::array{"Chart.yaml", "values.yaml", "templates"},
                             [&](const char* part) { return fs::exists(folder / part, error); });
}

bool has_yaml_files(const std::string& folder) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  return !error && std::any_of(fs::begin(entries), fs::end(entries), [](const auto& entry) {
    return yaml::has_yaml_name(entry.path().native());
  });
}

/// Returns the name of a kind that is derived from a chart's: "web-shop" becomes "WebShop".
std::string kind_of(std::string_view chart) {
  std::string kind;
  bool starts = true;
  for (const char c : chart) {
    if (!base::is_ascii_alphanumeric(c)) {
      starts = true;
      continue;
    }
    kind += starts && base::is_ascii_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
    starts = false;
  }
  return kind;
}

Error wrong(const std::string& flag, const std::string& value, const std::string& expected) {
  return Error(ErrorCode::kInvalidArgument, "--" + flag + ": \"" + value + "\" is not " + expected);
}

base::Status check_kind(const kube::Gvk& gvk) {
  if (gvk.group.find('.') == std::string::npos || !kube::is_dns_subdomain(gvk.group)) {
    return wrong("group", gvk.group, "an API group with a domain, such as \"apps.example.com\"");
  }
  if (!kube::is_dns_label(gvk.version) || gvk.version.front() != 'v') {
    return wrong("version", gvk.version, "an API version, such as \"v1alpha1\"");
  }
  if (gvk.kind.empty() || !base::is_ascii_upper(gvk.kind.front()) ||
      !kube::is_dns_label(base::to_lower_ascii(gvk.kind))) {
    return wrong("kind", gvk.kind, "a kind, such as \"WebShop\"");
  }
  return {};
}

base::Result<std::vector<bundle::Watch>> watch_of_chart(const std::string& path,
                                                        const ProjectFlags& flags) {
  if (flags.group.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 "a chart needs --group, for example: --group apps.example.com --kind " +
                     kind_of(go::base_name(path)));
  }
  bundle::Watch watch;
  watch.chart_path = path;
  CW_TRY(watch.bundle, bundle::load_bundle(path));
  const std::string kind = flags.kind.empty() ? kind_of(watch.bundle.chart_name()) : flags.kind;
  watch.gvk = {flags.group, flags.version, kind};
  CW_TRY_VOID(check_kind(watch.gvk));
  std::vector<bundle::Watch> watches;
  watches.push_back(std::move(watch));
  return watches;
}

base::Result<std::vector<bundle::Watch>> load_kinds(const ClassifiedPath& at,
                                                    const ProjectFlags& flags) {
  if (at.kind == PathKind::kChart) {
    return watch_of_chart(at.path, flags);
  }
  std::error_code error;
  const bool is_there = fs::exists(at.path, error);  // Where it is not, that is the mistake.
  if (is_there && (!flags.group.empty() || !flags.kind.empty())) {
    return Error(ErrorCode::kInvalidArgument,
                 "--group and --kind are for a chart; " + at.path + " names its kinds itself");
  }
  const base::SystemClock clock;
  return bundle::load_watches(at.path, clock, environment);
}

/// Kinds and keys of a dependency that is not there cannot be known.
base::Status check_dependencies(const std::vector<bundle::Watch>& watches) {
  for (const bundle::Watch& watch : watches) {
    auto present = helm::check_dependencies_present(watch.bundle.chart->chart());
    if (!present.ok()) {
      return Error(present.error().code(),
                   "chart " + watch.chart_path + ": " + present.error().message() +
                       "; fetch them: helm dependency build " + watch.chart_path);
    }
  }
  return {};
}

/// Returns the folder of views that belongs to a project without --views; "" if there is none.
std::string own_views(const ClassifiedPath& at) {
  std::error_code error;
  const std::string folder = views_beside(at.path);
  return at.kind != PathKind::kChart && fs::is_directory(folder, error) ? folder : "";
}

/// Returns the text of a file, or "" if there is none.
base::Result<std::string> text_if_any(const std::string& path) {
  auto text = base::read_file(path, kManifestBytesMax);
  return !text.ok() && text.error().code() == ErrorCode::kNotFound ? std::string() : text;
}

/// Takes a recorded value, unless a flag gives one.
template <typename T>
void recall(const std::optional<T>& recorded, bool is_given, T& into) {
  if (recorded && !is_given) {
    into = *recorded;
  }
}

base::Result<generate::ServedViews> served_views(const std::string& folder,
                                                 const ProjectFlags& flags) {
  generate::ServedViews served;
  CW_TRY(served.views, views::load_views(folder));
  served.folder = go::clean_path(folder);
  served.service = {flags.naming.ns, flags.naming.name};
  served.reviews_access = flags.reviews_access;
  return served;
}

}  // namespace

void declare_kind_flags(FlagSet& flags, ProjectFlags& into) {
  flags.text(into.group, {"group", '\0', "API group of the kind, if CHART is given"});
  flags.text(
      into.version,
      {"version", '\0', "API version of the kind, if CHART is given", {}, {}, &into.given.version});
  flags.text(into.kind, {"kind",
                         '\0',
                         "kind of the custom resources, if CHART is given",
                         {},
                         "from the chart's name"});
}

void declare_naming_flags(FlagSet& flags, ProjectFlags& into) {
  flags.text(into.naming.name,
             {"name", '\0', "name of the operator's account and roles", {}, {}, &into.given.name});
  flags.text(into.naming.ns,
             {"namespace", 'n', "namespace of the operator", {}, {}, &into.given.ns});
  flags.comma_texts(into.naming.watched, {"watch-namespaces",
                                          '\0',
                                          "namespaces that the operator watches (WATCH_NAMESPACE)",
                                          {},
                                          "all",
                                          &into.given.watched});
}

void declare_views_flag(FlagSet& flags, ProjectFlags& into) {
  flags.text(into.views, {"views", '\0', "folder of served views", kTakesFolder,
                          "views/ beside the watches file", &into.given.views});
}

void declare_monitor_flag(FlagSet& flags, ProjectFlags& into) {
  flags.text(into.naming.monitor,
             {"monitor",
              '\0',
              "objects that tell the Prometheus Operator of the metrics: none, pod (a PodMonitor), "
              "or service (a Service and a ServiceMonitor)",
              {Takes::Paths::kNone, generate::monitor_words()},
              {},
              &into.given.monitor});
}

base::Status check_naming(const generate::Naming& naming) {
  if (!kube::is_dns_subdomain(naming.name)) {
    return wrong("name", naming.name, "the name of an object");
  }
  std::vector<std::pair<std::string, std::string>> namespaces{{"namespace", naming.ns}};
  for (const std::string& ns : naming.watched) {
    namespaces.emplace_back("watch-namespaces", ns);
  }
  for (const auto& [flag, ns] : namespaces) {
    // A namespace is an RFC 1123 label: it may begin with a digit, but has no dot.
    if (ns.find('.') != std::string::npos || !kube::is_dns_subdomain(ns)) {
      return wrong(flag, ns, "the name of a namespace");
    }
  }
  CW_TRY_VOID(check_image("image", naming.image));
  if (!is_made_of(naming.tag, "_.-") || naming.tag.size() > kTagBytesMax) {
    return wrong("tag", naming.tag, "the tag of an image");
  }
  const std::vector<std::string> monitors = generate::monitor_words();
  if (std::ranges::find(monitors, naming.monitor) == monitors.end()) {
    return wrong("monitor", naming.monitor, "one of " + base::join(monitors, ", "));
  }
  return {};
}

base::Status check_image(const std::string& flag, const std::string& image) {
  if (!is_made_of(image, "_.-/:@")) {
    return wrong(flag, image, "the name of an image");
  }
  return {};
}

base::Status check_copied(const std::string& path) {
  const bool is_plain = std::ranges::none_of(path, [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '\x7f' ||
           std::string_view("\"'\\$#*?[]<>").find(c) != std::string_view::npos;
  });
  if (!is_plain || path.starts_with("--")) {
    return Error(ErrorCode::kInvalidArgument,
                 "a Dockerfile cannot copy " + go::quote(path) +
                     ": rename it, without spaces, quotes and signs such as $, * and #");
  }
  return {};
}

base::Status make_folders(const std::string& root, const std::string& path) {
  fs::path folder = root;
  for (const fs::path& name : fs::path(path).parent_path()) {
    folder /= name;
    std::error_code error;
    fs::create_directory(folder, error);
    if (!fs::is_directory(fs::symlink_status(folder, error))) {
      return Error(ErrorCode::kForbidden, folder.string() + " is not a folder");
    }
  }
  return {};
}

base::Status recall_flags(const std::string& path, const std::string& folder, ProjectFlags& flags) {
  const std::string deployment = go::join_path(folder, "manager/deployment.yaml");
  CW_TRY(const std::string pod, text_if_any(deployment));
  CW_TRY(const std::string images,
         text_if_any(go::join_path(folder, "manager/kustomization.yaml")));
  CW_TRY(const std::string topmost, text_if_any(go::join_path(folder, "kustomization.yaml")));
  auto read = recorded_flags(pod, images);
  if (!read.ok()) {
    // The place is one in that file, and its message has it.
    return Error(read.error().code(), deployment + ": " + read.error().message());
  }
  const ProjectFlags::Given& given = flags.given;
  recall(read->name, given.name, flags.naming.name);
  recall(read->ns, given.ns, flags.naming.ns);
  recall(read->watched, given.watched, flags.naming.watched);
  recall(read->image, given.image, flags.naming.image);
  recall(read->tag, given.tag, flags.naming.tag);
  recall(std::optional(generate::recorded_monitor(topmost)), given.monitor, flags.naming.monitor);
  if (classify(path).kind == PathKind::kViews) {
    recall(std::optional(read->reviews_access), given.reviews_access, flags.reviews_access);
  } else {
    recall(read->views, given.views, flags.views);
  }
  return {};
}

std::string views_beside(const std::string& watches_file) {
  return (fs::path(watches_file).parent_path() / "views").string();
}

ClassifiedPath classify(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return {helm::has_archive_name(path) ? PathKind::kChart : PathKind::kFile, path};
  }
  if (has_chart_parts(path)) {
    return {PathKind::kChart, path};
  }
  std::string watches = go::join_path(path, "watches.yaml");
  if (fs::is_regular_file(watches, error)) {
    return {PathKind::kProject, std::move(watches)};
  }
  return {has_yaml_files(path) ? PathKind::kViews : PathKind::kChart, path};
}

base::Result<Project> load_project(const std::string& path, const ProjectFlags& flags) {
  const ClassifiedPath at = classify(path);
  Project project;
  if (at.kind == PathKind::kViews) {
    if (!flags.group.empty() || !flags.kind.empty() || !flags.views.empty()) {
      return Error(ErrorCode::kInvalidArgument,
                   "--group, --kind and --views are for a chart or a watches file; " + path +
                       " is a folder of views, which name their kinds themselves");
    }
    CW_TRY(project.served, served_views(path, flags));
    return project;
  }
  if (flags.reviews_access) {
    return Error(ErrorCode::kInvalidArgument,
                 "--subject-access-review is a flag of \"chartwright serve\": give a folder of "
                 "views");
  }
  CW_TRY(project.watches, load_kinds(at, flags));
  kinds::take_sdk_names(at.path, project.watches);
  CW_TRY_VOID(check_dependencies(project.watches));
  const std::string folder = flags.views.empty() ? own_views(at) : flags.views;
  if (!folder.empty()) {
    CW_TRY(project.served, served_views(folder, flags));
    CW_TRY_VOID(views::check_groups(project.served.views, project.watches));
  }
  return project;
}

Error with_place(const Error& error) {
  if (!error.pos()) {
    return error;
  }
  return Error(error.code(), error.pos()->to_string() + ": " + error.message())
      .with_help(error.help());
}

void print_notes(const std::vector<generate::AccessNote>& notes, Streams& streams) {
  for (const generate::AccessNote& note : notes) {
    streams.err(std::string(note.is_gap ? "WARNING: " : "note: ") + note.place + ": " + note.text +
                "\n");
  }
}

}  // namespace chartwright::cmd
