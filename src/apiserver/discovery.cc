// SPDX-License-Identifier: Apache-2.0
#include "apiserver/discovery.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/strings.h"

namespace chartwright::apiserver {
namespace {

using value::Value;
using views::Resource;
using views::View;

Value text(std::string_view t) { return Value::string(t); }

/// The rank of a version: whether it is of the form v1beta2, its stability, its numbers.
/// Source: k8s.io/apimachinery pkg/version CompareKubeAwareVersionStrings.
std::tuple<int, int, int64_t, int64_t> rank(const std::string& version) {
  const size_t major_end = std::min(version.find_first_not_of("0123456789", 1), version.size());
  const auto major = base::parse_int(std::string_view(version).substr(1, major_end - 1));
  if (!version.starts_with('v') || !major) {
    return {0, 0, 0, 0};
  }
  if (major_end == version.size()) {
    return {1, 2, *major, 0};
  }
  for (const auto& [word, stability] : {std::pair{"beta", 1}, {"alpha", 0}}) {
    const std::string_view rest = std::string_view(version).substr(major_end);
    if (rest.starts_with(word)) {
      const auto minor = base::parse_int(rest.substr(std::string_view(word).size()));
      return minor ? std::tuple{1, stability, *major, *minor}
                   : std::tuple{0, 0, int64_t{0}, int64_t{0}};
    }
  }
  return {0, 0, 0, 0};
}

Value version_entry(const std::string& group, const std::string& version) {
  return Value::dict({{"groupVersion", text(group + "/" + version)}, {"version", text(version)}});
}

Value group_entry(const std::string& group, const std::vector<std::string>& versions) {
  std::vector<Value> entries;
  std::transform(versions.begin(), versions.end(), std::back_inserter(entries),
                 [&](const std::string& version) { return version_entry(group, version); });
  return Value::dict({{"name", text(group)},
                      {"versions", Value::list(std::move(entries))},
                      {"preferredVersion", version_entry(group, versions.front())}});
}

void name_kind(const Value& document, std::string_view kind, std::string_view api_version) {
  document.mutable_dict().set("kind", text(kind));
  document.mutable_dict().set("apiVersion", text(api_version));
}

void add_optional(const Value& entry, const Resource& resource) {
  if (!resource.short_names.empty()) {
    entry.mutable_dict().set("shortNames", value::list_of(resource.short_names));
  }
  if (!resource.categories.empty()) {
    entry.mutable_dict().set("categories", value::list_of(resource.categories));
  }
}

Value resource_entry(const View& view) {
  const Resource& resource = view.resource;
  Value entry = Value::dict({{"name", text(resource.plural)},
                             {"singularName", text(resource.singular)},
                             {"namespaced", Value::boolean(resource.namespaced)},
                             {"kind", text(resource.kind)},
                             {"verbs", value::list_of(view.verbs)}});
  add_optional(entry, resource);
  return entry;
}

Value aggregated_entry(const View& view) {
  const Resource& resource = view.resource;
  Value entry = Value::dict({{"resource", text(resource.plural)},
                             {"responseKind", Value::dict({{"group", text(resource.group)},
                                                           {"version", text(resource.version)},
                                                           {"kind", text(resource.kind)}})},
                             {"scope", text(resource.namespaced ? "Namespaced" : "Cluster")},
                             {"singularResource", text(resource.singular)},
                             {"verbs", value::list_of(view.verbs)}});
  add_optional(entry, resource);
  return entry;
}

std::vector<Value> entries_of(const std::vector<View>& views, std::string_view group,
                              std::string_view version, Value (*entry)(const View&)) {
  std::vector<Value> entries;
  for (const View& view : views) {
    if (view.resource.group == group && view.resource.version == version) {
      entries.push_back(entry(view));
    }
  }
  return entries;
}

}  // namespace

std::vector<std::pair<std::string, std::vector<std::string>>> groups_of(
    const std::vector<View>& views) {
  std::map<std::string, std::set<std::string>> found;
  for (const View& view : views) {
    found[view.resource.group].insert(view.resource.version);
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const auto& [group, versions] : found) {
    std::vector<std::string> sorted(versions.begin(), versions.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return rank(a) > rank(b); });
    groups.emplace_back(group, std::move(sorted));
  }
  return groups;
}

Value group_list(const std::vector<View>& views) {
  std::vector<Value> groups;
  for (const auto& [group, versions] : groups_of(views)) {
    groups.push_back(group_entry(group, versions));
  }
  Value list = Value::dict({{"groups", Value::list(std::move(groups))}});
  name_kind(list, "APIGroupList", "v1");
  return list;
}

Value group_document(const std::vector<View>& views, std::string_view group) {
  for (const auto& [name, versions] : groups_of(views)) {
    if (name == group) {
      Value document = group_entry(name, versions);
      name_kind(document, "APIGroup", "v1");
      return document;
    }
  }
  return {};
}

Value resource_list(const std::vector<View>& views, std::string_view group,
                    std::string_view version) {
  std::vector<Value> entries = entries_of(views, group, version, resource_entry);
  if (entries.empty()) {
    return {};
  }
  Value list = Value::dict({{"groupVersion", text(std::string(group) + "/" + std::string(version))},
                            {"resources", Value::list(std::move(entries))}});
  name_kind(list, "APIResourceList", "v1");
  return list;
}

Value aggregated_discovery(const std::vector<View>& views, std::string_view version) {
  std::vector<Value> groups;
  for (const auto& [group, versions] : groups_of(views)) {
    std::vector<Value> entries;
    for (const std::string& one : versions) {
      entries.push_back(Value::dict(
          {{"version", text(one)},
           {"freshness", text("Current")},
           {"resources", Value::list(entries_of(views, group, one, aggregated_entry))}}));
    }
    groups.push_back(Value::dict({{"metadata", Value::dict({{"name", text(group)}})},
                                  {"versions", Value::list(std::move(entries))}}));
  }
  Value list =
      Value::dict({{"metadata", Value::dict()}, {"items", Value::list(std::move(groups))}});
  name_kind(list, "APIGroupDiscoveryList", "apidiscovery.k8s.io/" + std::string(version));
  return list;
}

}  // namespace chartwright::apiserver
