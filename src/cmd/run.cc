// SPDX-License-Identifier: Apache-2.0
// `chartwright run`: helm-operator's flags and environment, then the operator.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/strings.h"
#include "cli/environment.h"
#include "cmd/commands.h"
#include "cmd/log_flags.h"
#include "cmd/serve_views.h"
#include "cmd/state_folder.h"
#include "doctor/preflight.h"
#include "host/render_memory.h"
#include "kubeconfig/config.h"
#include "process/operator_inputs.h"
#include "process/reload.h"
#include "process/run_operator.h"
#include "process/signal_watch.h"
#include "project/project.h"
#include "resource/cr_state.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;

/// The flags as given, not yet validated.
struct RunFlags {
  std::string watches_file = "./watches.yaml";
  std::string kubeconfig;
  std::string context;
  base::Duration reconcile_period = std::chrono::minutes(1);
  int64_t workers = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
  std::string metrics_address;
  std::string metrics_address_deprecated;
  std::string health_address = ":8081";
  bool leader_elect = false;
  bool leader_elect_deprecated = false;
  std::string leader_id;
  std::string leader_namespace;
  int64_t history_max = 10;
  LogFlags log;
  bool suppress_override_values = false;
  bool lenient = false;
  bool reload = false;
  bool metrics_secure = false;
  bool metrics_require_rbac = false;
  int64_t metrics_per_cr_max = process::kMetricsPerCrMax;
  std::string render_memory;
  std::string state_dir = kStateFolder;
  bool names_state_dir = false;
  std::string key_secret;
  base::Duration trusts_unsigned_for{};
  std::string views_folder;
  std::string views_address = ":3000";
  std::string views_service;
};

/// The parts of the process that a run uses.
struct ProcessParts {
  base::Clock& clock;
  const base::Logger& log;
  process::SignalWatch& signals;
};

class RunCommand final : public Command {
 public:
  explicit RunCommand(UnknownKeys unknown_keys) {
    flags_.lenient = unknown_keys == UnknownKeys::kWarn;
  }
  std::string_view name() const override { return "run"; }
  std::string_view summary() const override { return "Run the operator"; }
  void declare(FlagSet& flags) override;
  base::Result<int> run(Streams& streams) override;

 private:
  void declare_views(FlagSet& flags);
  void declare_state(FlagSet& flags);
  void declare_metrics(FlagSet& flags);
  base::Result<process::OperatorOptions> options() const;
  base::Result<process::KeyPlace> key_place(const kube::Config& config) const;
  process::InputFiles input_files(const base::Logger& log) const;
  base::Status run_once(process::OperatorOptions options, const process::OperatorInputs& inputs,
                        const ProcessParts& parts, const std::stop_token& stop) const;
  base::Status run_all(process::OperatorOptions options, const process::InputFiles& files,
                       process::OperatorInputs inputs, const ProcessParts& parts) const;
  RunFlags flags_;
};

void RunCommand::declare_views(FlagSet& flags) {
  flags.text(flags_.views_folder,
             {.name = "views",
              .help = "Folder of served views; default: views/ beside the watches file",
              .takes = kTakesFolder});
  flags.text(flags_.views_address,
             {.name = "views-bind-address", .help = "Address of the served views, over HTTPS"});
  flags.text(flags_.views_service,
             {.name = "views-service",
              .help = "Service that leads to the served views, NAMESPACE/NAME or "
                      "NAMESPACE/NAME:PORT; without it, none are served"});
}

void RunCommand::declare_state(FlagSet& flags) {
  flags.text(flags_.state_dir, {.name = "state-dir",
                                .help = "Folder that records which renders are under way, in case "
                                        "the process is killed; empty: none",
                                .takes = kTakesFolder,
                                .is_given = &flags_.names_state_dir});
  flags.text(flags_.key_secret,
             {.name = "master-key-secret",
              .help = "Secret with the key that signs records, NAMESPACE/NAME; default: "
                      "chartwright-master-key in the pod's namespace, or a file in --state-dir "
                      "out of a cluster"});
  flags.duration(flags_.trusts_unsigned_for,
                 {.name = "trust-unsigned-records",
                  .help = "For how long after the start records without a signature are trusted, "
                          "for objects of their own namespace; 0: not at all"});
}

void RunCommand::declare_metrics(FlagSet& flags) {
  flags.text(flags_.metrics_address, {.name = "metrics-bind-address",
                                      .help = "Address of /metrics; default :8080, 0: off"});
  flags.text(flags_.metrics_address_deprecated,
             {.name = "metrics-addr", .help = "Deprecated: use --metrics-bind-address"});
  flags.boolean(flags_.metrics_secure,
                {.name = "metrics-secure", .help = "Serve /metrics over HTTPS"});
  flags.boolean(flags_.metrics_require_rbac,
                {.name = "metrics-require-rbac",
                 .help = "Serve /metrics only to callers allowed by RBAC; needs --metrics-secure"});
  flags.integer(flags_.metrics_per_cr_max,
                {.name = "metrics-per-cr-max",
                 .help = "Custom resources that may have series of their own in /metrics; with "
                         "more of them, none has"});
}

void RunCommand::declare(FlagSet& flags) {
  flags.text(flags_.watches_file,
             {.name = "watches-file", .help = "Path of the watches file", .takes = kTakesFile});
  flags.boolean(flags_.lenient,
                {.name = "lenient",
                 .help = "Warn about unknown keys of the watches file, and ignore them; the "
                         "default if the program is called helm-operator"});
  flags.boolean(flags_.reload,
                {.name = "reload",
                 .help = "Look once a second for changes of the watches file, its charts and the "
                         "views, and start again with them"});
  flags.text(flags_.kubeconfig, {.name = "kubeconfig",
                                 .help = "Path of a kubeconfig; default: $KUBECONFIG, the pod's "
                                         "service account, $HOME/.kube/config",
                                 .takes = kTakesFile});
  flags.text(flags_.context, {.name = "context", .help = "Context of the kubeconfig to use"});
  flags.duration(flags_.reconcile_period,
                 {.name = "reconcile-period", .help = "Resync period of every kind; 0: none"});
  flags.integer(flags_.workers, {.name = "max-concurrent-reconciles",
                                 .help = "Concurrent reconciles per kind; default: number of CPUs",
                                 .default_text = "number of CPUs"});
  declare_metrics(flags);
  flags.text(flags_.health_address, {.name = "health-probe-bind-address",
                                     .help = "Address of /healthz and /readyz; 0: off"});
  flags.boolean(flags_.leader_elect,
                {.name = "leader-elect", .help = "Work only while holding a Lease"});
  flags.boolean(flags_.leader_elect_deprecated,
                {.name = "enable-leader-election", .help = "Deprecated: use --leader-elect"});
  flags.text(flags_.leader_id, {.name = "leader-election-id",
                                .help = "Name of the Lease; required with --leader-elect"});
  flags.text(flags_.leader_namespace, {.name = "leader-election-namespace",
                                       .help = "Namespace of the Lease; default: the pod's"});
  flags.integer(flags_.history_max,
                {.name = "history-max", .help = "Revisions kept for each custom resource"});
  flags.text(flags_.render_memory,
             {.name = "render-memory",
              .help = "Memory that one render may hold, such as 64Mi; default: derived "
                      "from the memory limit"});
  declare_state(flags);
  declare_views(flags);
  declare_log_flags(flags, flags_.log);
  flags.boolean(flags_.suppress_override_values,
                {.name = "suppress-override-values",
                 .help = "Show **** for the values in OverrideValuesInUse events"});
  flags.ignored(FlagSet::Ignored::kBoolean,
                {.name = "enable-http2", .help = "Accepted for compatibility; without effect"});
  for (std::string_view name : {"zap-stacktrace-level", "zap-time-encoding"}) {
    flags.ignored(FlagSet::Ignored::kText,
                  {.name = name, .help = "Accepted for compatibility; without effect"});
  }
}

base::Result<process::OperatorOptions> RunCommand::options() const {
  process::OperatorOptions options;
  options.namespaces = watched_namespaces();
  options.reconcile_period = flags_.reconcile_period;
  if (flags_.workers < 1) {
    return Error(ErrorCode::kInvalidArgument, "--max-concurrent-reconciles must be at least 1");
  }
  options.max_concurrent_reconciles =
      static_cast<int>(std::min<int64_t>(flags_.workers, bundle::kWorkersMax));
  if (!flags_.metrics_address.empty() && !flags_.metrics_address_deprecated.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 "--metrics-addr is the old name of --metrics-bind-address: give only one");
  }
  for (const std::string& given : {flags_.metrics_address, flags_.metrics_address_deprecated}) {
    options.metrics_address = given.empty() ? options.metrics_address : given;
  }
  if (flags_.metrics_require_rbac && !flags_.metrics_secure) {
    return Error(ErrorCode::kInvalidArgument,
                 "--metrics-secure flag is required when --metrics-require-rbac is present");
  }
  options.metrics_secure = flags_.metrics_secure;
  options.metrics_require_rbac = flags_.metrics_require_rbac;
  if (flags_.metrics_per_cr_max < 0) {
    return Error(ErrorCode::kInvalidArgument, "--metrics-per-cr-max must be at least 0");
  }
  options.metrics_per_cr_max = static_cast<size_t>(flags_.metrics_per_cr_max);
  // controller-runtime's path, so that existing mounts of a certificate keep working.
  options.metrics_certificates =
      environment("TMPDIR").value_or("/tmp") + "/k8s-metrics-server/serving-certs";
  options.health_address = flags_.health_address;
  options.suppress_override_values = flags_.suppress_override_values;
  if (flags_.leader_elect && flags_.leader_elect_deprecated) {
    return Error(ErrorCode::kInvalidArgument,
                 "--enable-leader-election is the old name of --leader-elect: give only one");
  }
  options.leader_elect = flags_.leader_elect || flags_.leader_elect_deprecated;
  options.leader_election_id =
      flags_.leader_id.empty() ? environment("OPERATOR_NAME").value_or("") : flags_.leader_id;
  options.leader_election_namespace = flags_.leader_namespace;
  if (options.leader_elect && options.leader_election_id.empty()) {
    return Error(ErrorCode::kInvalidArgument, "LeaderElectionID must be configured");
  }
  if (flags_.history_max < 1) {
    return Error(ErrorCode::kInvalidArgument, "--history-max must be at least 1");
  }
  options.state_dir = flags_.state_dir;
  if (!flags_.render_memory.empty()) {
    auto memory = host::parse_render_memory(flags_.render_memory);
    if (!memory.ok()) {
      return std::move(memory).error().wrap("--render-memory");
    }
    options.render_memory = *memory;
  }
  options.history_max = static_cast<int>(std::min<int64_t>(flags_.history_max, op::kHistoryMax));
  options.trusts_unsigned_for = flags_.trusts_unsigned_for;
  return options;
}

// A pod knows its namespace, and every replica of it has the same.
base::Result<process::KeyPlace> RunCommand::key_place(const kube::Config& config) const {
  process::KeyPlace place;
  place.folder = flags_.state_dir;
  place.secret.gvk = {"", "v1", "Secret"};
  if (!flags_.key_secret.empty()) {
    const std::vector<std::string_view> parts = base::split(flags_.key_secret, '/');
    if (parts.size() != 2 || !kube::is_path_segment(parts[0]) || !kube::is_path_segment(parts[1])) {
      return Error(ErrorCode::kInvalidArgument,
                   "--master-key-secret: \"" + flags_.key_secret + "\" is not NAMESPACE/NAME");
    }
    place.secret.ns = parts[0];
    place.secret.name = parts[1];
    return place;
  }
  const std::string ns =
      environment("POD_NAMESPACE").value_or(config.is_in_cluster ? config.ns : "");
  if (!ns.empty()) {
    place.secret.ns = ns;
    place.secret.name = process::kKeySecretName;
  }
  return place;
}

process::InputFiles RunCommand::input_files(const base::Logger& log) const {
  const std::string folder =
      flags_.views_folder.empty() ? views_beside(flags_.watches_file) : flags_.views_folder;
  process::InputFiles files{flags_.watches_file, "", flags_.lenient, environment,
                            ca_file_of_environment()};
  if (!flags_.views_service.empty()) {
    files.views_folder = folder;
    return files;
  }
  std::error_code error;
  if (!flags_.views_folder.empty() || std::filesystem::is_directory(folder, error)) {
    log.warn("Views are not served: --views-service is not set", {{"folder", folder}});
  }
  return files;
}

/// Runs the operator and, if there are any, the views beside it.
base::Status RunCommand::run_once(process::OperatorOptions options,
                                  const process::OperatorInputs& inputs, const ProcessParts& parts,
                                  const std::stop_token& stop) const {
  std::optional<ViewsBeside> beside;
  doctor::Preflight plan{
      inputs.watches, {}, options.namespaces, flags_.watches_file, flags_.views_folder};
  if (!inputs.views.empty()) {
    apiserver::ServeOptions serve;
    serve.api_server = options.api_server;
    serve.address = flags_.views_address;
    CW_TRY(serve.service, apiserver::parse_service(flags_.views_service));
    plan.served = {inputs.views, flags_.views_folder, serve.service};
    beside.emplace(std::move(serve), inputs.views, parts.clock, parts.log,
                   [&parts] { parts.signals.request_stop(); });
  }
  options.preflight = [&plan, &clock = parts.clock, log = parts.log.named("preflight")](
                          kube::Client& client, const std::stop_token& ending) {
    const kube::Call call{.stop = ending};
    const base::Status done = on_render_stack([&] {
      return doctor::preflight(plan, {client, call, clock}, log);
    });
    if (!done.ok() && !ending.stop_requested()) {
      log.warn("CRDs and rights could not be checked", {{"error", done.error().to_string()}});
    }
  };
  CW_TRY_VOID(process::run_operator(options, inputs.watches, parts.clock, parts.log, stop));
  if (const auto failure = beside ? beside->failure() : std::nullopt) {
    return *failure;
  }
  return {};
}

/// Runs the operator until a signal; with --reload, anew with each change of the inputs.
base::Status RunCommand::run_all(process::OperatorOptions options, const process::InputFiles& files,
                                 process::OperatorInputs inputs, const ProcessParts& parts) const {
  const base::Logger log = parts.log.named("cmd");
  while (true) {
    // Written by the thread that reloads, before it requests the stop.
    std::optional<process::OperatorInputs> next;
    std::stop_source stop;
    const std::stop_callback on_signal(parts.signals.token(), [&stop] { stop.request_stop(); });
    if (flags_.reload) {
      const auto load = [&](const std::stop_token& ending) {
        return process::load_inputs(files, parts.clock, log, ending);
      };
      options.reload = process::Reload::Source{load, process::paths_of(files, inputs),
                                               process::identity_of(inputs)};
      options.on_reload = [&next, &stop, &log](process::OperatorInputs changed) {
        log.info("Files have changed, starting again with them");
        next = std::move(changed);
        stop.request_stop();
      };
    }
    CW_TRY_VOID(run_once(options, inputs, parts, stop.get_token()));
    if (!next || parts.signals.token().stop_requested()) {
      return {};
    }
    inputs = *std::move(next);
  }
}

base::Result<int> RunCommand::run(Streams& /*streams*/) {
  CW_TRY(const base::LogOptions logging, log_options(flags_.log));
  CW_TRY(process::OperatorOptions options, this->options());
  base::SystemClock clock;
  const base::Logger root(logging, clock);
  const base::Logger log = root.named("cmd");
  process::SignalWatch signals(log);
  const process::InputFiles files = input_files(log);
  auto inputs = process::load_inputs(files, clock, log, signals.token());
  if (!inputs.ok()) {
    log.error(files.views_folder.empty() ? "Failed to load watches file."
                                         : "Failed to load watches file or views",
              inputs.error());
    return Error(inputs.error().code(), inputs.error().to_string());
  }
  auto config =
      kube::load_config({flags_.kubeconfig, flags_.context}, kube::ConfigEnv::from_process());
  if (!config.ok()) {
    log.error("Failed to load Kubernetes configuration", config.error());
    return Error(config.error().code(), config.error().to_string());
  }
  if (!config->is_in_cluster && !flags_.names_state_dir) {
    flags_.state_dir =
        state_folder(kStateFolder, {environment("XDG_STATE_HOME"), environment("HOME")});
    options.state_dir = project_folder(flags_.state_dir, {flags_.watches_file, config->server});
  }
  options.own_namespace = environment("POD_NAMESPACE").value_or(config->ns);
  CW_TRY(options.key_place, key_place(*config));
  if (options.leader_elect && options.leader_election_namespace.empty()) {
    options.leader_election_namespace = options.own_namespace;
    if (options.leader_election_namespace.empty()) {
      return Error(ErrorCode::kInvalidArgument,
                   "--leader-election-namespace is needed out of a cluster");
    }
  }
  log.info("Starting chartwright", {{"version", CW_VERSION}, {"config", config->source}});
  options.api_server = *std::move(config);
  CW_TRY_VOID(run_all(options, files, *std::move(inputs), {clock, root, signals}));
  log.info("Stopped");
  return kExitOk;
}

}  // namespace

std::unique_ptr<Command> make_run_command(UnknownKeys unknown_keys) {
  return std::make_unique<RunCommand>(unknown_keys);
}

}  // namespace chartwright::cmd
