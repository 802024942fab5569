// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "kube/object.h"
#include "kube/transport.h"
#include "value/value.h"

namespace chartwright::kube {

/// The value of Error::reason() when the server does not serve a kind (its CRD may come later).
inline constexpr std::string_view kNoMatchReason = "NoMatch";

enum class Scope : uint8_t { kNamespaced, kCluster };

/// How a kind is addressed: its URL name and whether it lives in namespaces.
struct ResourceMapping {
  Gvk gvk;
  std::string plural;  ///< "deployments"
  Scope scope = Scope::kNamespaced;
  bool has_status = false;  ///< Serves the status subresource.
  /// Served before; its server is silent now. A path that is not found then proves nothing.
  bool is_remembered = false;
  /// "/apis/apps/v1/namespaces/ns/deployments/name", each segment escaped. Empty parts are left
  /// out: without a name, this is the path of the collection.
  std::string path(std::string_view ns, std::string_view name) const;
};

/// The response to GET /version.
struct ServerVersion {
  std::string major;
  std::string minor;
  std::string git_version;  ///< "v1.36.3"
};

/// Maps each kind that the API server serves to its resource. Uses aggregated discovery (or one
/// request per group version where that is not served), caches the result, and refreshes it for an
/// unknown kind at most once per `kMinRefresh`. Thread-safe; concurrent callers share one refresh.
class RestMapper {
 public:
  static constexpr base::Duration kMinRefresh = std::chrono::seconds(5);
  /// Both must outlive the mapper.
  RestMapper(Transport& transport, base::Clock& clock);
  ~RestMapper();
  RestMapper(const RestMapper&) = delete;
  RestMapper& operator=(const RestMapper&) = delete;

  /// Errors: kNotFound with reason "NoMatch" when the server does not serve `gvk`; kUnavailable
  /// when it cannot tell, since the aggregated server of that group does not answer and has not
  /// served the kind before (without a kind: and has not answered before); those of the discovery
  /// requests.
  base::Result<ResourceMapping> mapping_for(const Gvk& gvk, const Call& call);
  /// Returns the mapping of `kind` in its group's preferred version, or in another version if that
  /// does not serve it. Errors: as mapping_for.
  base::Result<ResourceMapping> preferred_mapping(const GroupKind& kind, const Call& call);
  /// Returns "group/version" and "group/version/Kind" of all that is served, sorted, as in Helm's
  /// .Capabilities.APIVersions. A version that does not answer has the kinds that it had before.
  base::Result<std::vector<std::string>> api_versions(const Call& call);
  base::Result<ServerVersion> server_version(const Call& call);
  /// Returns the OpenAPI v3 schema that the server publishes for a kind, its references unresolved;
  /// nil if there is none (yet). Asks the server each time. Errors: those of the request.
  base::Result<value::Value> schema_of(const Gvk& gvk, const Call& call);
  /// Refreshes the cache unless it is less than `age` old, for callers that expect a new kind for
  /// which mapping_for might not refresh yet. Errors: those of the discovery requests.
  base::Status refresh(base::Duration age, const Call& call);
  /// Clears the cache, because a CRD was added or removed. The next call asks the server.
  void invalidate();

 private:
  struct Snapshot;
  using SnapshotPtr = std::shared_ptr<const Snapshot>;

  /// Returns the cached snapshot; asks the server if there is none.
  base::Result<SnapshotPtr> snapshot(const Call& call) CW_EXCLUDES(mutex_);
  /// Returns `seen` if it is less than `age` old, otherwise a newer snapshot.
  base::Result<SnapshotPtr> fresher(const SnapshotPtr& seen, base::Duration age, const Call& call)
      CW_EXCLUDES(mutex_);
  /// Returns a snapshot newer than `seen`: asks the server, or waits if another thread is doing so.
  base::Result<SnapshotPtr> replace(const SnapshotPtr& seen, const Call& call) CW_EXCLUDES(mutex_);

  Transport& transport_;
  base::Clock& clock_;
  base::Mutex mutex_;
  base::CondVar refreshed_;
  SnapshotPtr snapshot_ CW_GUARDED_BY(mutex_);
  bool refreshing_ CW_GUARDED_BY(mutex_) = false;
};

}  // namespace chartwright::kube
