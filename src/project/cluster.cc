// SPDX-License-Identifier: Apache-2.0
#include "project/cluster.h"

#include "kube/http_transport.h"
#include "process/capability_watch.h"

namespace chartwright::cmd {
namespace {

constexpr std::string_view kUnreachable = "Kubernetes cluster unreachable";

}  // namespace

Cluster::Cluster(std::unique_ptr<base::SystemClock> clock,
                 std::unique_ptr<kube::Transport> transport)
    : clock_(std::move(clock)),
      transport_(std::move(transport)),
      mapper_(*transport_, *clock_),
      client_(*transport_, mapper_, *clock_),
      lookup_(client_, call_) {}

base::Result<std::unique_ptr<Cluster>> Cluster::open(const ClusterFlags& flags) {
  auto config = cluster_config(flags);
  if (!config.ok()) {
    return base::Error(config.error().code(),
                       std::string(kUnreachable) + ": " + config.error().to_string());
  }
  auto clock = std::make_unique<base::SystemClock>();
  auto transport = kube::make_transport(*config, *clock);
  if (!transport.ok()) {
    return std::move(transport).error().wrap(kUnreachable);
  }
  return std::unique_ptr<Cluster>(new Cluster(std::move(clock), *std::move(transport)));
}

base::Status Cluster::check_reachable() {
  auto version = mapper_.server_version(call_);
  if (!version.ok()) {
    return std::move(version).error().wrap(kUnreachable);
  }
  return {};
}

base::Result<std::shared_ptr<const bundle::CapabilitySet>> Cluster::capabilities() {
  auto version = mapper_.server_version(call_);
  if (!version.ok()) {
    return std::move(version).error().wrap("could not get server version from Kubernetes");
  }
  auto read = process::read_capabilities(mapper_, *version, call_);
  if (!read.ok()) {
    return std::move(read).error().wrap("could not get apiVersions from Kubernetes");
  }
  return read;
}

}  // namespace chartwright::cmd
