// SPDX-License-Identifier: Apache-2.0
#include "cmd/lint_bundle.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "bundle/schema_conflicts.h"
#include "bundle/status_fields.h"
#include "doctor/doctor.h"
#include "exposure/exposed_externals.h"
#include "exposure/exposed_names.h"
#include "helm/render/manifest.h"
#include "kube/object.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using helm::lint::Messages;
using helm::lint::Severity;
using value::Value;

constexpr size_t kFileBytesMax = size_t{16} << 20;
constexpr int kDepthMax = 30;

base::Result<std::vector<Value>> read_objects(const std::string& path) {
  CW_TRY(const std::string text, base::read_file(path, kFileBytesMax));
  std::vector<Value> objects;
  for (const std::string& document : helm::split_manifests(text)) {
    auto object = yaml::parse_yaml(document, value::Numbers::kInt64);
    if (!object.ok()) {
      return std::move(object).error().wrap(path);
    }
    objects.push_back(*std::move(object));
  }
  return objects;
}

Error lacks(const std::string& path, const std::string& what) {
  return Error(ErrorCode::kInvalidArgument, path + ": no " + what + " in this file");
}

base::Result<Value> read_crd(const std::string& path) {
  CW_TRY(std::vector<Value> objects, read_objects(path));
  std::erase_if(objects, [](const Value& object) {
    return object.string_at({"kind"}) != "CustomResourceDefinition";
  });
  if (objects.empty()) {
    return lacks(path, "CustomResourceDefinition");
  }
  if (objects.size() > 1) {
    return Error(ErrorCode::kInvalidArgument,
                 path + ": " + std::to_string(objects.size()) +
                     " CustomResourceDefinitions in this file: give that of the chart's kind");
  }
  return std::move(objects.front());
}

base::Status read_roles(const std::string& path, GivenManifests& given) {
  CW_TRY(std::vector<Value> objects, read_objects(path));
  for (const Value& object : objects) {
    if (const std::string_view bound = object.string_at({"roleRef", "name"}); !bound.empty()) {
      given.bound.insert(std::string(object.string_at({"roleRef", "kind"})) + "/" +
                         std::string(bound));
    }
  }
  std::erase_if(objects, [](const Value& object) {
    const std::string_view kind = object.string_at({"kind"});
    return kind != "Role" && kind != "ClusterRole";
  });
  if (objects.empty()) {
    return lacks(path, "Role or ClusterRole");
  }
  given.roles = std::move(objects);
  return {};
}

/// Returns the version in which objects are stored; nil if there is none.
Value storage_version(const Value& crd) {
  for (const Value& version : crd.items_at({"spec", "versions"})) {
    if (version.bool_at({"storage"})) {
      return version;
    }
  }
  return {};
}

/// Returns a value that has the keys of a schema.
Value example_of(const Value& schema, int depth) {
  const Value* properties = schema.find("properties");
  const Value* items = schema.find("items");
  if (items != nullptr && depth < kDepthMax) {
    return Value::list({example_of(*items, depth + 1)});
  }
  Value example = Value::dict();
  if (properties == nullptr || !properties->is_dict() || depth > kDepthMax) {
    return example;
  }
  for (const auto& [name, member] : properties->as_dict()) {
    example.mutable_dict().set(name, example_of(member, depth + 1));
  }
  return example;
}

/// Returns "operator/status.yaml:3:5" or the chart's path.
std::string place_of(const Error& error, const std::string& chart_path) {
  if (!error.pos()) {
    return chart_path;
  }
  const std::string place = error.pos()->to_string();
  return place.starts_with(chart_path + "/") ? place.substr(chart_path.size() + 1) : place;
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) {
    path.pop_back();
  }
  return path;
}

class BundleLint {
 public:
  BundleLint(std::string chart_path, const GivenManifests& given)
      : chart_path_(without_slash(std::move(chart_path))), given_(given) {}

  Messages run() {
    base::Faults faults;
    watch_.bundle = bundle::load_bundle(chart_path_, helm::default_profile(), {}, faults);
    add_all(Severity::kError, faults.all());
    if (!faults.empty()) {
      return std::move(messages_);
    }
    watch_.chart_path = chart_path_;
    if (!given_.crd.is_nil()) {
      check_crd();
    }
    add_doubts();
    add_exposed();
    if (!given_.roles.empty()) {
      check_role();
    }
    return std::move(messages_);
  }

 private:
  void add(Severity severity, const std::string& path, const std::string& text) {
    messages_.push_back({severity, path, text});
  }

  void add_all(Severity severity, const std::vector<Error>& errors) {
    for (const Error& error : errors) {
      add(severity, place_of(error, chart_path_), error.message());
    }
  }

  /// Adds the names that are probably misspelt, unless the CRD has shown that they are.
  void add_doubts() {
    for (const Error& doubt : watch_.bundle.doubts) {
      const std::string place = place_of(doubt, chart_path_);
      if (std::ranges::find(messages_, place, &helm::lint::Message::path) == messages_.end()) {
        add(Severity::kWarning, place, doubt.message());
      }
    }
  }

  /// Adds the servers, Secrets and namespaces that a spec may choose.
  void add_exposed() {
    const Value version = storage_version(given_.crd);
    const Value* schema = version.find_path({"schema", "openAPIV3Schema", "properties", "spec"});
    const auto spec = schema == nullptr ? std::optional<bundle::SchemaPlace>()
                                        : bundle::SchemaPlace(*schema, bundle::Unlisted::kDropped);
    add_all(Severity::kWarning, exposure::exposed_externals(watch_.bundle, spec));
    add_all(Severity::kWarning, exposure::exposed_names(watch_.bundle, spec));
  }

  void check_crd() {
    const Value version = storage_version(given_.crd);
    watch_.gvk = {std::string(given_.crd.string_at({"spec", "group"})),
                  std::string(version.string_at({"name"})),
                  std::string(given_.crd.string_at({"spec", "names", "kind"}))};
    bundle::CrdOptions& crd = watch_.bundle.rules.crd;
    crd.plural = std::string(given_.crd.string_at({"spec", "names", "plural"}));
    crd.scope = given_.crd.string_at({"spec", "scope"}) == "Cluster" ? kube::Scope::kCluster
                                                                     : kube::Scope::kNamespaced;
    for (const doctor::Complaint& complaint : doctor::check_definition(given_.crd, watch_)) {
      add(Severity::kError, given_.crd_path, complaint.text);
    }
    check_status(version);
    check_spec(version);
    check_names(version);
  }

  void check_status(const Value& version) {
    const Value* schema = version.find_path({"schema", "openAPIV3Schema", "properties", "status"});
    if (schema == nullptr || !watch_.bundle.status_template) {
      return;
    }
    const base::Status checked = bundle::check_status_fields(*watch_.bundle.status_template,
                                                             chart_path_ + "/operator/status.yaml",
                                                             {*schema, given_.crd_path});
    if (!checked.ok()) {
      add(Severity::kError, place_of(checked.error(), chart_path_), checked.error().message());
    }
  }

  void check_spec(const Value& version) {
    const Value* schema = version.find_path({"schema", "openAPIV3Schema", "properties", "spec"});
    if (schema == nullptr) {
      return;
    }
    check_values(*schema);
    for (const std::string& text : watch_.bundle.unread_keys(example_of(*schema, 0))) {
      add(Severity::kWarning, given_.crd_path, "spec: " + text);
    }
  }

  /// Compares the schema of the spec with that of the values, which each render checks.
  void check_values(const Value& spec) {
    if (watch_.bundle.values_template) {
      return;  // The spec is not the values.
    }
    const std::string& text = watch_.bundle.chart->chart().content->schema.value_or("");
    const auto values = value::parse_json(text, value::Numbers::kInt64);
    if (!values.ok()) {
      return;  // There is none, or each render says what is wrong with it.
    }
    const bundle::SchemaPlace place(*values, bundle::Unlisted::kKept);
    for (const std::string& conflict :
         bundle::schema_conflicts(spec, place, "spec", "values.schema.json")) {
      add(Severity::kError, given_.crd_path, conflict);
    }
  }

  /// Checks what templates read of the custom resource: the CRD drops other fields.
  void check_names(const Value& version) {
    const auto place = [&version](std::string_view member) {
      const Value* schema = version.find_path({"schema", "openAPIV3Schema", "properties", member});
      return schema == nullptr ? std::optional<bundle::SchemaPlace>()
                               : bundle::SchemaPlace(*schema, bundle::Unlisted::kDropped);
    };
    base::Faults faults;
    bundle::check_names(watch_.bundle, chart_path_ + "/operator/",
                        {.spec = place("spec"), .status = place("status"), .values = {}}, faults);
    add_all(Severity::kError, faults.all());
  }

  void check_role() {
    std::vector<bundle::Watch> watches;
    watches.push_back(std::move(watch_));
    const auto access = generate::access_of(watches);
    if (!access.ok()) {
      add(Severity::kError, place_of(access.error(), chart_path_), access.error().message());
      return;
    }
    for (const doctor::Complaint& complaint : doctor::check_roles(given_.roles, *access)) {
      add(Severity::kError, given_.role_path, complaint.text);
    }
    for (const std::string& unneeded : doctor::unneeded_rights(given_.bound_roles(), *access)) {
      add(Severity::kWarning, given_.role_path, unneeded);
    }
    for (const generate::AccessNote& note : access->notes) {
      if (note.is_gap) {
        add(Severity::kWarning, note.place, note.text);
      }
    }
  }

  const std::string chart_path_;
  const GivenManifests& given_;
  bundle::Watch watch_;
  Messages messages_;
};

}  // namespace

std::vector<Value> GivenManifests::bound_roles() const {
  std::vector<Value> some = roles;
  std::erase_if(some, [this](const Value& role) {
    const std::string name =
        std::string(role.string_at({"kind"})) + "/" + std::string(kube::name_of(role));
    return !bound.empty() && !bound.contains(name);
  });
  return some;
}

base::Result<GivenManifests> read_given(const std::string& crd_path, const std::string& role_path) {
  GivenManifests given{crd_path, {}, role_path, {}, {}};
  if (!crd_path.empty()) {
    CW_TRY(given.crd, read_crd(crd_path));
  }
  if (!role_path.empty()) {
    CW_TRY_VOID(read_roles(role_path, given));
  }
  return given;
}

Messages lint_bundle(const std::string& chart_path, const helm::RenderableChart& loaded,
                     const GivenManifests& given) {
  // Without either, the chart is only a chart.
  if (loaded.operator_files().empty() && given.crd.is_nil()) {
    return {};
  }
  return BundleLint(chart_path, given).run();
}

}  // namespace chartwright::cmd
