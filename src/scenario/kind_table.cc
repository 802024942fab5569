// SPDX-License-Identifier: Apache-2.0
#include "scenario/kind_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/strings.h"
#include "helm/objects/object_types.h"
#include "kinds/resource.h"
#include "release/definition.h"

namespace chartwright::scenario {

using base::Error;
using base::ErrorCode;
using kube::ResourceMapping;

namespace {

ResourceMapping mapping_of(const kube::Gvk& gvk, const kinds::Resource& resource) {
  return {.gvk = gvk, .plural = resource.plural, .scope = resource.scope};
}

bool is_stable(std::string_view version) {
  return version.find("alpha") == std::string_view::npos &&
         version.find("beta") == std::string_view::npos;
}

/// Reports whether a kind is what its name means where several groups have one: the core group
/// before others, as for Event.
bool is_core(const ResourceMapping& kind) { return kind.gvk.group.empty(); }

/// Returns the kinds of Kubernetes, each in one version, which all tables begin with.
const std::vector<ResourceMapping>& built_in_kinds() {
  static const std::vector<ResourceMapping> all = [] {
    std::vector<ResourceMapping> found;
    std::set<kube::GroupKind> seen;
    for (const auto& [api_version, kind] : helm::ObjectTypes::bundled_kinds()) {
      const kube::Gvk gvk = kube::Gvk::from_api_version(api_version, kind);
      if (is_stable(gvk.version) && seen.insert(gvk.group_kind()).second) {
        found.push_back(mapping_of(gvk, kinds::resource_of(gvk.group_kind(), {})));
      }
    }
    std::stable_partition(found.begin(), found.end(), is_core);
    return found;
  }();
  return all;
}

}  // namespace

KindTable::KindTable() : kinds_(built_in_kinds()) {}

void KindTable::add(ResourceMapping kind) {
  const auto same = std::ranges::find_if(kinds_, [&kind](const ResourceMapping& one) {
    return one.gvk.group_kind() == kind.gvk.group_kind();
  });
  if (same == kinds_.end()) {
    kinds_.push_back(std::move(kind));
  }
}

void KindTable::add(const bundle::Watch& watch) {
  ResourceMapping kind = mapping_of(watch.gvk, kinds::own_resource(watch));
  kind.has_status = true;
  std::erase_if(kinds_, [&kind](const ResourceMapping& one) {
    return one.gvk.group_kind() == kind.gvk.group_kind();
  });
  kinds_.insert(kinds_.begin(), std::move(kind));
}

base::Status KindTable::add(const value::Value& object) {
  const kube::Gvk gvk = kube::gvk_of(object);
  kinds::DefinedKinds defined;
  if (release::is_definition(gvk.group_kind())) {
    CW_TRY(const release::Definition definition, release::read_definition(object));
    kinds::add_definition(definition, defined);
    if (!definition.served.empty()) {
      const kube::Gvk kind{definition.kind.group, definition.served.back(), definition.kind.kind};
      add(mapping_of(kind, kinds::resource_of(definition.kind, defined)));
    }
  }
  add(mapping_of(gvk, kinds::resource_of(gvk.group_kind(), defined)));
  return {};
}

base::Result<ResourceMapping> KindTable::find(std::string_view name) const {
  std::vector<std::string_view> known;
  for (const ResourceMapping& kind : kinds_) {
    if (kind.gvk.kind == name || kind.gvk.group_kind().to_string() == name) {
      return kind;
    }
    known.push_back(kind.gvk.kind);
  }
  const std::string_view near = base::nearest(name, known);
  return Error(ErrorCode::kInvalidArgument,
               "unknown kind \"" + std::string(name) + "\"" +
                   (near.empty() ? "" : ", did you mean \"" + std::string(near) + "\"?"));
}

base::Result<kube::ObjectRef> KindTable::ref(std::string_view text, const std::string& ns) const {
  const std::vector<std::string_view> parts = base::split(text, '/');
  if (parts.size() < 2 || parts.size() > 3 ||
      !std::ranges::all_of(parts,
                           [](std::string_view part) { return kube::is_path_segment(part); })) {
    return Error(ErrorCode::kInvalidArgument,
                 "\"" + std::string(text) +
                     "\" names no object: expected KIND/NAME or KIND/NAMESPACE/NAME, as in "
                     "Deployment/shop");
  }
  CW_TRY(const ResourceMapping kind, find(parts.front()));
  const bool is_namespaced = kind.scope == kube::Scope::kNamespaced;
  if (parts.size() == 3 && !is_namespaced) {
    return Error(ErrorCode::kInvalidArgument, "\"" + std::string(text) + "\": objects of kind " +
                                                  kind.gvk.kind + " have no namespace");
  }
  kube::ObjectRef ref{kind.gvk, is_namespaced ? ns : "", std::string(parts.back())};
  if (parts.size() == 3) {
    ref.ns = parts[1];
  }
  return ref;
}

bool means(const kube::ObjectRef& ref, const kube::ObjectRef& object) {
  if (!ref.name.ends_with('*')) {
    return ref == object;
  }
  return ref.gvk == object.gvk && ref.ns == object.ns &&
         object.name.starts_with(std::string_view(ref.name).substr(0, ref.name.size() - 1));
}

std::string short_text(const kube::ObjectRef& ref, std::string_view ns) {
  return ref.gvk.kind + "/" + (ref.ns.empty() || ref.ns == ns ? "" : ref.ns + "/") + ref.name;
}

}  // namespace chartwright::scenario
