// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "bundle/renderer.h"
#include "bundle/watches.h"
#include "cmd/commands.h"
#include "cmd/helm_version.h"
#include "cmd/lint_bundle.h"
#include "cmd/lint_views.h"
#include "cmd/value_flags.h"
#include "external/offline.h"
#include "go/path.h"
#include "helm/chart/archive.h"
#include "helm/lint/extended.h"
#include "helm/lint/helm.h"
#include "host/host.h"
#include "project/project.h"

namespace chartwright::cmd {
namespace {

namespace fs = std::filesystem;
using helm::lint::Messages;
using helm::lint::Severity;

constexpr size_t kOpenapiBytesMax = size_t{64} << 20;

struct LintOptions : ValueFlags {
  std::vector<std::string> charts;
  std::string namespace_name;
  std::string kube_version;
  std::string helm_version = std::string(helm::default_profile().name);
  bool names_helm = false;
  bool strict = false;
  bool quiet = false;
  bool with_subcharts = false;
  bool skip_schema_validation = false;
  bool helm_only = false;
  std::vector<std::string> openapi;
  std::string crd;
  std::string role;
  std::string views_service = "chartwright-system/chartwright";
};

/// The result of linting one chart: its findings, or why it could not be read.
struct Outcome {
  Messages messages;
  std::optional<std::string> error;

  bool has_from(Severity least) const {
    return error || std::any_of(messages.begin(), messages.end(),
                                [&](const helm::lint::Message& m) { return m.severity >= least; });
  }
};

/// Appends the charts and archives below charts/, in lexical order of the walk. Does not follow
/// links.
void find_subcharts(const fs::path& folder, std::vector<std::string>& found) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    entries.push_back(at->path());
  }
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) {
    std::error_code ignored;
    const std::string text = entry.string();
    if (entry.filename() == "Chart.yaml") {
      found.push_back(go::clean_path(folder.string()));
    } else if (helm::has_archive_name(text)) {
      found.push_back(go::clean_path(text));
    }
    if (fs::is_directory(fs::symlink_status(entry, ignored))) {
      find_subcharts(entry, found);
    }
  }
}

/// A chart or a folder of views, and the version of Helm that a chart is rendered as.
struct Target {
  std::string path;
  const helm::Profile* profile;
  bool is_views = false;
};

/// Adds the charts that the watches file of a project names, relative to its folder, and the views
/// beside it.
base::Status add_project(const std::string& folder, const std::string& file,
                         const LintOptions& options, const helm::Profile& profile,
                         std::vector<Target>& targets) {
  auto charts = bundle::charts_of_watches(file);
  if (!charts.ok()) {
    return with_place(charts.error());
  }
  if (charts->empty()) {
    return base::Error(base::ErrorCode::kInvalidArgument, file + " names no chart");
  }
  for (const bundle::NamedChart& chart : *charts) {
    const bool is_absolute = chart.path.starts_with('/');
    const std::string path =
        is_absolute ? go::clean_path(chart.path) : go::join_path(folder, chart.path);
    const helm::Profile* const helm = options.names_helm ? &profile : chart.helm;
    const bool is_known = std::ranges::any_of(targets, [&](const Target& target) {
      return target.path == path && target.profile == helm;
    });
    if (!is_known) {
      targets.push_back({path, helm});
    }
  }
  if (const std::string views = views_beside(file); classify(views).kind == PathKind::kViews) {
    targets.push_back({go::clean_path(views), &profile, true});
  }
  return {};
}

/// Returns what the arguments name, and with --with-subcharts the charts below.
base::Result<std::vector<Target>> targets_of(const LintOptions& options,
                                             const helm::Profile& profile) {
  std::vector<std::string> paths = options.charts;
  if (paths.empty()) {
    paths.emplace_back(".");
  }
  std::vector<Target> targets;
  for (const std::string& path : paths) {
    if (const ClassifiedPath at = classify(path); at.kind == PathKind::kProject) {
      CW_TRY_VOID(add_project(path, at.path, options, profile, targets));
    } else {
      targets.push_back({path, &profile, at.kind == PathKind::kViews});
    }
  }
  if (options.with_subcharts) {
    for (const Target& target : std::vector<Target>(targets)) {
      std::vector<std::string> below;
      find_subcharts(fs::path(target.path) / "charts", below);
      for (std::string& path : below) {
        targets.push_back({std::move(path), target.profile});
      }
    }
  }
  return targets;
}

/// Standard input, for several readers that each get all of it.
class SharedInput {
 public:
  explicit SharedInput(Streams streams) : streams_(std::move(streams)) {}

  /// Returns the streams of one more reader. They must not outlive this object.
  Streams for_reader() {
    Streams streams = streams_;
    streams.in = [this, at = size_t{0}]() mutable {
      if (at == read_.size()) {
        read_.push_back(streams_.in());
      }
      return read_[at++];
    };
    return streams;
  }

 private:
  Streams streams_;
  std::vector<base::Result<std::string>> read_;  ///< The result of each attempt.
};

/// Adds to `inputs` what the flags say, read as a version of Helm does.
base::Result<helm::lint::LintInputs> lint_inputs(const LintOptions& options,
                                                 const helm::Profile& profile, Streams streams,
                                                 helm::lint::LintInputs inputs) {
  inputs.profile = &profile;
  if (!options.kube_version.empty()) {
    auto parsed = helm::parse_kube_version(options.kube_version, *inputs.profile);
    if (!parsed.ok()) {
      return std::move(parsed).error().wrap("invalid kube version '" + options.kube_version + "'");
    }
    inputs.kube_version = std::move(parsed).value();
  }
  if (!options.namespace_name.empty()) {
    inputs.namespace_name = options.namespace_name;
  }
  if (options.skip_schema_validation) {
    inputs.schema_check = helm::SchemaCheck::kSkip;
  }
  std::vector<ValuesText> texts;
  CW_TRY(inputs.values, merge_value_flags(options, inputs.profile->values, streams, &texts));
  inputs.layers = value_layers(options, inputs.profile->values, std::move(texts));
  return inputs;
}

using InputsByVersion = std::map<const helm::Profile*, helm::lint::LintInputs>;

/// Returns the inputs of each version of Helm that a chart is rendered as, `common` among them.
base::Result<InputsByVersion> inputs_of(const std::vector<Target>& targets,
                                        const LintOptions& options, const Streams& streams,
                                        const helm::lint::LintInputs& common) {
  SharedInput input(streams);
  InputsByVersion inputs;
  for (const Target& target : targets) {
    const helm::Profile* const helm = target.profile;
    if (!inputs.contains(helm) && !target.is_views) {
      CW_TRY(inputs[helm], lint_inputs(options, *helm, input.for_reader(), common));
    }
  }
  return inputs;
}

/// Returns the kinds of --openapi; nullopt without that flag.
base::Result<std::optional<helm::ObjectTypes>> cluster_types(const LintOptions& options) {
  std::optional<helm::ObjectTypes> types;
  for (const std::string& path : options.openapi) {
    if (!types) {
      types.emplace();
    }
    CW_TRY(const std::string json, base::read_file(path, kOpenapiBytesMax));
    if (auto status = types->add_openapi(json); !status.ok()) {
      return std::move(status).error().wrap("--openapi " + path);
    }
  }
  return types;
}

Outcome lint_chart(const std::string& path, const LintOptions& options,
                   helm::lint::LintInputs inputs, const GivenManifests& given,
                   const helm::lint::LintContext& context) {
  const auto source = helm::ChartSource::open(path);
  if (!source.ok()) {
    return {{}, source.error().message()};
  }
  const helm::lint::ChartOrError loaded = source->load(*inputs.profile, inputs.schemas);
  if (loaded.ok() && !options.helm_only) {
    inputs.extra = external::offline_scope(*loaded);
  }
  Outcome outcome{helm::lint::lint_as_helm(*source, loaded, inputs, context), std::nullopt};
  if (loaded.ok() && !options.helm_only) {
    for (Messages found : {helm::lint::lint_extended(*source, **loaded, inputs, context),
                           lint_bundle(path, **loaded, given)}) {
      outcome.messages.insert(outcome.messages.end(), found.begin(), found.end());
    }
  }
  return outcome;
}

void print_outcome(const std::string& path, const Outcome& outcome, const LintOptions& options,
                   Streams& streams) {
  streams.tell("==> Linting " + path + "\n");
  if (outcome.error) {
    streams.tell("Error " + *outcome.error + "\n");
  }
  for (const helm::lint::Message& message : outcome.messages) {
    if (!options.quiet || message.severity > Severity::kInfo) {
      streams.tell(message.to_string() + "\n");
    }
  }
  streams.tell("\n");
}

/// Source: helm/helm cmd/helm/lint.go.
base::Status lint_charts(const LintOptions& options, Streams& streams) {
  CW_TRY(const helm::Profile* const selected, selected_profile(options.helm_version));
  CW_TRY(const auto types, cluster_types(options));
  CW_TRY(const GivenManifests given, read_given(options.crd, options.role));
  CW_TRY(const apiserver::ServiceRef service, apiserver::parse_service(options.views_service));
  CW_TRY(const std::vector<Target> targets, targets_of(options, *selected));
  if (!given.roles.empty() && given.crd.is_nil() &&
      !std::ranges::all_of(targets, &Target::is_views)) {
    return base::Error(base::ErrorCode::kInvalidArgument,
                       "--role needs --crd, which names the kind of the custom resources");
  }
  base::SystemClock clock;
  helm::lint::LintInputs common;
  common.schemas = schemas_as_helm(clock);
  common.cluster_types = types ? &*types : nullptr;
  common.check_document = bundle::check_document;
  CW_TRY(const InputsByVersion inputs, inputs_of(targets, options, streams, common));
  host::SystemHost host(clock);
  size_t failed = 0;
  bool remarkable = false;
  for (const auto& [path, profile, is_views] : targets) {
    std::vector<std::string> log;
    const Outcome outcome =
        is_views ? Outcome{lint_views(path, given, service), std::nullopt}
                 : lint_chart(path, options, inputs.at(profile), given, {host, clock, log, {}});
    for (const std::string& line : log) {
      streams.err(line + "\n");
    }
    failed += outcome.has_from(options.strict ? Severity::kWarning : Severity::kError) ? 1 : 0;
    const bool worth_reading = outcome.has_from(Severity::kWarning);
    remarkable = remarkable || worth_reading;
    if (worth_reading || !options.quiet) {
      print_outcome(path, outcome, options, streams);
    }
  }
  const std::string summary = std::to_string(targets.size()) + " chart(s) linted, " +
                              std::to_string(failed) + " chart(s) failed";
  if (failed > 0) {
    return base::Error(base::ErrorCode::kInvalidArgument, summary);
  }
  if (remarkable || !options.quiet) {
    streams.tell(summary + "\n");
  }
  return {};
}

class LintCommand final : public Command {
 public:
  std::string_view name() const override { return "lint"; }
  std::string_view summary() const override { return "Examine charts for possible issues"; }

  void declare(FlagSet& flags) override {
    LintOptions& o = options_;
    declare_value_flags(flags, o);
    flags.text(o.namespace_name, {"namespace", 'n', "namespace of the release"});
    flags.text(o.kube_version, {"kube-version", '\0',
                                "Kubernetes version used for capabilities and deprecation checks"});
    declare_helm_version(flags, o.helm_version, &o.names_helm);
    flags.boolean(o.strict, {"strict", '\0', "fail on lint warnings"});
    flags.boolean(o.quiet, {"quiet", '\0', "print only warnings and errors"});
    flags.boolean(o.with_subcharts, {"with-subcharts", '\0', "lint dependent charts"});
    flags.boolean(o.skip_schema_validation,
                  {"skip-schema-validation", '\0', "disables JSON schema validation"});
    flags.boolean(o.helm_only, {"helm-only", '\0', "report only what helm lint reports"});
    flags.texts(o.openapi, {"openapi", '\0',
                            "OpenAPI document of a cluster to check objects against, from kubectl "
                            "get --raw /openapi/v2 (can specify multiple)",
                            kTakesFile});
    flags.text(o.crd,
               {"crd", '\0', "file with the CRD of the chart's kind, to check the chart against",
                kTakesFile});
    flags.text(o.role, {"role", '\0',
                        "file with the roles of the operator, to check the chart or the views "
                        "against; for a chart, needs --crd",
                        kTakesFile});
    flags.text(o.views_service, {"views-service", '\0',
                                 "Service that leads to the views, NAMESPACE/NAME, for --role"});
    flags.arguments(
        o.charts, "CHART|VIEWS",
        "chart folders or archives, folders of views, or the folder of a project, whose "
        "watches.yaml names charts; default: the current folder",
        kTakesFile);
  }

  base::Result<int> run(Streams& streams) override {
    CW_TRY_VOID(on_render_stack([&] { return lint_charts(options_, streams); }));
    return kExitOk;
  }

 private:
  LintOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_lint_command() { return std::make_unique<LintCommand>(); }

}  // namespace chartwright::cmd
