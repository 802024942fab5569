// SPDX-License-Identifier: Apache-2.0
// `.Chart`: the metadata in the form of the Go structs that templates see.
// Source: helm/helm v3 pkg/chart/metadata.go, dependency.go, pkg/engine/engine.go recAllTpls.
#include <memory>

#include "helm/chart/metadata.h"
#include "helm/funcs/go_value.h"
#include "helm/funcs/struct_value.h"

namespace chartwright::helm {
namespace {

constexpr value::GoType kMaintainers{"[]*chart.Maintainer", value::Element::kOther};
constexpr value::GoType kDependencies{"[]*chart.Dependency", value::Element::kOther};

using value::Value;

Value text(const std::string& s) { return Value::string(s); }

Value texts(const std::vector<std::string>& items) {
  if (items.empty()) {
    return Value::nil_list(value::kStringList);
  }
  std::vector<Value> values;
  values.reserve(items.size());
  for (const std::string& item : items) {
    values.push_back(text(item));
  }
  return Value::list(std::move(values), value::kStringList);
}

Value pointer(std::string_view go_type, std::vector<funcs::StructField> fields) {
  return Value::native(std::make_shared<const funcs::StructValue>(
      go_type, funcs::StructValue::Form::kPointer, std::move(fields)));
}

Value maintainer_value(const Maintainer& maintainer) {
  return pointer("chart.Maintainer", {{"Name", "name", text(maintainer.name)},
                                      {"Email", "email", text(maintainer.email)},
                                      {"URL", "url", text(maintainer.url)}});
}

/// A *chart.Dependency, the only struct with yaml tags, which equal its JSON tags.
class DependencyValue final : public funcs::StructValue {
 public:
  explicit DependencyValue(std::vector<funcs::StructField> fields)
      : funcs::StructValue("chart.Dependency", Form::kPointer, std::move(fields)) {}

  std::vector<funcs::YamlField> yaml_fields() const override {
    std::vector<funcs::YamlField> written;
    for (const funcs::StructField& field : fields()) {
      if (field.empty == funcs::JsonEmpty::kWrite || !funcs::is_empty(field.value)) {
        written.push_back({std::string(field.json_name), field.value});
      }
    }
    return written;
  }
};

Value dependency_value(const Dependency& dependency) {
  return Value::native(std::make_shared<const DependencyValue>(std::vector<funcs::StructField>{
      {"Name", "name", text(dependency.name), funcs::JsonEmpty::kWrite},
      {"Version", "version", text(dependency.version)},
      {"Repository", "repository", text(dependency.repository), funcs::JsonEmpty::kWrite},
      {"Condition", "condition", text(dependency.condition)},
      {"Tags", "tags", texts(dependency.tags)},
      {"Enabled", "enabled", Value::boolean(dependency.enabled)},
      {"ImportValues", "import-values",
       // Templates may modify its maps, but the chart is shared by renders.
       dependency.import_values.is_nil() ? Value::nil_list()
                                         : value::deep_copy(dependency.import_values)},
      {"Alias", "alias", text(dependency.alias)}}));
}

template <typename T>
Value pointers(const std::vector<T>& items, Value (*make)(const T&), value::ListType type) {
  std::vector<Value> values;
  values.reserve(items.size());
  for (const T& item : items) {
    values.push_back(make(item));
  }
  return values.empty() ? Value::nil_list(type) : Value::list(std::move(values), type);
}

std::vector<funcs::StructField> metadata_fields(const Metadata& m) {
  const Value annotations =
      m.annotations.is_nil() ? Value::nil_dict(value::kStringDict) : m.annotations;
  return {{"Name", "name", text(m.name)},
          {"Home", "home", text(m.home)},
          {"Sources", "sources", texts(m.sources)},
          {"Version", "version", text(m.version)},
          {"Description", "description", text(m.description)},
          {"Keywords", "keywords", texts(m.keywords)},
          {"Maintainers", "maintainers",
           pointers(m.maintainers, maintainer_value, value::ListType(kMaintainers))},
          {"Icon", "icon", text(m.icon)},
          {"APIVersion", "apiVersion", text(m.api_version)},
          {"Condition", "condition", text(m.condition)},
          {"Tags", "tags", text(m.tags)},
          {"AppVersion", "appVersion", text(m.app_version)},
          {"Deprecated", "deprecated", Value::boolean(m.deprecated)},
          {"Annotations", "annotations", annotations},
          {"KubeVersion", "kubeVersion", text(m.kube_version)},
          {"Dependencies", "dependencies",
           pointers(m.dependencies, dependency_value, value::ListType(kDependencies))},
          {"Type", "type", text(m.type)}};
}

/// The anonymous struct that Helm builds: IsRoot and an embedded Metadata with promoted fields.
class ChartValue final : public funcs::StructValue {
 public:
  /// `metadata` are the fields of the embedded struct. The promoted fields are the same values, so
  /// that a change made through one is visible through the other.
  ChartValue(const std::vector<funcs::StructField>& metadata, ChartRole role)
      : funcs::StructValue("struct { chart.Metadata; IsRoot bool }", Form::kStruct,
                           all_fields(metadata, role)),
        metadata_(Value::native(
            std::make_shared<const funcs::StructValue>("chart.Metadata", Form::kStruct, metadata))),
        is_root_(role == ChartRole::kRoot) {}

  size_t go_index(size_t i) const override { return i + 1 == fields().size() ? 1 : 0; }
  std::optional<Value> field(std::string_view name) const override {
    return name == "Metadata" ? std::optional(metadata_) : funcs::StructValue::field(name);
  }
  std::vector<Member> members() const override {
    return {{"Metadata", metadata_}, {"IsRoot", Value::boolean(is_root_)}};
  }
  std::vector<funcs::YamlField> yaml_fields() const override {
    return {{"metadata", metadata_}, {"isroot", Value::boolean(is_root_)}};
  }
  std::string to_plain_string() const override { return to_string(); }
  std::string to_string() const override {
    return "{" + metadata_.as_native().to_plain_string() + (is_root_ ? " true}" : " false}");
  }

 private:
  static std::vector<funcs::StructField> all_fields(std::vector<funcs::StructField> fields,
                                                    ChartRole role) {
    fields.push_back(
        {"IsRoot", "IsRoot", Value::boolean(role == ChartRole::kRoot), funcs::JsonEmpty::kWrite});
    return fields;
  }

  Value metadata_;
  bool is_root_;
};

Value as_map(const std::vector<funcs::StructField>& fields);

/// Converts structs to maps and slices to []interface {}, never nil.
/// Source: helm/helm v4 pkg/chart/common.go structToMap.
Value member_of_map(const funcs::StructField& field) {
  if (!field.value.is_list()) {
    return field.value;
  }
  std::vector<Value> items;
  for (const Value& item : field.value.as_list().items) {
    const auto* fields =
        item.is_native() ? dynamic_cast<const funcs::StructValue*>(&item.as_native()) : nullptr;
    items.push_back(fields != nullptr ? as_map(fields->fields()) : item);
  }
  return Value::list(std::move(items));
}

Value as_map(const std::vector<funcs::StructField>& fields) {
  Value map = Value::dict();
  for (const funcs::StructField& field : fields) {
    map.mutable_dict().set(field.go_name, member_of_map(field));
  }
  return map;
}

}  // namespace

Value make_chart_value(const Metadata& metadata, ChartRole role, ChartRule rule) {
  if (rule == ChartRule::kMap) {
    Value map = as_map(metadata_fields(metadata));
    map.mutable_dict().set("IsRoot", Value::boolean(role == ChartRole::kRoot));
    return map;
  }
  return Value::native(std::make_shared<const ChartValue>(metadata_fields(metadata), role));
}

base::Result<Value> recorded_metadata(const Metadata& metadata) {
  const funcs::StructValue recorded("chart.Metadata", funcs::StructValue::Form::kStruct,
                                    metadata_fields(metadata));
  return recorded.to_json_value();
}

base::Result<Value> recorded_dependencies(const std::vector<Dependency>& dependencies) {
  std::vector<Value> recorded;
  recorded.reserve(dependencies.size());
  for (const Dependency& dependency : dependencies) {
    CW_TRY(Value one, dependency.is_null
                          ? base::Result<Value>(Value::nil())
                          : dependency_value(dependency).as_native().to_json_value());
    recorded.push_back(std::move(one));
  }
  return Value::list(std::move(recorded));
}

}  // namespace chartwright::helm
