// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/discovery.h"
#include "kube/object.h"
#include "kube/transport.h"
#include "kube/watch_frame.h"
#include "value/value.h"

namespace chartwright::kube {

enum class DryRun : uint8_t { kOff, kServer };
enum class FieldValidation : uint8_t { kStrict, kWarn, kIgnore };
enum class Subresource : uint8_t { kNone, kStatus };
enum class Force : uint8_t { kNo, kYes };
enum class Propagation : uint8_t { kDefault, kBackground, kForeground, kOrphan };
enum class PatchType : uint8_t { kMerge, kJson };

/// The representation of the object that a write returns.
enum class Reply : uint8_t {
  kObject,    ///< The whole object in its new state.
  kMetadata,  ///< Only its metadata (kind PartialObjectMetadata), enough to learn the new version.
};

/// Options of create, update and patch.
struct WriteOptions {
  std::string field_manager;
  Subresource subresource = Subresource::kNone;
  DryRun dry_run = DryRun::kOff;
  FieldValidation validation = FieldValidation::kStrict;
  Reply reply = Reply::kObject;
};

/// Options of server-side apply. `field_manager` is required.
struct ApplyOptions {
  std::string field_manager;
  Force force = Force::kNo;
  Subresource subresource = Subresource::kNone;
  DryRun dry_run = DryRun::kOff;
  FieldValidation validation = FieldValidation::kStrict;
  Reply reply = Reply::kObject;
};

struct DeleteOptions {
  std::string uid;               ///< Precondition; none if empty.
  std::string resource_version;  ///< Precondition; none if empty.
  Propagation propagation = Propagation::kBackground;
  DryRun dry_run = DryRun::kOff;
};

struct Patch {
  PatchType type = PatchType::kMerge;
  value::Value body;  ///< A merge patch (dict) or a JSON patch (list of operations).
};

/// The result of an apply: the object in its new state, and whether the call created it (HTTP 201).
/// Each `fieldsV1` may be a string of undecoded JSON: see decode_fields.
struct Applied {
  value::Value object;
  bool created = false;
};

/// Restricts a list or watch. Selectors are in the API's string form; an empty one selects
/// everything.
struct Selection {
  std::string ns;  ///< Empty: all namespaces (or a cluster-scoped kind).
  std::string label_selector;
  std::string field_selector;
  auto operator<=>(const Selection&) const = default;
};

/// The default of ListOptions::bytes_max. The objects that are listed for one custom resource
/// may be written by others, and must not take the memory of all.
inline constexpr size_t kListBytes = size_t{64} << 20;
/// For the lists of caches: an unpaged one, as the watch cache serves it, may be far larger than
/// any object.
inline constexpr size_t kCacheListBytes = size_t{1} << 30;

/// How a list relates to a resourceVersion that it asks for.
enum class VersionMatch : uint8_t { kDefault, kExact };

struct ListOptions {
  Selection selection;
  std::string resource_version;  ///< "" = most recent, "0" = any (served from the watch cache).
  VersionMatch version_match = VersionMatch::kDefault;
  int64_t limit = 0;  ///< Objects per page; 0 = all at once.
  std::string continue_token;
  /// kMetadata: items have no more than apiVersion, kind and metadata.
  Reply reply = Reply::kObject;
  size_t bytes_max = kListBytes;  ///< A longer answer is the error kBudget.
};

struct ListPage {
  std::vector<value::Value> items;  ///< Each with apiVersion and kind set.
  std::string resource_version;
  std::string continue_token;  ///< Empty on the last page.
};

enum class SendInitialEvents : uint8_t { kNo, kYes };

struct WatchOptions {
  Selection selection;
  std::string resource_version;
  int64_t timeout_s = 290;  ///< The server ends the watch after this.
  /// kYes streams the existing objects first, then a bookmark with the annotation
  /// `k8s.io/initial-events-end`.
  SendInitialEvents send_initial_events = SendInitialEvents::kNo;
  StreamLimits limits;
  /// Called once on the calling thread, unless it is null, when the server has accepted the watch:
  /// the first event may be far off.
  std::function<void()> on_accepted = nullptr;
};

/// Reads and writes the objects of one API server. Every call blocks, within the limits of its
/// `Call`. Thread-safe.
///
/// Errors of every call, by HTTP status: 404 kNotFound, 409 kAlreadyExists (reason AlreadyExists)
/// or kConflict, 403 kForbidden, 401 kUnauthorized, 410 kExpired, 422 kInvalid, kImmutable, or
/// kConflict if the object has another uid than the body, 400/405/406/413/415 kInvalid,
/// 429 kTooManyRequests, 408/504 kTimeout, other 5xx kUnavailable; with http_status, reason, causes
/// and retry_after_s set. kNotFound with reason "NoMatch" when the kind is not served. Errors about
/// Secrets never include a server message that could quote their data.
class Client {
 public:
  virtual ~Client() = default;
  virtual base::Result<ResourceMapping> mapping_for(const Gvk& gvk, const Call& call) = 0;
  /// Returns the mapping of a kind in the version that the server prefers of those that it serves.
  virtual base::Result<ResourceMapping> preferred_mapping(const GroupKind& kind,
                                                          const Call& call) = 0;
  /// Discovers the served kinds again, unless the last discovery is less than `age` old.
  virtual base::Status refresh_kinds(base::Duration age, const Call& call) = 0;
  /// Returns the schema that the server publishes for a kind; nil if there is none.
  virtual base::Result<value::Value> schema_of(const Gvk& gvk, const Call& call) = 0;
  virtual base::Result<value::Value> get(const ObjectRef& ref, const Call& call) = 0;
  virtual base::Result<ListPage> list(const Gvk& gvk, const ListOptions& options,
                                      const Call& call) = 0;
  /// Streams events to `sink` until the server ends the watch cleanly (success), an error frame
  /// arrives (its Status becomes the error: kExpired for 410), or the connection fails.
  virtual base::Status watch(const Gvk& gvk, const WatchOptions& options, std::stop_token stop,
                             const WatchSink& sink) = 0;
  /// POSTs `object`, which must name its kind and namespace. generateName is honoured.
  virtual base::Result<value::Value> create(const value::Value& object, const WriteOptions& options,
                                            const Call& call) = 0;
  /// PUTs `object`. If metadata.resourceVersion is set, replaces only that version.
  virtual base::Result<value::Value> update(const value::Value& object, const WriteOptions& options,
                                            const Call& call) = 0;
  /// Applies `object` with server-side apply.
  virtual base::Result<Applied> apply(const value::Value& object, const ApplyOptions& options,
                                      const Call& call) = 0;
  virtual base::Result<value::Value> patch(const ObjectRef& ref, const Patch& patch,
                                           const WriteOptions& options, const Call& call) = 0;
  /// Deletes an object (`delete` is a C++ keyword). kConflict when a precondition fails.
  virtual base::Status remove(const ObjectRef& ref, const DeleteOptions& options,
                              const Call& call) = 0;
};

/// A Client over a Transport. All references must outlive it.
class HttpClient final : public Client {
 public:
  HttpClient(Transport& transport, RestMapper& mapper, base::Clock& clock);

  base::Result<ResourceMapping> mapping_for(const Gvk& gvk, const Call& call) override;
  base::Result<ResourceMapping> preferred_mapping(const GroupKind& kind, const Call& call) override;
  base::Status refresh_kinds(base::Duration age, const Call& call) override;
  base::Result<value::Value> schema_of(const Gvk& gvk, const Call& call) override;
  base::Result<value::Value> get(const ObjectRef& ref, const Call& call) override;
  base::Result<ListPage> list(const Gvk& gvk, const ListOptions& options,
                              const Call& call) override;
  base::Status watch(const Gvk& gvk, const WatchOptions& options, std::stop_token stop,
                     const WatchSink& sink) override;
  base::Result<value::Value> create(const value::Value& object, const WriteOptions& options,
                                    const Call& call) override;
  base::Result<value::Value> update(const value::Value& object, const WriteOptions& options,
                                    const Call& call) override;
  base::Result<Applied> apply(const value::Value& object, const ApplyOptions& options,
                              const Call& call) override;
  base::Result<value::Value> patch(const ObjectRef& ref, const Patch& patch,
                                   const WriteOptions& options, const Call& call) override;
  base::Status remove(const ObjectRef& ref, const DeleteOptions& options,
                      const Call& call) override;

 private:
  struct Target;
  base::Result<Target> locate(const ObjectRef& ref, std::string_view verb, const Call& call);
  base::Result<Target> locate_object(const ObjectRef& ref, std::string_view verb, const Call& call);
  base::Result<Response> send(const Target& target, Request request, const Call& call);
  static base::Error failure(const Target& target, const Response& response);

  Transport& transport_;
  RestMapper& mapper_;
  base::Clock& clock_;
};

}  // namespace chartwright::kube
