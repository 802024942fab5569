// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "helm/schema/schema_source.h"
#include "kube/transport.h"

namespace chartwright::host {

/// Loads schemas over HTTP and HTTPS, and keeps them for as long as it lives. Sends no credentials,
/// and checks certificates. Thread-safe.
/// Source: helm/helm pkg/chartutil/jsonschema.go HTTPURLLoader.
class RemoteSchemas final : public helm::SchemaSource {
 public:
  static constexpr int kRequestsMax = 10;  ///< For one document, with redirects: as Go's client.
  /// The limit for one document, as in Helm.
  static constexpr base::Duration kLoadTime = std::chrono::seconds(15);
  /// The limit of one document; Helm's limit of a chart's file.
  static constexpr size_t kBytesMax = size_t{5} << 20;
  /// The time for all documents within a period, so that a slow server is not asked again and
  /// again.
  static constexpr base::Duration kAllLoadsTime = std::chrono::minutes(1);
  static constexpr base::Duration kPeriod = std::chrono::minutes(5);
  /// A document that could not be loaded is not asked for again so soon.
  static constexpr base::Duration kFailureKept = std::chrono::seconds(30);

  /// Makes a connection without credentials to an origin, such as "https://example.com:8443".
  using Connect = std::function<base::Result<std::unique_ptr<kube::Transport>>(std::string origin)>;

  /// `clock` must outlive the object. `ca_file` has the authorities that are trusted; "": the
  /// machine's. A load ends soon after `stop` is requested.
  explicit RemoteSchemas(base::Clock& clock, std::string ca_file = "", std::stop_token stop = {});
  RemoteSchemas(base::Clock& clock, Connect connect)
      : clock_(clock), connect_(std::move(connect)) {}

  /// Errors, in Helm's words where they are not those of the TLS and socket library: kUnavailable,
  /// kTimeout and kCancelled of the connection, kSchema for a status other than 200 and for what is
  /// not allowed, kBudget for a document that is too large.
  base::Result<std::string> load(const std::string& url) const override CW_EXCLUDES(mutex_);

 private:
  struct Failure {
    base::Error error;
    base::MonotonicTime until;
  };
  base::Result<std::string> fetch(const std::string& url) const;
  base::Result<kube::Response> get(const std::string& url, base::MonotonicTime began) const;
  void keep(const std::string& url, const base::Result<std::string>& result) const
      CW_REQUIRES(mutex_);

  base::Clock& clock_;
  const Connect connect_;
  const std::stop_token stop_;
  mutable base::Mutex mutex_;
  mutable std::map<std::string, std::string> texts_ CW_GUARDED_BY(mutex_);
  mutable size_t text_bytes_ CW_GUARDED_BY(mutex_) = 0;
  mutable std::map<std::string, Failure> failures_ CW_GUARDED_BY(mutex_);
  mutable base::Duration spent_ CW_GUARDED_BY(mutex_){};
  mutable base::MonotonicTime period_end_ CW_GUARDED_BY(mutex_){};
};

}  // namespace chartwright::host
