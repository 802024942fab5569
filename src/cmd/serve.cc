// SPDX-License-Identifier: Apache-2.0
// `chartwright serve`: served views alone, without an operator.
#include <utility>

#include "apiserver/server.h"
#include "cmd/commands.h"
#include "cmd/log_flags.h"
#include "kubeconfig/config.h"
#include "process/signal_watch.h"
#include "runtime/pause.h"
#include "views/view_file.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;

constexpr base::Duration kLifetimeMin = std::chrono::seconds(10);

/// Logs an error, and returns it with its position in the text.
Error logged(const base::Logger& log, std::string_view message, const Error& error) {
  log.error(message, error);
  return Error(error.code(), error.to_string());
}

class ServeCommand final : public Command {
 public:
  std::string_view name() const override { return "serve"; }
  std::string_view summary() const override { return "Serve views as an aggregated API"; }
  void declare(FlagSet& flags) override;
  base::Result<int> run(Streams& streams) override;

 private:
  base::Result<apiserver::ServeOptions> options() const;
  base::Status serve(apiserver::ServeOptions options, const base::Logger& root, base::Clock& clock);

  std::string folder_ = "./views";
  std::string address_ = ":3000";
  std::string service_;
  std::string kubeconfig_;
  std::string context_;
  base::Duration lifetime_ = std::chrono::hours(24 * 90);
  bool review_access_ = false;
  bool unregister_ = false;
  LogFlags log_;
};

void ServeCommand::declare(FlagSet& flags) {
  flags.text(folder_, {.name = "views", .help = "Folder of the views", .takes = kTakesFolder});
  flags.text(address_, {.name = "listen", .help = "Address to serve on, over HTTPS"});
  flags.text(service_, {.name = "service",
                        .help = "Service that leads here, NAMESPACE/NAME or NAMESPACE/NAME:PORT"});
  flags.duration(lifetime_, {.name = "certificate-lifetime",
                             .help = "Lifetime of the serving certificate, which is renewed after "
                                     "two thirds of it"});
  flags.boolean(review_access_,
                {.name = "subject-access-review",
                 .help = "Ask the API server about each request's user, as the aggregator did"});
  flags.boolean(unregister_, {.name = "unregister",
                              .help = "Delete the APIServices and exit: the first step of an "
                                      "uninstallation"});
  flags.text(kubeconfig_, {.name = "kubeconfig",
                           .help = "Path of a kubeconfig; default: $KUBECONFIG, the pod's "
                                   "service account, $HOME/.kube/config",
                           .takes = kTakesFile});
  flags.text(context_, {.name = "context", .help = "Context of the kubeconfig to use"});
  declare_log_flags(flags, log_);
}

base::Result<apiserver::ServeOptions> ServeCommand::options() const {
  apiserver::ServeOptions options;
  options.address = address_;
  if (service_.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 "--service is needed: the aggregator reaches this server through it");
  }
  auto service = apiserver::parse_service(service_);
  if (!service.ok()) {
    return std::move(service).error().wrap("--service");
  }
  options.service = *service;
  if (lifetime_ < kLifetimeMin) {
    return Error(ErrorCode::kInvalidArgument, "--certificate-lifetime must be at least 10s");
  }
  options.certificate_lifetime = lifetime_;
  options.review_access = review_access_;
  return options;
}

base::Status ServeCommand::serve(apiserver::ServeOptions options, const base::Logger& root,
                                 base::Clock& clock) {
  const base::Logger log = root.named("cmd");
  const process::SignalWatch signals(log);
  const auto views = views::load_views(folder_);
  if (!views.ok()) {
    return logged(log, "Failed to load views", views.error());
  }
  auto config = kube::load_config({kubeconfig_, context_}, kube::ConfigEnv::from_process());
  if (!config.ok()) {
    return logged(log, "Failed to load Kubernetes configuration", config.error());
  }
  if (unregister_) {
    return apiserver::unregister_views(options.service, *views, *config, clock, root);
  }
  options.api_server = *std::move(config);
  auto server = apiserver::Server::start(options, *views, clock, root, signals.token());
  if (!server.ok()) {
    if (signals.token().stop_requested()) {
      return {};
    }
    return logged(log, "Failed to serve views", server.error());
  }
  while (!signals.token().stop_requested()) {
    runtime::pause(clock, std::chrono::hours(1), signals.token());
  }
  return {};
}

base::Result<int> ServeCommand::run(Streams& /*streams*/) {
  CW_TRY(const base::LogOptions logging, log_options(log_));
  CW_TRY(apiserver::ServeOptions options, this->options());
  base::SystemClock clock;
  const base::Logger root(logging, clock);
  CW_TRY_VOID(serve(std::move(options), root, clock));
  root.named("cmd").info("Stopped");
  return kExitOk;
}

}  // namespace

std::unique_ptr<Command> make_serve_command() { return std::make_unique<ServeCommand>(); }

}  // namespace chartwright::cmd
