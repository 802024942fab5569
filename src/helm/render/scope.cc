// SPDX-License-Identifier: Apache-2.0
#include "helm/render/scope.h"

#include "base/strings.h"
#include "go/path.h"
#include "helm/render/capabilities.h"
#include "helm/values/coalesce.h"

namespace chartwright::helm {
namespace {

using value::Value;

Value release_value(const Release& release) {
  return Value::dict({{"Name", Value::string(release.name)},
                      {"Namespace", Value::string(release.namespace_name)},
                      {"IsUpgrade", Value::boolean(release.action == ReleaseAction::kUpgrade)},
                      {"IsInstall", Value::boolean(release.action == ReleaseAction::kInstall)},
                      {"Revision", Value::integer(release.revision, value::IntType::kInt)},
                      {"Service", Value::string("Helm")}});
}

/// Builds the scopes of a chart tree and collects its templates.
class ScopeBuilder {
 public:
  ScopeBuilder(const PreparedChart& prepared, const RenderInputs& inputs, Renderables* into)
      : profile_(prepared.profile),
        values_(prepared.values),
        release_(release_value(inputs.release)),
        capabilities_(make_capabilities_value(inputs.capabilities, profile_)),
        extra_(inputs.extra),
        into_(into) {}

  /// `parent` is the scope of the parent chart; nil for the root.
  Value scope(const Chart& chart, const Value& parent) {
    const bool is_root = parent.is_nil();
    const Value subcharts = Value::dict();
    Value scope = Value::dict(profile_.values_type);
    value::Dict& members = scope.mutable_dict();
    members.set("Chart",
                make_chart_value(chart.metadata, is_root ? ChartRole::kRoot : ChartRole::kSubchart,
                                 profile_.chart));
    members.set("Files", chart.content->files_value);
    members.set("Release", release_);
    members.set("Capabilities", capabilities_);
    members.set("Values", is_root ? values_ : subchart_values(parent, chart.name()));
    members.set("Subcharts", subcharts);
    if (extra_.is_dict()) {
      for (const auto& [name, member] : extra_.as_dict()) {
        members.set(name, member);
      }
    }
    for (const Chart& sub : chart.dependencies) {
      Value inner = this->scope(sub, scope);
      subcharts.mutable_dict().set(sub.name(), std::move(inner));
    }
    collect(chart, scope);
    return scope;
  }

 private:
  Value subchart_values(const Value& parent, std::string_view name) const {
    const Value* table = table_at(parent, "Values." + std::string(name));
    return table != nullptr ? *table : Value::dict(profile_.values_type);
  }

  void collect(const Chart& chart, const Value& scope) {
    if (into_ == nullptr) {
      return;
    }
    for (const File& file : chart.content->templates) {
      if (is_parsed(chart, file)) {
        (*into_)[go::join_path(chart.path, file.name)] = {&file.data, scope,
                                                          go::join_path(chart.path, "templates")};
      }
    }
  }

  const Profile& profile_;
  Value values_;
  Value release_;
  Value capabilities_;
  Value extra_;
  Renderables* into_;
};

}  // namespace

bool is_parsed(const Chart& chart, const File& file) {
  const bool is_library = base::to_lower_ascii(chart.metadata.type) == "library";
  return !is_library || go::base_name(file.name).front() == '_';
}

Value build_scope(const PreparedChart& prepared, const RenderInputs& inputs, Renderables* into) {
  return ScopeBuilder(prepared, inputs, into).scope(prepared.chart, Value());
}

}  // namespace chartwright::helm
