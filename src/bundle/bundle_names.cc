// SPDX-License-Identifier: Apache-2.0
#include "bundle/bundle_names.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "bundle/status_fields.h"

namespace chartwright::bundle {
namespace {

KnownNames any_of(std::initializer_list<std::string_view> names) {
  KnownNames known;
  for (std::string_view name : names) {
    known.below.emplace(name, KnownNames());
  }
  return known;
}

KnownNames chart_names(const DataSchemas& schemas) {
  KnownNames known = any_of({"Chart", "Capabilities", "Files", "Subcharts"});
  known.below["Release"] =
      any_of({"Name", "Namespace", "Service", "IsInstall", "IsUpgrade", "Revision"});
  KnownNames& values = known.below["Values"];
  values.schema = schemas.values;
  values.usual = schemas.usual_values;
  if (values.schema) {  // Helm's own key, and the methods of the type.
    values.below = any_of({"global", "AsMap", "Encode", "PathValue", "Table", "YAML"}).below;
  }
  return known;
}

KnownNames cr_names(const DataSchemas& schemas) {
  KnownNames known = any_of({"apiVersion", "kind"});
  known.below["metadata"] =
      any_of({"name", "generateName", "namespace", "uid", "resourceVersion", "generation", "labels",
              "annotations", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
              "ownerReferences", "finalizers", "managedFields", "selfLink"});
  known.below["spec"].schema = schemas.spec;
  known.below["spec"].usual = schemas.usual_spec;
  KnownNames& status = known.below["status"];
  status.schema = schemas.status;
  if (status.schema) {
    for (std::string_view name : engine_status_fields()) {
      status.below.emplace(name, KnownNames());
    }
  }
  return known;
}

void add_externals(const std::vector<std::string>& externals, KnownNames& known) {
  for (const std::string& name : externals) {
    known.below["External"].below.emplace(name, any_of({"id"}));
  }
}

/// The names that the texts of an external see beside those of all.
struct ExternalNames {
  std::string_view path;  ///< "create.capture"; or "update." for all below it.
  std::array<std::string_view, 2> names;
};
constexpr std::array kExternalNames = {
    ExternalNames{"observe.select", {"id", "item"}},
    ExternalNames{"observe.id", {"item", ""}},
    ExternalNames{"observe.", {"id", ""}},
    ExternalNames{"search.", {"id", ""}},
    ExternalNames{"create.capture", {"response", ""}},
    ExternalNames{"create.adopt", {"item", "sent"}},
    ExternalNames{"update.", {"id", ""}},
    ExternalNames{"upToDate", {"id", "item"}},
    ExternalNames{"delete.", {"id", ""}},
};

}  // namespace

KnownNames BundleNames::in_folder() const {
  KnownNames known = chart_names(schemas);
  known.below["Live"];
  known.below.emplace("CR", cr_names(schemas));
  for (const std::string& name : related) {
    known.below["Related"].below.emplace(name, KnownNames());
  }
  add_externals(externals, known);
  return known;
}

KnownNames BundleNames::in_values() const {
  KnownNames known;
  known.below.emplace("CR", cr_names(schemas)).first->second.below.erase("status");
  add_externals(externals, known);
  return known;
}

KnownNames BundleNames::in_related() const {
  KnownNames known;
  known.below.emplace("CR", cr_names(schemas));
  add_externals(externals, known);
  return known;
}

KnownNames BundleNames::in_predicates() const {
  KnownNames known = in_related();
  known.below["Object"];
  return known;
}

KnownNames BundleNames::in_external(std::string_view path) const {
  KnownNames known = chart_names(schemas);
  known.below.emplace("CR", cr_names(schemas));
  add_externals(externals, known);
  const auto more = std::ranges::find_if(
      kExternalNames, [path](const ExternalNames& one) { return path.starts_with(one.path); });
  if (more != kExternalNames.end()) {
    for (std::string_view name : more->names) {
      if (!name.empty()) {
        known.below[std::string(name)];
      }
    }
  }
  return known;
}

}  // namespace chartwright::bundle
