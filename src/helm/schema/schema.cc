// SPDX-License-Identifier: Apache-2.0
#include "helm/schema/schema.h"

#include "helm/schema/documents.h"
#include "helm/schema/error.h"
#include "helm/schema/graph.h"
#include "value/json_pointer.h"

namespace chartwright::helm {
namespace {

void collect(const SchemaFault& fault, const value::Value& v, std::vector<FaultyMember>& into) {
  constexpr size_t kFaultyMax = 64;
  if (into.size() >= kFaultyMax) {
    return;
  }
  for (const auto& [name, meant] : fault.unknown) {
    FaultyMember member{value::pointer_steps(v, fault.location), meant};
    member.path.emplace_back(name);
    into.push_back(std::move(member));
  }
  if (fault.causes.empty() && fault.unknown.empty()) {
    into.push_back({value::pointer_steps(v, fault.location), ""});
  }
  for (const SchemaFault& cause : fault.causes) {
    collect(cause, v, into);
  }
}

}  // namespace

base::Result<Schema> Schema::compile(std::string_view json, const SchemaRules& rules,
                                     const SchemaSource* source) {
  CW_TRY(const value::Value document, parse_schema(json));
  CW_TRY(auto graph, compile_schema(document, SchemaKind::kUser, rules, source));
  return Schema(std::move(graph));
}

base::Status Schema::validate(const value::Value& v, std::vector<FaultyMember>* faulty) const {
  CW_TRY(const std::vector<SchemaFault> faults, validate_schema(*graph_, v));
  if (faults.empty()) {
    return {};
  }
  for (const SchemaFault& fault : faults) {
    if (faulty != nullptr) {
      collect(fault, v, *faulty);
    }
  }
  return base::Error(base::ErrorCode::kSchema, render_faults(faults) + "\n");
}

base::Result<std::vector<SchemaFault>> Schema::faults(const value::Value& v) const {
  return validate_schema(*graph_, v);
}

}  // namespace chartwright::helm
