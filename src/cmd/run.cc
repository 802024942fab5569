// SPDX-License-Identifier: Apache-2.0
// `chartwright run`: helm-operator's flags and environment, then the operator.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "base/strings.h"
#include "base/thread.h"
#include "bundle/watches.h"
#include "cmd/commands.h"
#include "host/render_memory.h"
#include "kube/config.h"
#include "operator/cr_state.h"
#include "operator/operator.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// Parses WATCH_NAMESPACE, a comma-separated list. An empty list means all namespaces.
std::vector<std::string> watched_namespaces() {
  std::vector<std::string> namespaces;
  const std::string list = environment("WATCH_NAMESPACE").value_or("");
  for (std::string_view ns : base::split(list, ',')) {
    ns = base::trim(ns);
    if (!ns.empty() && std::find(namespaces.begin(), namespaces.end(), ns) == namespaces.end()) {
      namespaces.emplace_back(ns);
    }
  }
  return namespaces;
}

/// Turns SIGINT and SIGTERM into a stop request; a second signal ends the process at once. Must be
/// created before any other thread, so that all of them inherit the blocked signals.
class SignalWatch {
 public:
  explicit SignalWatch(const base::Logger& log) : log_(log) {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
      sigaddset(&signals_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    thread_ = base::Thread("signals", base::kDefaultStackBytes, [this] { watch(); });
  }
  ~SignalWatch() {
    // SIGUSR1 ends the watching thread.
    kill(getpid(), SIGUSR1);
    thread_.join();
  }
  std::stop_token token() const { return stop_.get_token(); }

 private:
  void watch() {
    while (true) {
      int signal = 0;
      if (sigwait(&signals_, &signal) != 0 || signal == SIGUSR1) {
        return;
      }
      if (stop_.stop_requested()) {
        _exit(128 + signal);
      }
      log_.info("Stopping", {{"signal", signal == SIGINT ? "SIGINT" : "SIGTERM"}});
      stop_.request_stop();
    }
  }

  const base::Logger& log_;
  sigset_t signals_{};
  std::stop_source stop_;
  base::Thread thread_;
};

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
  bool zap_devel = false;
  std::string zap_encoder;
  std::string zap_level;
  bool suppress_override_values = false;
  bool metrics_secure = false;
  bool metrics_require_rbac = false;
  std::string render_memory;
  std::string state_dir = "/var/lib/chartwright";
};

base::Result<base::LogOptions> log_options(const RunFlags& flags) {
  base::LogOptions options;
  if (flags.zap_devel) {
    options = {base::LogLevel::kDebug, base::LogEncoding::kConsole};
  }
  if (flags.zap_encoder == "console") {
    options.encoding = base::LogEncoding::kConsole;
  } else if (flags.zap_encoder == "json") {
    options.encoding = base::LogEncoding::kJson;
  } else if (!flags.zap_encoder.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 "--zap-encoder: \"" + flags.zap_encoder + "\" is neither json nor console");
  }
  const std::string level = base::to_lower_ascii(flags.zap_level);
  const auto number = base::parse_int(level);
  if (level == "debug" || (number && *number > 0)) {
    options.level = base::LogLevel::kDebug;
  } else if (level == "info" || (number && *number == 0)) {
    options.level = base::LogLevel::kInfo;
  } else if (level == "warn") {
    options.level = base::LogLevel::kWarn;
  } else if (level == "error" || level == "panic") {
    options.level = base::LogLevel::kError;
  } else if (!level.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 "--zap-log-level: \"" + flags.zap_level +
                     "\" is none of debug, info, warn, error or a whole number");
  }
  return options;
}

class RunCommand final : public Command {
 public:
  std::string_view name() const override { return "run"; }
  std::string_view summary() const override { return "Run the operator"; }
  void declare(FlagSet& flags) override;
  base::Result<int> run(Streams& streams) override;

 private:
  base::Result<op::OperatorOptions> options() const;
  RunFlags flags_;
};

void RunCommand::declare(FlagSet& flags) {
  flags.text(flags_.watches_file,
             {.name = "watches-file", .help = "Path of the watches file", .takes = kTakesFile});
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
  flags.text(flags_.metrics_address, {.name = "metrics-bind-address",
                                      .help = "Address of /metrics; default :8080, 0: off"});
  flags.text(flags_.metrics_address_deprecated,
             {.name = "metrics-addr", .help = "Deprecated: use --metrics-bind-address"});
  flags.boolean(flags_.metrics_secure,
                {.name = "metrics-secure", .help = "Serve /metrics over HTTPS"});
  flags.boolean(flags_.metrics_require_rbac,
                {.name = "metrics-require-rbac",
                 .help = "Serve /metrics only to callers allowed by RBAC; needs --metrics-secure"});
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
  flags.text(flags_.state_dir, {.name = "state-dir",
                                .help = "Folder that records which renders are under way, in case "
                                        "the process is killed; empty: none",
                                .takes = kTakesFolder});
  flags.boolean(flags_.zap_devel,
                {.name = "zap-devel", .help = "Console encoding and debug level"});
  flags.text(flags_.zap_encoder, {.name = "zap-encoder",
                                  .help = "Log encoding: json or console",
                                  .takes = {.words = {"json", "console"}},
                                  .default_text = "json; with --zap-devel: console"});
  flags.text(flags_.zap_level, {.name = "zap-log-level",
                                .help = "debug, info, warn, error, or a number above 0",
                                .takes = {.words = {"debug", "info", "warn", "error"}},
                                .default_text = "info; with --zap-devel: debug"});
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

base::Result<op::OperatorOptions> RunCommand::options() const {
  op::OperatorOptions options;
  options.namespaces = watched_namespaces();
  options.reconcile_period = flags_.reconcile_period;
  if (flags_.workers < 1 || flags_.workers > bundle::kWorkersMax) {
    return Error(ErrorCode::kInvalidArgument, "--max-concurrent-reconciles must be between 1 and " +
                                                  std::to_string(bundle::kWorkersMax));
  }
  options.max_concurrent_reconciles = static_cast<int>(flags_.workers);
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
  return options;
}

base::Result<int> RunCommand::run(Streams& /*streams*/) {
  CW_TRY(const base::LogOptions logging, log_options(flags_));
  CW_TRY(op::OperatorOptions options, this->options());
  base::SystemClock clock;
  const base::Logger root(logging, clock);
  const base::Logger log = root.named("cmd");
  const SignalWatch signals(log);
  auto watches = bundle::load_watches(flags_.watches_file, clock, environment);
  if (!watches.ok()) {
    log.error("Failed to load watches file.", watches.error());
    return Error(watches.error().code(), watches.error().to_string());
  }
  auto config =
      kube::load_config({flags_.kubeconfig, flags_.context}, kube::ConfigEnv::from_process());
  if (!config.ok()) {
    log.error("Failed to load Kubernetes configuration", config.error());
    return Error(config.error().code(), config.error().to_string());
  }
  options.own_namespace = environment("POD_NAMESPACE").value_or(config->ns);
  if (options.leader_elect && options.leader_election_namespace.empty()) {
    options.leader_election_namespace = options.own_namespace;
    if (options.leader_election_namespace.empty()) {
      return Error(ErrorCode::kInvalidArgument,
                   "--leader-election-namespace is needed out of a cluster");
    }
  }
  log.info("Starting chartwright", {{"version", CW_VERSION}, {"config", config->source}});
  options.api_server = *std::move(config);
  CW_TRY_VOID(op::run_operator(options, *watches, clock, root, signals.token()));
  log.info("Stopped");
  return kExitOk;
}

}  // namespace

std::unique_ptr<Command> make_run_command() { return std::make_unique<RunCommand>(); }

}  // namespace chartwright::cmd
