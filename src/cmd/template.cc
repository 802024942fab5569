// SPDX-License-Identifier: Apache-2.0
#include "cmd/template.h"

#include <algorithm>
#include <filesystem>

#include "base/ascii.h"
#include "base/strings.h"
#include "cmd/commands.h"
#include "cmd/helm_version.h"
#include "doctor/install_check.h"
#include "external/offline.h"
#include "go/quote.h"
#include "helm/render/functions.h"
#include "helm/values/dependencies.h"
#include "helm/version/log_line.h"
#include "host/host.h"
#include "tmpl/template.h"

namespace chartwright::cmd {
namespace {

/// Declares the flags of any version of helm template that have no effect for a chart on disk with
/// all its dependencies. --verify is not among them: users must not believe that a signature was
/// checked.
void declare_ignored_flags(FlagSet& flags) {
  constexpr std::string_view kHelp = "accepted for compatibility with helm template";
  for (const char* name : {"create-namespace", "force", "force-conflicts", "force-replace",
                           "server-side", "replace", "wait", "wait-for-jobs", "devel", "atomic",
                           "rollback-on-failure", "skip-crds", "hide-notes", "dependency-update",
                           "insecure-skip-tls-verify", "pass-credentials", "plain-http"}) {
    flags.ignored(FlagSet::Ignored::kBoolean, {name, '\0', kHelp});
  }
  flags.ignored(FlagSet::Ignored::kText, {"labels", 'l', kHelp});
  for (const char* name :
       {"timeout", "description", "version", "repo", "username", "password", "ca-file", "cert-file",
        "key-file", "keyring", "registry-config", "repository-config", "repository-cache",
        "content-cache", "burst-limit", "qps", "color", "colour"}) {
    flags.ignored(FlagSet::Ignored::kText, {name, '\0', kHelp});
  }
}

constexpr std::string_view kNameRule =
    R"(^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$)";
constexpr size_t kReleaseNameBytesMax = 53;

/// Reports whether every part between dots consists of lower-case letters, digits and inner dashes.
bool is_release_name(std::string_view name) {
  if (name.size() > kReleaseNameBytesMax) {
    return false;
  }
  for (std::string_view part : base::split(name, '.')) {
    const bool plain = std::all_of(part.begin(), part.end(), [](char c) {
      return base::is_ascii_lower(c) || base::is_ascii_digit(c) || c == '-';
    });
    if (!plain || part.empty() || part.front() == '-' || part.back() == '-') {
      return false;
    }
  }
  return true;
}

/// Source: helm/helm v3 pkg/chartutil/validate_name.go, pkg/action/install.go availableName.
base::Status check_release_name(const std::string& name, const helm::Profile& profile) {
  if (!name.empty() && is_release_name(name)) {
    return {};
  }
  const std::string why = name.empty()
                              ? "no name provided"
                              : "invalid release name, must match regex " + std::string(kNameRule) +
                                    " and the length must not be longer than " +
                                    std::to_string(kReleaseNameBytesMax);
  base::Error error(base::ErrorCode::kInvalidArgument,
                    "release name " + go::quote(name) + ": " + why);
  return profile.steps == helm::StepRule::kNamed
             ? std::move(error).wrap("release name check failed")
             : error;
}

/// Checks that the chart exists. Charts are read from disk only; Helm would look for any other name
/// in a repository.
/// Source: helm/helm v3 pkg/action/install.go LocateChart.
base::Status check_chart_path(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    return {};
  }
  std::string why = "non-absolute URLs should be in form of repo_name/path_to_chart, got: " + path;
  if (path.starts_with('/') || path.starts_with('.')) {
    why = "path " + go::quote(path) + " not found";
  } else if (const size_t slash = path.find('/'); slash != std::string::npos) {
    why = "repo " + path.substr(0, slash) + " not found";
  }
  return base::Error(base::ErrorCode::kNotFound, why)
      .with_help("Charts are read from folders and .tgz archives, not from repositories.");
}

base::Result<std::string> expand_name(const std::string& name_template) {
  auto functions = std::make_shared<tmpl::FunctionMap>(*helm::helm_functions());
  tmpl::Template templates(functions, "name-template");
  CW_TRY_VOID(templates.parse("name-template", name_template));
  base::SystemClock clock;
  host::SystemHost host(clock);
  base::Budget budget({}, clock);
  tmpl::WrittenDicts written;
  helm::funcs::Caches caches;
  helm::RenderState state(caches);
  std::string out;
  CW_TRY_VOID(templates.execute("name-template", value::Value(),
                                {tmpl::MissingKey::kDefault, budget, written, host, &state}, out));
  return out;
}

base::Status check_installable(const helm::Chart& chart, const helm::Profile& profile) {
  const std::string& type = chart.metadata.type;
  if (!type.empty() && type != "application") {
    return base::Error(base::ErrorCode::kInvalidArgument, type + " charts are not installable");
  }
  if (auto status = helm::check_dependencies_present(chart); !status.ok()) {
    return std::move(status).error().wrap(
        profile.steps == helm::StepRule::kNamed
            ? "an error occurred while checking for chart dependencies. You may need to run 'helm "
              "dependency build' to fetch missing dependencies"
            : "An error occurred while checking for chart dependencies. You may need to run `helm "
              "dependency build` to fetch missing dependencies");
  }
  return {};
}

/// Returns the capabilities without a cluster, as modified by the flags.
base::Result<helm::Capabilities> capabilities(const TemplateOptions& options,
                                              const helm::Profile& profile) {
  auto found = helm::Capabilities::offline(profile);
  if (!options.kube_version.empty()) {
    auto parsed = helm::parse_kube_version(options.kube_version, profile);
    if (!parsed.ok()) {
      return std::move(parsed).error().wrap("invalid kube version '" + options.kube_version + "'");
    }
    found.kube_version = std::move(parsed).value();
  }
  if (!options.api_versions.empty()) {
    std::vector<value::Value> all = found.api_versions.as_list().items;
    for (const std::string& version : options.api_versions) {
      all.push_back(value::Value::string(version));
    }
    found.api_versions = value::Value::list(std::move(all), value::kStringList);
  }
  return found;
}

helm::RenderInputs render_inputs(const TemplateOptions& options, const std::string& name,
                                 value::Value values, helm::Capabilities capabilities) {
  helm::RenderInputs inputs;
  inputs.values = std::move(values);
  inputs.release.name = name;
  inputs.capabilities = std::move(capabilities);
  inputs.release.namespace_name = release_namespace(options.namespace_name, options.cluster);
  inputs.release.action =
      options.is_upgrade ? helm::ReleaseAction::kUpgrade : helm::ReleaseAction::kInstall;
  inputs.schema_check =
      options.skip_schema_validation ? helm::SchemaCheck::kSkip : helm::SchemaCheck::kValidate;
  inputs.subchart_notes =
      options.render_subchart_notes ? helm::SubchartNotes::kInclude : helm::SubchartNotes::kOmit;
  return inputs;
}

void print_warnings(const helm::Warnings& warnings, Streams& streams) {
  for (const std::string& warning : warnings) {
    streams.err(warning + "\n");
  }
}

/// Reports whether `lookup` reads from the cluster. Source: pkg/action/install.go RunWithContext.
bool looks_up(const TemplateOptions& options) {
  const std::string& dry_run = options.dry_run;
  return dry_run == "server" || dry_run == "none" || dry_run == "false";
}

base::Status check_dry_run(const std::string& dry_run) {
  for (std::string_view known : {"false", "true", "none", "client", "server"}) {
    if (dry_run == known) {
      return {};
    }
  }
  return base::Error(
      base::ErrorCode::kInvalidArgument,
      "Invalid dry-run flag. Flag must one of the following: false, true, none, client, server");
}

/// Opens the cluster if the flags require one; else returns nullptr.
base::Result<std::unique_ptr<Cluster>> open_cluster(const TemplateOptions& options) {
  std::unique_ptr<Cluster> cluster;
  if (options.validate || looks_up(options)) {
    CW_TRY(cluster, Cluster::open(options.cluster));
  }
  if (options.validate) {
    CW_TRY_VOID(cluster->check_reachable());
  }
  return cluster;
}

// As Helm does, the command goes on without what a silent server has.
void warn_of_unknown(const helm::RenderableChart& chart, const bundle::CapabilitySet& set,
                     Streams& streams) {
  if (const auto unknown = bundle::capability_reads(chart).unknown(set)) {
    streams.err("WARNING: the server does not say which kinds " + unknown->version + " has (" +
                unknown->why + "); the chart is rendered as if there were none\n");
  }
}

doctor::Ownership required_ownership(const TemplateOptions& options) {
  if (options.is_upgrade) {
    return doctor::Ownership::kUnasked;
  }
  return options.take_ownership ? doctor::Ownership::kAny : doctor::Ownership::kOurs;
}

base::Status check_against(Cluster& cluster, const std::string& manifests,
                           const TemplateOptions& options, const helm::Release& release) {
  doctor::InstallCheck check{release.name, release.namespace_name};
  check.fields =
      options.disable_openapi_validation ? doctor::FieldCheck::kNo : doctor::FieldCheck::kYes;
  check.ownership = required_ownership(options);
  return doctor::check_install(manifests, check, cluster.client(), cluster.call());
}

/// Loads the chart and rejects one that cannot be installed.
base::Result<std::shared_ptr<const helm::RenderableChart>> load_chart(const std::string& path,
                                                                      const helm::Profile& profile,
                                                                      base::Clock& clock,
                                                                      Streams& streams) {
  CW_TRY(auto loaded, helm::RenderableChart::load(path, profile, schemas_as_helm(clock)));
  print_warnings(loaded->warnings(), streams);
  CW_TRY_VOID(check_installable(loaded->chart(), profile));
  if (loaded->chart().metadata.deprecated) {
    streams.err((profile.log == helm::LogRule::kRecords
                     ? helm::log_line({"WARN", "this chart is deprecated", {}})
                     : "WARNING: This chart is deprecated") +
                "\n");
  }
  return loaded;
}

base::Status render_chart(const TemplateOptions& options, Streams& streams) {
  CW_TRY(const helm::Profile* const profile, selected_profile(options.helm_version));
  CW_TRY(helm::Capabilities known, capabilities(options, *profile));
  CW_TRY(const NameAndChart target, name_and_chart(options));
  CW_TRY_VOID(check_chart_path(target.chart));
  std::vector<ValuesText> texts;
  base::SystemClock clock;
  CW_TRY(value::Value values, merge_value_flags(options, profile->values, streams, &texts));
  CW_TRY(const auto loaded, load_chart(target.chart, *profile, clock, streams));
  CW_TRY_VOID(check_dry_run(options.dry_run));
  CW_TRY(const std::unique_ptr<Cluster> cluster, open_cluster(options));
  CW_TRY_VOID(check_release_name(target.name, *profile));
  if (options.validate) {
    CW_TRY(const auto of_cluster, cluster->capabilities());
    warn_of_unknown(*loaded, *of_cluster, streams);
    known = of_cluster->capabilities();
  }
  helm::RenderInputs inputs =
      render_inputs(options, target.name, std::move(values), std::move(known));
  inputs.extra = external::offline_scope(loaded);
  inputs.layers = value_layers(options, profile->values, std::move(texts));
  host::SystemHost host(clock,
                        options.enable_dns ? host::NameLookup::kSystem : host::NameLookup::kNone);
  const helm::RenderContext context{host, clock, looks_up(options) ? &cluster->reader() : nullptr};
  const auto failure = [&](base::Error error, FailedStage stage) {
    return template_failure(std::move(error), stage, {*loaded, inputs, context},
                            {options, target, streams});
  };
  auto prepared = helm::prepare(*loaded, inputs);
  if (!prepared.ok()) {
    return failure(std::move(prepared).error(), FailedStage::kPrepare);
  }
  auto rendered = helm::render(*loaded, *std::move(prepared), inputs, context);
  if (!rendered.ok()) {
    return failure(std::move(rendered).error(), FailedStage::kRender);
  }
  print_warnings(rendered->warnings, streams);
  TemplateOutput output({options, target, streams}, profile->split);
  auto manifests = output.manifests(*rendered);
  if (!manifests.ok()) {
    return with_debug_hint(manifests.error(), options);
  }
  if (options.validate) {
    CW_TRY_VOID(check_against(*cluster, *manifests, options, inputs.release));
  }
  return output.print(*rendered, *manifests);
}

class TemplateCommand final : public Command {
 public:
  std::string_view name() const override { return "template"; }
  std::string_view summary() const override { return "Render a chart and print its manifests"; }

  void declare(FlagSet& flags) override {
    TemplateOptions& o = options_;
    declare_value_flags(flags, o);
    flags.text(o.namespace_name, {"namespace", 'n', "namespace of the release"});
    flags.text(o.kube_version,
               {"kube-version", '\0', "Kubernetes version used for Capabilities.KubeVersion"});
    declare_helm_version(flags, o.helm_version);
    flags.comma_texts(
        o.api_versions,
        {"api-versions", 'a', "Kubernetes api versions used for Capabilities.APIVersions"});
    flags.texts(o.show_only,
                {"show-only", 's', "only show manifests rendered from the given templates"});
    flags.text(
        o.output_dir,
        {"output-dir", '\0',
         "writes the executed templates to files in output-dir instead of stdout", kTakesFolder});
    flags.text(o.name_template,
               {"name-template", '\0', "specify template used to name the release"});
    flags.boolean(o.generate_name,
                  {"generate-name", 'g', "generate the name (and omit the NAME parameter)"});
    flags.boolean(o.include_crds, {"include-crds", '\0', "include CRDs in the templated output"});
    flags.boolean(o.skip_tests, {"skip-tests", '\0', "skip tests from templated output"});
    flags.boolean(o.no_hooks, {"no-hooks", '\0', "leave out hooks"});
    flags.boolean(o.is_upgrade,
                  {"is-upgrade", '\0', "set .Release.IsUpgrade instead of .Release.IsInstall"});
    flags.boolean(o.use_release_name,
                  {"release-name", '\0', "use release name in the output-dir path"});
    flags.boolean(o.skip_schema_validation,
                  {"skip-schema-validation", '\0', "disables JSON schema validation"});
    flags.boolean(o.render_subchart_notes,
                  {"render-subchart-notes", '\0', "render subchart notes along with the parent"});
    flags.text(
        o.post_renderer.program,
        {"post-renderer", '\0',
         "program that reads the manifests and prints new ones to output instead", kTakesFile});
    flags.texts(
        o.post_renderer.arguments,
        {"post-renderer-args", '\0', "an argument to the post-renderer (can specify multiple)"});
    flags.boolean(o.enable_dns,
                  {"enable-dns", '\0', "enable DNS lookups when rendering templates"});
    flags.boolean(o.debug, {"debug", '\0', "on an error, print what was rendered, and long help"});
    flags.boolean(o.all_errors, {"all-errors", '\0',
                                 "continue after the first error and report all, with long help"});
    flags.boolean(o.validate,
                  {"validate", '\0',
                   "validate manifests against the cluster as an install does: kinds, metadata and "
                   "ownership of existing objects; Capabilities are those of the cluster"});
    flags.boolean(o.disable_openapi_validation, {"disable-openapi-validation", '\0',
                                                 "with --validate: do not require apiVersion"});
    flags.boolean(o.take_ownership, {"take-ownership", '\0',
                                     "with --validate: ignore the ownership of existing objects"});
    flags.optional_text(o.dry_run,
                        {"dry-run", '\0',
                         "--dry-run=server: lookup in templates reads the cluster; default: client",
                         Takes{.words = {"client", "server", "none"}}});
    declare_cluster_flags(flags, o.cluster);
    declare_ignored_flags(flags);
    flags.arguments(o.arguments, "[NAME] CHART", "name of the release, and chart folder or archive",
                    kTakesFile);
  }

  base::Result<int> run(Streams& streams) override {
    CW_TRY_VOID(locate(options_.post_renderer));
    if (options_.arguments.empty()) {
      return base::Error(base::ErrorCode::kInvalidArgument,
                         "\"chartwright template\" requires at least 1 argument\n\nUsage:  "
                         "chartwright template [NAME] [CHART] [flags]");
    }
    streams.shows_help = options_.debug || options_.all_errors;
    CW_TRY_VOID(on_render_stack([&] { return render_chart(options_, streams); }));
    return kExitOk;
  }

 private:
  TemplateOptions options_;
};

}  // namespace

base::Result<NameAndChart> name_and_chart(const TemplateOptions& options) {
  const auto& arguments = options.arguments;
  const auto invalid = [](std::string message) {
    return base::Error(base::ErrorCode::kInvalidArgument, std::move(message));
  };
  if (arguments.size() > 2) {
    const std::vector<std::string> rest(arguments.begin() + 2, arguments.end());
    return invalid("expected at most two arguments, unexpected arguments: " +
                   base::join(rest, ", "));
  }
  if (arguments.size() == 2) {
    if (options.generate_name) {
      return invalid("cannot set --generate-name and also specify a name");
    }
    if (!options.name_template.empty()) {
      return invalid("cannot set --name-template and also specify a name");
    }
    return NameAndChart{arguments[0], arguments[1]};
  }
  if (!options.name_template.empty()) {
    CW_TRY(std::string name, expand_name(options.name_template));
    return NameAndChart{std::move(name), arguments[0]};
  }
  return NameAndChart{"release-name", arguments[0]};
}

std::unique_ptr<Command> make_template_command() { return std::make_unique<TemplateCommand>(); }

}  // namespace chartwright::cmd
