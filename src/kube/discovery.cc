// SPDX-License-Identifier: Apache-2.0
#include "kube/discovery.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/memory_limit.h"
#include "base/mutex.h"
#include "kube/api_status.h"
#include "kube/query.h"
#include "value/json.h"
#include "value/value.h"

namespace chartwright::kube {

using base::Error;
using base::ErrorCode;
using base::Result;
using value::Value;

namespace {

using Names = std::set<std::string>;

/// All kinds that the server serves. A version is a Gvk without a kind.
struct Catalogue {
  std::map<Gvk, ResourceMapping> mappings;
  std::map<std::string, std::string> preferred;  ///< Group → preferred version.
  /// The names that .Capabilities.APIVersions has of each version.
  std::map<Gvk, Names> names;
  /// Versions whose server did not answer this time, and why.
  std::map<Gvk, std::string> unanswered;
  /// Versions among these whose server has not answered before, either.
  std::set<Gvk> unknown;

  void add_version(const std::string& group, const std::string& version) {
    const Gvk gv{group, version, ""};
    names[gv].insert(gv.api_version());
    preferred.emplace(group, version);  // The server lists the preferred version first.
  }
  void add_name(const Gvk& version, std::string_view kind) {
    names[version].insert(version.api_version() + "/" + std::string(kind));
  }
  void add(ResourceMapping mapping) {
    Gvk gvk = mapping.gvk;
    mappings.emplace(std::move(gvk), std::move(mapping));
  }
};

constexpr std::string_view kNamesOnly =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
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

  Result<Value> get_json(std::string target, std::string_view accept = kAggregated) {
    return ask(std::move(target), accept, rest_of(call_, began_, clock_));
  }

  /// Leaves most of the time to later requests: one server that hangs is not all of them.
  Result<Value> get_json_soon(std::string target) {
    constexpr int kParts = 4;
    Call part = rest_of(call_, began_, clock_);
    part.timeout = part.spent + (part.timeout - part.spent) / kParts;
    return ask(std::move(target), kAggregated, part);
  }

 private:
  Result<Value> ask(std::string target, std::string_view accept, const Call& call) {
    Request request;
    request.target = std::move(target);
    request.accept = accept;
    const Asked asked{"discover", {{"", "", request.target}, "", ""}};
    CW_TRY(const Response response, transport_.perform(std::move(request), call));
    if (response.status != 200) {
      return error_from_response(asked, response);
    }
    auto answer = value::parse_json(response.body, value::Numbers::kInt64);
    if (!answer.ok()) {
      return error_from_decoding(asked, answer.error());
    }
    return answer;
  }

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
      catalogue.add_name(version, kind);
    }
  }
  // A resource without a kind only has subresources (such as a custom "/scale").
  if (mapping.gvk.kind.empty() || !is_path_segment(mapping.plural)) {
    return;
  }
  catalogue.add_name(version, mapping.gvk.kind);
  catalogue.add(std::move(mapping));
}

void add_aggregated(const Value& groups, Catalogue& catalogue) {
  for (const Value& group : groups.items_at({"items"})) {
    const std::string name(group.string_at({"metadata", "name"}));
    for (const Value& version : group.items_at({"versions"})) {
      const Gvk gv{name, std::string(version.string_at({"version"})), ""};
      catalogue.add_version(gv.group, gv.version);
      for (const Value& resource : version.items_at({"resources"})) {
        add_aggregated_resource(resource, gv, catalogue);
      }
      // Resources are then what the API server remembers of the last answer.
      if (version.string_at({"freshness"}) == "Stale") {
        catalogue.unanswered.emplace(gv, "its API server does not answer");
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
      catalogue.add_name(version, kind);
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
  auto list = inquiry.get_json_soon(version_path(version));
  if (list.ok()) {
    add_resource_list(*list, version, catalogue);
    return {};
  }
  if (list.error().code() == ErrorCode::kNotFound) {
    return {};
  }
  // The server of an aggregated API fails; the others are there.
  if (list.error().http_status() >= 500 || list.error().code() == ErrorCode::kTimeout) {
    catalogue.unanswered.emplace(version, list.error().message());
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

/// The versions that the API server or an aggregated one is registered for.
class Registrations {
 public:
  explicit Registrations(Inquiry& inquiry) : inquiry_(inquiry) {}

  /// Reports whether it is known that nobody serves `version`. Where APIServices may not be read,
  /// or do not exist, it is: the API server's discovery then has the only word. Asks once.
  bool lack(const Gvk& version) {
    if (!services_) {
      services_ = read();
    }
    return services_->ok() && !(*services_)->contains(version.version + "." + version.group);
  }

 private:
  Result<Names> read() {
    auto list = inquiry_.get_json("/apis/apiregistration.k8s.io/v1/apiservices", kNamesOnly);
    if (!list.ok()) {
      const ErrorCode code = list.error().code();
      const bool is_answer = code == ErrorCode::kNotFound || code == ErrorCode::kForbidden;
      return is_answer ? Result<Names>(Names()) : std::move(list).error();
    }
    Names names;
    for (const Value& service : list->items_at({"items"})) {
      names.emplace(service.string_at({"metadata", "name"}));
    }
    return names;
  }

  Inquiry& inquiry_;
  std::optional<Result<Names>> services_;
};

// The API server may itself name what a silent server has: then it is not remembered here.
void keep_mappings(const Catalogue& before, const Gvk& version, Catalogue& fresh) {
  const auto preferred = before.preferred.find(version.group);
  if (preferred != before.preferred.end()) {
    fresh.preferred.insert(*preferred);
  }
  for (auto known = before.mappings.lower_bound(version);
       known != before.mappings.end() && known->first.group == version.group &&
       known->first.version == version.version;
       ++known) {
    const auto [kept, is_new] = fresh.mappings.insert(*known);
    if (is_new) {
      kept->second.is_remembered = true;
    }
  }
}

// A version whose server is silent has the kinds that were known of it before: silence does not
// prove that they are gone. Where nothing was known, that is kept in mind.
void keep_silent(const Catalogue& before, Catalogue& fresh) {
  for (const auto& [version, why] : fresh.unanswered) {
    keep_mappings(before, version, fresh);
    const auto known = before.names.find(version);
    const bool was_named = known != before.names.end();
    if (was_named) {
      fresh.names[version].insert(known->second.begin(), known->second.end());
    }
    const bool has_kinds = fresh.names[version].size() > 1;
    const bool has_answered = was_named && !before.unknown.contains(version);
    if (!has_kinds && !has_answered) {
      fresh.unknown.insert(version);
    }
  }
}

// An API server that has only just started does not name the versions of others yet.
void keep_unnamed(const Catalogue& before, Registrations registrations, Catalogue& fresh) {
  for (const auto& [version, names] : before.names) {
    const bool is_named = fresh.names.contains(version) || fresh.unanswered.contains(version);
    if (!is_named && !registrations.lack(version)) {
      fresh.unanswered.emplace(version, "discovery does not name it, but its APIService is there");
    }
  }
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
  bool outdated = false;  ///< Only what it knows of silent servers still counts.
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
    if (snapshot_ != nullptr && !snapshot_->outdated) {
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
  SnapshotPtr before;
  {
    const base::WakeOnStop wake(call.stop, mutex_, refreshed_);
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
    if (snapshot_ != nullptr && snapshot_ != seen && !snapshot_->outdated) {
      return snapshot_;
    }
    refreshing_ = true;
    before = snapshot_;
  }
  auto fresh = std::make_shared<Snapshot>();
  fresh->fetched = clock_.monotonic();
  // A thread that renders may exceed its memory limit here. It must not leave refreshing_ set, or
  // other threads would wait forever.
  const auto ask = [&]() -> base::Status {
    CW_TRY_VOID(add_root(inquiry, "/api", *fresh));
    CW_TRY_VOID(add_root(inquiry, "/apis", *fresh));
    const Catalogue nothing;
    const Catalogue& known = before == nullptr ? nothing : *before;
    keep_unnamed(known, Registrations(inquiry), *fresh);
    keep_silent(known, *fresh);
    return {};
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
  const Gvk version{gvk.group, gvk.version, ""};
  if (gvk.kind.empty()) {
    const bool is_unknown = known->unknown.contains(version);
    return is_unknown ? Error(ErrorCode::kUnavailable, known->unanswered.at(version))
                      : no_match(version.api_version() + " without a name");
  }
  auto found = known->mappings.find(gvk);
  if (found == known->mappings.end() || found->second.is_remembered) {
    CW_TRY(known, fresher(known, kMinRefresh, rest_of(call, began, clock_)));
    found = known->mappings.find(gvk);
  }
  if (found != known->mappings.end()) {
    return found->second;
  }
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
    const ResourceMapping* best =
        in_preferred == known.mappings.end() ? nullptr : &in_preferred->second;
    // The preferred version need not serve every kind of its group, and may be silent.
    for (const auto& [gvk, mapping] : known.mappings) {
      const bool is_better = best == nullptr || (best->is_remembered && !mapping.is_remembered);
      if (gvk.group_kind() == kind && is_better) {
        best = &mapping;
      }
    }
    return best;
  };
  CW_TRY(SnapshotPtr known, snapshot(call));
  const ResourceMapping* found = find(*known);
  if (found == nullptr || found->is_remembered) {
    CW_TRY(known, fresher(known, kMinRefresh, rest_of(call, began, clock_)));
    found = find(*known);
  }
  if (found != nullptr) {
    return *found;
  }
  const auto silent = std::ranges::find_if(
      known->unanswered, [&kind](const auto& one) { return one.first.group == kind.group; });
  return silent != known->unanswered.end() ? no_answer(kind.to_string(), silent->first)
                                           : no_match(kind.to_string());
}

Result<std::vector<std::string>> RestMapper::api_versions(const Call& call) {
  CW_TRY(const SnapshotPtr known, snapshot(call));
  Names sorted;
  for (const auto& [version, names] : known->names) {
    sorted.insert(names.begin(), names.end());
  }
  return std::vector<std::string>(sorted.begin(), sorted.end());
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
  if (snapshot_ != nullptr) {
    auto outdated = std::make_shared<Snapshot>(*snapshot_);
    outdated->outdated = true;
    snapshot_ = std::move(outdated);
  }
}

}  // namespace chartwright::kube
