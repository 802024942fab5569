// SPDX-License-Identifier: Apache-2.0
#include "helm/render/prepare.h"

#include <utility>
#include <vector>

#include "go/type_name.h"
#include "helm/render/diagnosis.h"
#include "helm/render/rendering.h"
#include "helm/values/coalesce.h"
#include "helm/values/dependencies.h"

namespace chartwright::helm {
namespace {

using value::Value;

/// Collects the faults that the schemas of a chart tree find, in Helm's format.
class SchemaFaults {
 public:
  explicit SchemaFaults(const RenderableChart& loaded) : loaded_(loaded) {}

  /// Checks a chart's `values`, which are at the path `at`, and its dependencies'. Error: kBudget.
  base::Status check(const Chart& chart, const Value& values,
                     const std::vector<value::Path::Step>& at = {}) {
    if (chart.content->schema) {
      CW_TRY_VOID(check_own(chart, values, at));
    }
    for (const Chart& sub : chart.dependencies) {
      const Value* inner = values.find(sub.name());
      if (inner == nullptr || inner->is_nil()) {
        continue;
      }
      std::vector<value::Path::Step> below = at;
      below.emplace_back(sub.name());
      if (!inner->is_dict()) {
        text_ += sub.name() + ":\ninvalid type for values: expected object (map), got " +
                 go::dynamic_type_name(*inner) + "\n";
        members_.push_back({std::move(below), ""});
        continue;
      }
      CW_TRY_VOID(check(sub, *inner, below));
    }
    return {};
  }

  const std::string& text() const { return text_; }
  const std::vector<FaultyMember>& members() const { return members_; }
  /// kSchema, unless a schema could not be loaded for a cause that may pass.
  base::ErrorCode code() const { return code_; }

 private:
  base::Status check_own(const Chart& chart, const Value& values,
                         const std::vector<value::Path::Step>& at) {
    std::vector<FaultyMember> faulty;
    auto schema = loaded_.schema(*chart.content);
    const base::Status status =
        schema.ok() ? (*schema)->validate(values, &faulty) : base::Status(schema.error());
    if (!status.ok() && status.error().code() == base::ErrorCode::kBudget) {
      return status.error();
    }
    if (!status.ok()) {
      text_ += chart.name() + ":\n" + status.error().message();
    }
    if (!schema.ok() && is_passing(schema.error().code())) {
      code_ = schema.error().code();
    }
    for (FaultyMember& member : faulty) {
      member.path.insert(member.path.begin(), at.begin(), at.end());
      members_.push_back(std::move(member));
    }
    return {};
  }

  static bool is_passing(base::ErrorCode code) {
    return code == base::ErrorCode::kUnavailable || code == base::ErrorCode::kTimeout;
  }

  const RenderableChart& loaded_;
  base::ErrorCode code_ = base::ErrorCode::kSchema;
  std::string text_;
  std::vector<FaultyMember> members_;
};

}  // namespace

base::Result<PreparedChart> prepare(const RenderableChart& loaded, const RenderInputs& inputs) {
  const Profile& profile = loaded.profile();
  PreparedChart prepared{profile, {}, Value(), {}};
  auto chart = process_dependencies(loaded.chart(), inputs.values, profile,
                                    loaded.caches().constraints, prepared.warnings);
  if (!chart.ok() && profile.steps == StepRule::kNamed) {
    return std::move(chart).error().wrap("chart dependencies processing failed");
  }
  CW_TRY(prepared.chart, std::move(chart));
  CW_TRY(prepared.values, coalesce_values(prepared.chart, inputs.values, {Nulls::kDelete, profile},
                                          prepared.warnings));
  if (inputs.schema_check == SchemaCheck::kValidate) {
    CW_TRY_VOID(check_schemas(loaded, prepared, inputs));
  }
  return prepared;
}

base::Status check_schemas(const RenderableChart& loaded, const PreparedChart& prepared,
                           const RenderInputs& inputs) {
  SchemaFaults faults(loaded);
  CW_TRY_VOID(faults.check(prepared.chart, prepared.values));
  if (faults.text().empty()) {
    return {};
  }
  return base::Error(faults.code(),
                     "values don't meet the specifications of the schema(s) in the following "
                     "chart(s):\n" +
                         faults.text())
      .with_help(note_faulty(faults.members(), origins_of(loaded, prepared.chart, inputs)));
}

}  // namespace chartwright::helm
