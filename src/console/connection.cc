// SPDX-License-Identifier: Apache-2.0
#include "console/connection.h"

#include "kube/http_transport.h"
#include "runtime/pause.h"

namespace chartwright::cmd {

void declare_place_flags(FlagSet& flags, PlaceFlags& into) {
  flags.text(into.ns, {.name = "namespace",
                       .letter = 'n',
                       .help = "the namespace to look at",
                       .takes = {.live = Takes::Live::kNamespaces},
                       .default_text = "that of the current context"});
  flags.boolean(into.all_namespaces,
                {"all-namespaces", 'A', "look at all namespaces, whatever --namespace says"});
  flags.text(
      into.cluster.context,
      {"context", '\0', "name of the kubeconfig context to use, as --kube-context", kTakesContext});
  declare_cluster_flags(flags, into.cluster);
}

Connection::Connection(std::unique_ptr<base::SystemClock> clock,
                       std::unique_ptr<kube::Transport> transport, kube::Call call, std::string ns)
    : clock_(std::move(clock)),
      transport_(std::move(transport)),
      call_(std::move(call)),
      mapper_(*transport_, *clock_),
      client_(*transport_, mapper_, *clock_),
      ns_(std::move(ns)) {}

base::Result<std::unique_ptr<Connection>> Connection::open(const PlaceFlags& flags,
                                                           kube::Call call) {
  CW_TRY(const kube::Config config, cluster_config(flags.cluster));
  std::string ns = flags.ns.empty() ? config.ns : flags.ns;
  if (ns.empty()) {
    ns = "default";
  }
  auto clock = std::make_unique<base::SystemClock>();
  CW_TRY(auto transport, kube::make_transport(config, *clock));
  return std::unique_ptr<Connection>(new Connection(std::move(clock), std::move(transport),
                                                    std::move(call),
                                                    flags.all_namespaces ? "" : std::move(ns)));
}

void Connection::pause(base::Duration duration) { runtime::pause(*clock_, duration, call_.stop); }

}  // namespace chartwright::cmd
