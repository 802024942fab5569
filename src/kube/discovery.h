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

namespace chartwright::kube {

/// Error::reason() when the server does not serve a kind (its CRD may come later).
inline constexpr std::string_view kNoMatchReason = "NoMatch";

enum class Scope : uint8_t { kNamespaced, kCluster };

/// How a kind is addressed: its URL name and whether it lives in namespaces.
struct ResourceMapping {
  Gvk gvk;
  std::string plural;  ///< "deployments"
  Scope scope = Scope::kNamespaced;
  bool has_status = false;  ///< Serves the status subresource.
  /// "/apis/apps/v1/namespaces/ns/deployments/name", each segment escaped; leaves out what is
  /// empty: without a name it is the collection's path.
  std::string path(std::string_view ns, std::string_view name) const;
};

/// What GET /version says.
struct ServerVersion {
  std::string major;
  std::string minor;
  std::string git_version;  ///< "v1.36.3"
};

/// Knows the kinds that the API server serves. Asks aggregated discovery (falling back to one
/// request per group version where it is not served), remembers the answer, and asks again for an
/// unknown kind at most once per `kMinRefresh`. Thread-safe; several callers share one refresh.
class RestMapper {
 public:
  static constexpr base::Duration kMinRefresh = std::chrono::seconds(5);
  /// Both must outlive the mapper.
  RestMapper(Transport& transport, base::Clock& clock);
  ~RestMapper();
  RestMapper(const RestMapper&) = delete;
  RestMapper& operator=(const RestMapper&) = delete;

  /// Errors: kNotFound with reason "NoMatch" when the server does not serve `gvk`; whatever the
  /// discovery requests fail with.
  base::Result<ResourceMapping> mapping_for(const Gvk& gvk, const Call& call);
  /// The mapping of the group's preferred version. Errors as mapping_for.
  base::Result<ResourceMapping> preferred_mapping(const GroupKind& kind, const Call& call);
  /// "group/version" and "group/version/Kind" of everything served, sorted: Helm's
  /// .Capabilities.APIVersions.
  base::Result<std::vector<std::string>> api_versions(const Call& call);
  base::Result<ServerVersion> server_version(const Call& call);
  /// Asks the server again unless what is known is younger than `age`: a kind is expected that
  /// mapping_for might not ask for yet. Errors: whatever the discovery requests fail with.
  base::Status refresh(base::Duration age, const Call& call);
  /// Forgets everything (a CRD came or went): the next question asks the server.
  void invalidate();

 private:
  struct Snapshot;
  using SnapshotPtr = std::shared_ptr<const Snapshot>;

  /// What is known, asking the server only when nothing is.
  base::Result<SnapshotPtr> snapshot(const Call& call) CW_EXCLUDES(mutex_);
  /// What is known, asking the server when that is older than `age`.
  base::Result<SnapshotPtr> fresher(const SnapshotPtr& seen, base::Duration age, const Call& call)
      CW_EXCLUDES(mutex_);
  /// Waits for an answer newer than `seen`, asking for it unless another thread does.
  base::Result<SnapshotPtr> replace(const SnapshotPtr& seen, const Call& call) CW_EXCLUDES(mutex_);

  Transport& transport_;
  base::Clock& clock_;
  base::Mutex mutex_;
  base::CondVar refreshed_;
  SnapshotPtr snapshot_ CW_GUARDED_BY(mutex_);
  bool refreshing_ CW_GUARDED_BY(mutex_) = false;
};

}  // namespace chartwright::kube
