// SPDX-License-Identifier: Apache-2.0
#include "process/capability_watch.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/mutex.h"
#include "host/capabilities.h"
#include "runtime/pause.h"

namespace chartwright::process {
namespace {

using base::Error;
using base::ErrorCode;

// Changes within this time are answered together.
constexpr base::Duration kGathering = std::chrono::milliseconds(300);
// An API server publishes a kind some time after its definition: read again this long after each
// read.
constexpr std::array<base::Duration, 4> kLater = {std::chrono::seconds(1), std::chrono::seconds(2),
                                                  std::chrono::seconds(5),
                                                  std::chrono::seconds(15)};
// The health of the watches is looked at this often.
constexpr base::Duration kLook = std::chrono::minutes(1);
// Less than the time after which the process is not ready.
constexpr base::Duration kDead = std::chrono::minutes(3);
constexpr base::Duration kReadLimit = std::chrono::seconds(15);
constexpr base::Duration kSyncLimit = std::chrono::seconds(30);
constexpr base::Duration kRetry = std::chrono::seconds(15);
constexpr base::Duration kWithoutRights = std::chrono::minutes(5);
// Charts may wait for a version that is not known.
constexpr base::Duration kUnknownPace = std::chrono::seconds(5);

// Only that an object changes matters. A store needs its identity.
value::Value identity_of(const value::Value& object) {
  value::Value metadata = value::Value::dict();
  for (const std::string_view key : {"name", "uid", "resourceVersion"}) {
    if (const value::Value* member = object.find_path({"metadata", key})) {
      metadata.mutable_dict().set(key, *member);
    }
  }
  value::Value kept = value::Value::dict({{"metadata", std::move(metadata)}});
  for (const std::string_view key : {"apiVersion", "kind"}) {
    if (const value::Value* member = object.find(key)) {
      kept.mutable_dict().set(key, *member);
    }
  }
  return kept;
}

/// Returns the versions among `served` whose kinds are not known, with the reasons.
base::Result<bundle::CapabilitySet::UnknownVersions> unknown_among(
    const std::vector<std::string>& served, kube::RestMapper& mapper, const kube::Call& call) {
  bundle::CapabilitySet::UnknownVersions unknown;
  for (const std::string& name : served) {
    const auto mapping = mapper.mapping_for(kube::Gvk::from_api_version(name, ""), call);
    if (mapping.ok() || mapping.error().reason() == kube::kNoMatchReason) {
      continue;
    }
    if (mapping.error().code() != ErrorCode::kUnavailable) {
      return mapping.error();
    }
    unknown.emplace(name, mapping.error().message());
  }
  return unknown;
}

// A version that has come and has not answered yet does not call for a render, not by its name
// either.
std::shared_ptr<const bundle::CapabilitySet> without_newcomers(
    const bundle::CapabilitySet& before, std::shared_ptr<const bundle::CapabilitySet> after) {
  const auto is_newcomer = [&](const value::Value& name) {
    return after->unknown().contains(name.as_string()) &&
           !std::holds_alternative<bundle::Served>(before.presence(name.as_string()));
  };
  helm::Capabilities capabilities = after->capabilities();
  std::vector<std::string> names;
  for (const value::Value& name : capabilities.api_versions.as_list().items) {
    if (!is_newcomer(name)) {
      names.emplace_back(name.as_string());
    }
  }
  if (names.size() == capabilities.api_versions.as_list().items.size()) {
    return after;
  }
  capabilities.api_versions = helm::Capabilities::api_version_list(names);
  return std::make_shared<const bundle::CapabilitySet>(std::move(capabilities), after->unknown());
}

bool is_refusal(const Error& error) {
  return error.code() == ErrorCode::kForbidden || error.code() == ErrorCode::kUnauthorized;
}

}  // namespace

base::Result<std::shared_ptr<const bundle::CapabilitySet>> read_capabilities(
    kube::RestMapper& mapper, const kube::ServerVersion& version, const kube::Call& call) {
  CW_TRY(const std::vector<std::string> served, mapper.api_versions(call));
  CW_TRY(bundle::CapabilitySet::UnknownVersions unknown, unknown_among(served, mapper, call));
  return std::make_shared<const bundle::CapabilitySet>(host::capabilities_of(version, served),
                                                       std::move(unknown));
}

void CapabilityWatch::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const base::Status ended = follow(stop);
    if (stop.stop_requested()) {
      return;
    }
    const bool refused = !ended.ok() && is_refusal(ended.error());
    if (refused && !said_) {
      said_ = true;
      parts_.log.warn(
          "CRDs and APIServices cannot be watched: .Capabilities.APIVersions is refreshed every 5 "
          "minutes only",
          {{"error", ended.error().to_string()}});
    }
    runtime::pause(parts_.clock, pace(refused ? kWithoutRights : kRetry), stop);
    read(stop);
  }
}

// Asks before it opens a watch, since one that is refused would repeat this in the log.
base::Result<std::vector<CapabilityWatch::Source>> CapabilityWatch::open(
    const std::stop_token& stop) {
  const std::array<kube::Gvk, 2> kinds = {
      kube::Gvk{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
      kube::Gvk{"apiregistration.k8s.io", "v1", "APIService"}};
  std::vector<Source> sources;
  for (const kube::Gvk& gvk : kinds) {
    kube::ListOptions one;
    one.limit = 1;
    const auto listed = parts_.client.list(gvk, one, {.stop = stop, .timeout = kReadLimit});
    if (!listed.ok() && listed.error().reason() == kube::kNoMatchReason) {
      continue;
    }
    if (!listed.ok()) {
      return listed.error();
    }
    sources.push_back(parts_.informers.open(gvk, {}, identity_of));
  }
  std::vector<const runtime::Informer*> awaited;
  awaited.reserve(sources.size());
  for (const Source& source : sources) {
    awaited.push_back(source.get());
  }
  CW_TRY_VOID(parts_.informers.wait_synced(awaited, stop, kSyncLimit));
  return sources;
}

base::Status CapabilityWatch::follow(const std::stop_token& stop) {
  CW_TRY(const std::vector<Source> sources, open(stop));
  for (const Source& source : sources) {  // Each reports what it has: the last read may be older.
    source->store().add_listener([this](const runtime::Change&) {
      base::MutexLock lock(mutex_);
      changed_ = true;
      woken_.notify_all();
    });
  }
  size_t step = 0;  // Perhaps none has an object.
  while (!stop.stop_requested()) {
    const bool is_later = step < kLater.size();
    if (wait_change(is_later ? kLater[step] : pace(kLook), stop)) {
      runtime::pause(parts_.clock, kGathering, stop);
      take_changes();
      read(stop);
      step = 0;
    } else if (is_later) {
      step += read(stop) ? 1 : 0;
    } else if (has_unknown()) {
      read(stop);
    }
    for (const Source& source : sources) {
      const auto error = source->last_error();
      if (error && is_refusal(*error)) {
        return *error;
      }
      if (source->staleness() > kDead) {
        return Error(ErrorCode::kTimeout, "the watch of " + source->gvk().to_string() + " is dead");
      }
    }
  }
  return {};
}

bool CapabilityWatch::has_unknown() const {
  return !parts_.renderer.capabilities()->unknown().empty();
}

base::Duration CapabilityWatch::pace(base::Duration otherwise) const {
  return has_unknown() ? std::min(otherwise, kUnknownPace) : otherwise;
}

/// Waits for a change, and reports whether there is one.
bool CapabilityWatch::wait_change(base::Duration longest, const std::stop_token& stop) {
  const base::MonotonicTime deadline = parts_.clock.monotonic() + longest;
  const base::WakeOnStop wake(stop, mutex_, woken_);
  base::MutexLock lock(mutex_);
  while (!changed_ && !stop.stop_requested() && parts_.clock.monotonic() < deadline) {
    parts_.clock.wait_until(woken_, mutex_, deadline);
  }
  return changed_;
}

void CapabilityWatch::take_changes() {
  base::MutexLock lock(mutex_);
  changed_ = false;
}

/// Reads discovery and hands out what changed. Reports whether it could be read: otherwise the
/// capabilities stay as they are.
bool CapabilityWatch::read(const std::stop_token& stop) {
  const kube::Call call{.stop = stop, .timeout = kReadLimit};
  if (stop.stop_requested() || !parts_.mapper.refresh(base::Duration::zero(), call).ok()) {
    return false;
  }
  const auto version = parts_.mapper.server_version(call);
  if (!version.ok()) {
    return false;
  }
  auto read = read_capabilities(parts_.mapper, *version, call);
  if (!read.ok()) {
    return false;
  }
  const auto before = parts_.renderer.capabilities();
  const auto after = without_newcomers(*before, *std::move(read));
  if (*before == *after) {
    return true;
  }
  parts_.log.info("The capabilities of the cluster changed",
                  {{"version", after->capabilities().kube_version.version}});
  parts_.renderer.set_capabilities(after);
  on_change_(*before, *after);
  return true;
}

}  // namespace chartwright::process
