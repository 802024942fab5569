// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "apiserver/registration.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "kubeconfig/config.h"
#include "views/view.h"

namespace chartwright::apiserver {

struct ServeOptions {
  kube::Config api_server;
  std::string address = ":3000";
  ServiceRef service;
  base::Duration certificate_lifetime = std::chrono::hours(24 * 90);
  bool review_access = false;  ///< Ask by SubjectAccessReview, too.
};

/// Serves views to the aggregator: its own listener, threads and connection to the API server, so
/// that nothing else in the process waits for a view. Keeps the certificate, the trust in the
/// aggregator and the APIServices right until destroyed.
class Server {
 public:
  /// Connects and listens. Waits for an API server that is not reachable yet, and not for the
  /// sources of views: a view without one answers 503, and is served when that comes. `views`,
  /// `clock` and `log` must outlive the server. Errors: kUnavailable (address taken); kCancelled.
  static base::Result<std::unique_ptr<Server>> start(const ServeOptions& options,
                                                     const std::vector<views::View>& views,
                                                     base::Clock& clock, const base::Logger& log,
                                                     const std::stop_token& stop);
  /// Ends. The APIServices stay (and become Unavailable), unless their Service is gone, too.
  virtual ~Server() = default;
};

/// Deletes the APIServices of `views`, as the first step of an uninstallation: one without a server
/// blocks the deletion of every namespace. Errors: those of the API server.
base::Status unregister_views(const ServiceRef& service, const std::vector<views::View>& views,
                              const kube::Config& config, base::Clock& clock,
                              const base::Logger& log);

}  // namespace chartwright::apiserver
