// SPDX-License-Identifier: Apache-2.0
#include "cmd/lint_views.h"

#include <algorithm>

#include "base/strings.h"
#include "doctor/doctor.h"
#include "generate/access.h"
#include "views/view_file.h"

namespace chartwright::cmd {
namespace {

using helm::lint::Messages;
using helm::lint::Severity;
using value::Value;
using views::View;

/// Returns the names of the versions that a CRD serves.
std::vector<std::string> served_versions(const Value& crd) {
  std::vector<std::string> names;
  for (const Value& version : crd.items_at({"spec", "versions"})) {
    if (version.bool_at({"served"})) {
      names.emplace_back(version.string_at({"name"}));
    }
  }
  return names;
}

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Checks that the templates of a view read fields that its source has.
void check_fields(const View& view, const Value& crd, Messages& found) {
  for (const Value& version : crd.items_at({"spec", "versions"})) {
    const Value* schema = version.find_path({"schema", "openAPIV3Schema"});
    if (schema == nullptr || version.string_at({"name"}) != view.source.gvk.version) {
      continue;
    }
    const base::Status checked = views::check_source_names(view, *schema);
    if (!checked.ok()) {
      found.push_back({Severity::kError, checked.error().pos()->to_string(),
                       checked.error().message() + " (the CRD has the fields)"});
    }
  }
}

/// Compares a view with a CRD that serves its group, or its source.
void compare(const View& view, const Value& crd, Messages& found) {
  const std::string group(crd.string_at({"spec", "group"}));
  const std::vector<std::string> versions = served_versions(crd);
  if (view.resource.group == group && contains(versions, view.resource.version)) {
    found.push_back({Severity::kError, view.file,
                     "the CRD serves " + view.resource.api_version() +
                         " itself: choose another group or version for the view"});
  }
  const kube::Gvk& source = view.source.gvk;
  if (source.group != group || source.kind != crd.string_at({"spec", "names", "kind"})) {
    return;
  }
  const std::string place = view.kind_pos.to_string();
  if (!contains(versions, source.version)) {
    found.push_back({Severity::kError, place,
                     "source.apiVersion: the CRD does not serve the version " + source.version +
                         ", but " + base::join(versions, ", ")});
  }
  if (view.resource.namespaced && crd.string_at({"spec", "scope"}) == "Cluster") {
    found.push_back({Severity::kError, place,
                     "source.kind: " + source.kind +
                         " has no namespaces, so neither has the view: set resource.namespaced "
                         "to false"});
  }
  check_fields(view, crd, found);
}

}  // namespace

Messages lint_views(const std::string& folder, const GivenManifests& given,
                    const apiserver::ServiceRef& service) {
  generate::ServedViews served;
  Messages found;
  base::Faults faults;
  served.views = views::load_views(folder, faults);
  for (const base::Error& error : faults.all()) {
    found.push_back(
        {Severity::kError, error.pos() ? error.pos()->to_string() : folder, error.message()});
  }
  if (!faults.empty()) {
    return found;
  }
  served.service = service;
  if (!given.crd.is_nil()) {
    for (const View& view : served.views) {
      compare(view, given.crd, found);
    }
  }
  if (given.roles.empty()) {
    return found;
  }
  const auto access = generate::access_of({}, served);
  if (!access.ok()) {
    found.push_back({Severity::kError, folder, access.error().message()});
    return found;
  }
  for (const doctor::Complaint& complaint : doctor::check_roles(given.roles, *access)) {
    found.push_back({Severity::kError, given.role_path, complaint.text});
  }
  return found;
}

}  // namespace chartwright::cmd
