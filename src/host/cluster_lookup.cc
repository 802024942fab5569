// SPDX-License-Identifier: Apache-2.0
#include "host/cluster_lookup.h"

#include <algorithm>

#include "base/digest.h"
#include "base/memory_limit.h"
#include "kube/metadata_list.h"
#include "kube/object.h"

namespace chartwright::host {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

kube::ObjectRef ref_of(const helm::LookupKey& key) {
  return {kube::Gvk::from_api_version(key.api_version, key.kind), std::string(key.namespace_name),
          std::string(key.name)};
}

// A render cannot have held more.
constexpr size_t kItemsMax = 100'000;
constexpr size_t kItemsOfPage = 500;

std::string version_of_item(const Value& item) {
  return std::string(kube::uid_of(item)) + "@" + std::string(kube::resource_version_of(item)) + ",";
}

// The version of a list now. It needs no contents, which nobody limits here.
base::Result<std::string> version_of_list(const helm::LookupKey& key, kube::Client& client,
                                          const kube::Call& call) {
  std::string versions;
  const kube::MetadataQuery query{.gvk = ref_of(key).gvk,
                                  .selection = {std::string(key.namespace_name), "", ""},
                                  .page = kItemsOfPage,
                                  .objects_max = kItemsMax};
  base::Status listed = kube::list_metadata(
      client, query, call, [&versions](const Value& item) { versions += version_of_item(item); });
  if (!listed.ok() && listed.error().code() != ErrorCode::kNotFound) {
    return std::move(listed).error();
  }
  return listed.ok() ? versions : std::string();
}

Lookup lookup_of(const helm::LookupKey& key, std::string_view version) {
  return {std::string(key.api_version), std::string(key.kind), std::string(key.namespace_name),
          std::string(key.name), std::string(version)};
}

Value list_object(const helm::LookupKey& key, kube::ListPage page) {
  return Value::dict(
      {{"apiVersion", Value::string(key.api_version)},
       {"kind", Value::string(std::string(key.kind) + "List")},
       {"metadata", Value::dict({{"resourceVersion", Value::string(page.resource_version)}})},
       {"items", Value::list(std::move(page.items))}});
}

}  // namespace

// If a namespaced kind is looked up by name without a namespace, Helm sends the request anyway, and
// the server responds that there is no such resource. Source: helm/helm v3
// pkg/engine/lookup_func.go; client-go dynamic/simple.go.
base::Result<Value> ClusterLookup::find(const helm::LookupKey& key) {
  if (timeout_) {
    return *timeout_;
  }
  const kube::ObjectRef ref = ref_of(key);
  if (ref.ns.empty()) {
    CW_TRY(const kube::ResourceMapping mapping, client_.mapping_for(ref.gvk, call_));
    if (mapping.scope == kube::Scope::kNamespaced) {
      return Error(ErrorCode::kNotFound, "get " + ref.to_string() + ": it has no namespace");
    }
  }
  return client_.get(ref, call_);
}

base::Result<Value> ClusterLookup::get(const helm::LookupKey& key) {
  auto object = find(key);
  if (object.ok() || object.error().code() == ErrorCode::kNotFound) {
    lookups_.push_back(
        lookup_of(key, object.ok() ? kube::resource_version_of(*object) : std::string_view()));
  }
  if (!object.ok()) {
    return ended(std::move(object).error());
  }
  if (kube::is_secret(ref_of(key).gvk)) {
    secrets_.add(*object);
  }
  return object;
}

base::Result<kube::ListPage> ClusterLookup::find_all(const helm::LookupKey& key) {
  if (timeout_) {
    return *timeout_;
  }
  kube::ListOptions options;
  options.selection.ns = key.namespace_name;
  options.bytes_max = std::min(base::MemoryLimit::left(), kube::kCacheListBytes);
  return client_.list(ref_of(key).gvk, options, call_);
}

Error ClusterLookup::ended(Error error) {
  if (error.code() == ErrorCode::kTimeout) {
    timeout_ = error;
  }
  return error;
}

base::Result<Value> ClusterLookup::list(const helm::LookupKey& key) {
  auto page = find_all(key);
  if (!page.ok()) {
    if (page.error().code() == ErrorCode::kNotFound) {
      lookups_.push_back(lookup_of(key, ""));
    }
    return ended(std::move(page).error());
  }
  // The resourceVersion of a list changes with every write of its kind; those of its items do not.
  const bool are_secrets = kube::is_secret(ref_of(key).gvk);
  std::string versions;
  for (const Value& item : page->items) {
    versions += version_of_item(item);
    if (are_secrets) {
      secrets_.add(item);
    }
  }
  lookups_.push_back(lookup_of(key, versions));
  return list_object(key, *std::move(page));
}

base::Result<std::string> current_versions(const std::vector<Lookup>& lookups, kube::Client& client,
                                           const kube::Call& call, const base::Clock& clock) {
  const base::MonotonicTime began = clock.monotonic();
  kube::Call rest = call;
  ClusterLookup again(client, rest);
  std::vector<Lookup> seen;
  for (const Lookup& lookup : lookups) {
    rest = kube::rest_of(call, began, clock);
    const helm::LookupKey key{lookup.api_version, lookup.kind, lookup.ns, lookup.name};
    if (lookup.name.empty()) {
      CW_TRY(const std::string versions, version_of_list(key, client, rest));
      seen.push_back(lookup_of(key, versions));
      continue;
    }
    const auto found = again.get(key);
    if (!found.ok() && found.error().code() != ErrorCode::kNotFound) {
      return found.error();
    }
    seen.push_back(
        lookup_of(key, found.ok() ? kube::resource_version_of(*found) : std::string_view()));
  }
  return seen_versions(seen);
}

std::string seen_versions(const std::vector<Lookup>& lookups) {
  std::string text;
  for (const Lookup& lookup : lookups) {
    text += lookup.api_version + "/" + lookup.kind + "/" + lookup.ns + "/" + lookup.name + "=" +
            lookup.version + ";";
  }
  return text;
}

std::string with_lookups(const std::string& key, const std::string& versions) {
  return base::sha256_hex(key + versions).substr(0, key.size());
}

}  // namespace chartwright::host
