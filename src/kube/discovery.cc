// SPDX-License-Identifier: Apache-2.0
#include "kube/discovery.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/memory_limit.h"
#include "kube/query.h"
#include "kube/status.h"
#include "value/json.h"
#include "value/value.h"

namespace chartwright::kube {

using base::Error;
using base::ErrorCode;
using base::Result;
using value::Value;

namespace {

/// All kinds that the server serves.
struct Catalogue {
  std::map<Gvk, ResourceMapping> mappings;
  std::map<std::string, std::string> preferred;  ///< Group → preferred version.
  std::set<std::string> api_versions;
  /// Group versions whose server did not answer, so that nobody knows their kinds.
  std::set<Gvk> unanswered;

  void add_version(const std::string& group, const std::string& version) {
    api_versions.insert(Gvk{group, version, ""}.api_version());
    preferred.emplace(group, version);  // The server lists the preferred version first.
  }
  void add(ResourceMapping mapping) {
    Gvk gvk = mapping.gvk;
    mappings.emplace(std::move(gvk), std::move(mapping));
  }
};

constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    "application/json";

/// "/api/v1", "/apis/apps/v1"
std::string version_path(const Gvk& gvk) {
  const std::string group =
      gvk.group.empty() ? "/api/" : "/apis/" + escape_segment(gvk.group) + "/";
  return group + escape_segment(gvk.version);
}

/// Sends any number of requests to the server, all within the timeout of one call.
class Inquiry {
 public:
  Inquiry(Transport& transport, const base::Clock& clock, const Call& call)
      : transport_(transport), clock_(clock), call_(call), began_(clock.monotonic()) {}

  Result<Value> get_json(std::string target) {
    Request request;
    request.target = std::move(target);
    request.accept = kAggregated;
    const Asked asked{"discover", {{"", "", request.target}, "", ""}};
    const Call rest = rest_of(call_, began_, clock_);
    CW_TRY(const Response response, transport_.perform(std::move(request), rest));
    if (response.status != 200) {
      return error_from_response(asked, response);
    }
    auto answer = value::parse_json(response.body, value::Numbers::kInt64);
    if (!answer.ok()) {
      return error_from_decoding(asked, answer.error());
    }
    return answer;
  }

 private:
  Transport& transport_;
  const base::Clock& clock_;
  const Call& call_;
  const base::MonotonicTime began_;
};

void add_aggregated_resource(const Value& resource, const Gvk& version, Catalogue& catalogue) {
  ResourceMapping mapping;
  mapping.gvk = version;
  mapping.gvk.kind = resource.string_at({"responseKind", "kind"});
  mapping.plural = resource.string_at({"resource"});
  mapping.scope =
      resource.string_at({"scope"}) == "Namespaced" ? Scope::kNamespaced : Scope::kCluster;
  for (const Value& sub : resource.items_at({"subresources"})) {
    mapping.has_status = mapping.has_status || sub.string_at({"subresource"}) == "status";
    const std::string_view kind = sub.string_at({"responseKind", "kind"});
    if (!kind.empty()) {
      catalogue.api_versions.insert(version.api_version() + "/" + std::string(kind));
    }
  }
  // A resource without a kind only has subresources (such as a custom "/scale").
  if (mapping.gvk.kind.empty() || !is_path_segment(mapping.plural)) {
    return;
  }
  catalogue.api_versions.insert(version.api_version() + "/" + mapping.gvk.kind);
  catalogue.add(std::move(mapping));
}

void add_aggregated(const Value& groups, Catalogue& catalogue) {
  for (const Value& group : groups.items_at({"items"})) {
    const std::string name(group.string_at({"metadata", "name"}));
    for (const Value& version : group.items_at({"versions"})) {
      const Gvk gv{name, std::string(version.string_at({"version"})), ""};
      catalogue.add_version(gv.group, gv.version);
      if (version.string_at({"freshness"}) == "Stale") {
        catalogue.unanswered.insert(gv);
      }
      for (const Value& resource : version.items_at({"resources"})) {
        add_aggregated_resource(resource, gv, catalogue);
      }
    }
  }
}

/// Adds an APIResourceList: the kinds of one group version, from a server without aggregated
/// discovery.
void add_resource_list(const Value& list, const Gvk& version, Catalogue& catalogue) {
  std::set<std::string> with_status;
  for (const Value& resource : list.items_at({"resources"})) {
    const std::string_view name = resource.string_at({"name"});
    const std::string_view kind = resource.string_at({"kind"});
    if (!kind.empty()) {
      catalogue.api_versions.insert(version.api_version() + "/" + std::string(kind));
    }
    const size_t slash = name.find('/');
    if (slash != std::string_view::npos && name.substr(slash) == "/status") {
      with_status.emplace(name.substr(0, slash));
    }
  }
  for (const Value& resource : list.items_at({"resources"})) {
    ResourceMapping mapping;
    mapping.gvk = version;
    mapping.gvk.kind = resource.string_at({"kind"});
    mapping.plural = resource.string_at({"name"});
    mapping.scope = resource.bool_at({"namespaced"}) ? Scope::kNamespaced : Scope::kCluster;
    mapping.has_status = with_status.contains(mapping.plural);
    if (!mapping.gvk.kind.empty() && is_path_segment(mapping.plural)) {
      catalogue.add(std::move(mapping));
    }
  }
}

base::Status add_group_version(Inquiry& inquiry, const Gvk& version, Catalogue& catalogue) {
  catalogue.add_version(version.group, version.version);
  auto list = inquiry.get_json(version_path(version));
  if (list.ok()) {
    add_resource_list(*list, version, catalogue);
    return {};
  }
  if (list.error().code() == ErrorCode::kNotFound) {
    return {};
  }
  if (list.error().http_status() >= 500) {  // Of an aggregated API server; the others are there.
    catalogue.unanswered.insert(version);
    return {};
  }
  return std::move(list).error();
}

/// Adds the response of GET /api or /apis; asks for each group version if it names only these.
base::Status add_root(Inquiry& inquiry, const std::string& target, Catalogue& catalogue) {
  CW_TRY(const Value root, inquiry.get_json(target));
  const std::string_view kind = root.string_at({"kind"});
  if (kind == "APIGroupDiscoveryList") {
    add_aggregated(root, catalogue);
    return {};
  }
  for (const Value& version : root.items_at({"versions"})) {  // APIVersions
    if (version.is_string()) {
      CW_TRY_VOID(add_group_version(inquiry, {"", version.as_string(), ""}, catalogue));
    }
  }
  for (const Value& group : root.items_at({"groups"})) {  // APIGroupList
    const std::string name(group.string_at({"name"}));
    const std::string preferred(group.string_at({"preferredVersion", "version"}));
    if (!preferred.empty()) {
      catalogue.preferred.emplace(name, preferred);
    }
    for (const Value& version : group.items_at({"versions"})) {
      const Gvk gv{name, std::string(version.string_at({"version"})), ""};
      CW_TRY_VOID(add_group_version(inquiry, gv, catalogue));
    }
  }
  return {};
}

Error no_match(const std::string& what) {
  return Error(ErrorCode::kNotFound, "the server serves no kind " + what)
      .with_http(0, std::string(kNoMatchReason));
}

// A kind that is not known must not pass for one that is not there.
Error no_answer(const std::string& what, const Gvk& version) {
  return {ErrorCode::kUnavailable, "it is not known whether the server serves the kind " + what +
                                       ": " + version.api_version() + " does not answer"};
}

}  // namespace

/// The kinds as discovered at one time.
struct RestMapper::Snapshot : Catalogue {
  base::MonotonicTime fetched;
};

std::string ResourceMapping::path(std::string_view ns, std::string_view name) const {
  std::string path = version_path(gvk);
  if (scope == Scope::kNamespaced && !ns.empty()) {
    path += "/namespaces/" + escape_segment(ns);
  }
  path += "/" + escape_segment(plural);
  if (!name.empty()) {
    path += "/" + escape_segment(name);
  }
  return path;
}

RestMapper::RestMapper(Transport& transport, base::Clock& clock)
    : transport_(transport), clock_(clock) {}

RestMapper::~RestMapper() = default;

Result<RestMapper::SnapshotPtr> RestMapper::snapshot(const Call& call) {
  {
    base::MutexLock lock(mutex_);
    if (snapshot_ != nullptr) {
      return snapshot_;
    }
  }
  return replace(nullptr, call);
}

Result<RestMapper::SnapshotPtr> RestMapper::fresher(const SnapshotPtr& seen, base::Duration age,
                                                    const Call& call) {
  if (clock_.monotonic() - seen->fetched < age) {
    return seen;
  }
  return replace(seen, call);
}

base::Status RestMapper::refresh(base::Duration age, const Call& call) {
  CW_TRY(const SnapshotPtr known, snapshot(call));
  CW_TRY_DISCARD(fresher(known, age, call));
  return {};
}

Result<RestMapper::SnapshotPtr> RestMapper::replace(const SnapshotPtr& seen, const Call& call) {
  Inquiry inquiry(transport_, clock_, call);
  {
    const std::stop_callback wake(call.stop, [this] {
      base::MutexLock lock(mutex_);
      refreshed_.notify_all();
    });
    base::MutexLock lock(mutex_);
    const base::MonotonicTime deadline = deadline_of(call, clock_);
    while (refreshing_) {
      if (call.stop.stop_requested()) {
        return Error(ErrorCode::kCancelled, "stopped");
      }
      if (clock_.monotonic() >= deadline) {
        return Error(ErrorCode::kTimeout, "discovery takes too long");
      }
      clock_.wait_until(refreshed_, mutex_, deadline);
    }
    if (snapshot_ != nullptr && snapshot_ != seen) {
      return snapshot_;
    }
    refreshing_ = true;
  }
  auto fresh = std::make_shared<Snapshot>();
  fresh->fetched = clock_.monotonic();
  // A thread that renders may exceed its memory limit here. It must not leave refreshing_ set, or
  // other threads would wait forever.
  const auto ask = [&]() -> base::Status {
    CW_TRY_VOID(add_root(inquiry, "/api", *fresh));
    return add_root(inquiry, "/apis", *fresh);
  };
  base::Status asked = base::within_memory(base::MemoryLimit::left(), ask);
  base::MutexLock lock(mutex_);
  refreshing_ = false;
  refreshed_.notify_all();
  if (!asked.ok()) {
    return std::move(asked).error().wrap("API discovery");
  }
  snapshot_ = std::move(fresh);
  return snapshot_;
}

Result<ResourceMapping> RestMapper::mapping_for(const Gvk& gvk, const Call& call) {
  const base::MonotonicTime began = clock_.monotonic();
  CW_TRY(SnapshotPtr known, snapshot(call));
  auto found = known->mappings.find(gvk);
  if (found == known->mappings.end()) {
    CW_TRY(known, fresher(known, kMinRefresh, rest_of(call, began, clock_)));
    found = known->mappings.find(gvk);
  }
  if (found != known->mappings.end()) {
    return found->second;
  }
  const Gvk version{gvk.group, gvk.version, ""};
  return known->unanswered.contains(version) ? no_answer(gvk.to_string(), version)
                                             : no_match(gvk.to_string());
}

Result<ResourceMapping> RestMapper::preferred_mapping(const GroupKind& kind, const Call& call) {
  const base::MonotonicTime began = clock_.monotonic();
  const auto find = [&kind](const Snapshot& known) -> const ResourceMapping* {
    const auto preferred = known.preferred.find(kind.group);
    const auto in_preferred = preferred == known.preferred.end()
                                  ? known.mappings.end()
                                  : known.mappings.find({kind.group, preferred->second, kind.kind});
    if (in_preferred != known.mappings.end()) {
      return &in_preferred->second;
    }
    // The preferred version need not serve every kind of its group.
    for (const auto& [gvk, mapping] : known.mappings) {
      if (gvk.group_kind() == kind) {
        return &mapping;
      }
    }
    return nullptr;
  };
  CW_TRY(SnapshotPtr known, snapshot(call));
  const ResourceMapping* found = find(*known);
  if (found == nullptr) {
    CW_TRY(known, fresher(known, kMinRefresh, rest_of(call, began, clock_)));
    found = find(*known);
  }
  if (found != nullptr) {
    return *found;
  }
  const auto silent = std::ranges::find(known->unanswered, kind.group, &Gvk::group);
  return silent != known->unanswered.end() ? no_answer(kind.to_string(), *silent)
                                           : no_match(kind.to_string());
}

Result<std::vector<std::string>> RestMapper::api_versions(const Call& call) {
  CW_TRY(const SnapshotPtr known, snapshot(call));
  return std::vector<std::string>(known->api_versions.begin(), known->api_versions.end());
}

Result<ServerVersion> RestMapper::server_version(const Call& call) {
  CW_TRY(const Value version, Inquiry(transport_, clock_, call).get_json("/version"));
  return ServerVersion{std::string(version.string_at({"major"})),
                       std::string(version.string_at({"minor"})),
                       std::string(version.string_at({"gitVersion"}))};
}

Result<Value> RestMapper::schema_of(const Gvk& gvk, const Call& call) {
  auto document = Inquiry(transport_, clock_, call).get_json("/openapi/v3" + version_path(gvk));
  if (!document.ok()) {
    const bool is_missing = document.error().code() == ErrorCode::kNotFound;
    return is_missing ? Result<Value>(Value()) : std::move(document).error();
  }
  const Value* schemas = document->find_path({"components", "schemas"});
  if (schemas == nullptr || !schemas->is_dict()) {
    return Value();
  }
  for (const auto& [name, schema] : schemas->as_dict()) {
    for (const Value& of : schema.items_at({"x-kubernetes-group-version-kind"})) {
      if (of.string_at({"group"}) == gvk.group && of.string_at({"version"}) == gvk.version &&
          of.string_at({"kind"}) == gvk.kind) {
        return schema;
      }
    }
  }
  return Value();
}

void RestMapper::invalidate() {
  base::MutexLock lock(mutex_);
  snapshot_ = nullptr;
}

}  // namespace chartwright::kube
