// SPDX-License-Identifier: Apache-2.0
#include "helm/schema/schema.h"

#include "helm/schema/error.h"
#include "helm/schema/graph.h"
#include "value/json.h"
#include "value/json_pointer.h"
#include "value/json_syntax.h"

namespace chartwright::helm {
namespace {

/// Returns the error of a Go decoder that reads one document from a stream and then expects EOF.
base::Error syntax_error(std::string_view json, const value::JsonSyntaxError& error) {
  std::string message = error.message;
  if (json.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    message = "EOF";
  } else if (error.offset >= json.size()) {
    message = "unexpected EOF";
  } else if (!value::find_json_syntax_error(json.substr(0, error.offset))) {
    message = "invalid character after top-level value";
  }
  return base::Error(base::ErrorCode::kParse, std::move(message))
      .at(value::position_of(json, error.offset));
}

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

base::Result<Schema> Schema::compile(std::string_view json, const SchemaRules& rules) {
  if (const auto error = value::find_json_syntax_error(json)) {
    return syntax_error(json, *error);
  }
  CW_TRY(const value::Value document, value::parse_json(json, value::Numbers::kInt64));
  CW_TRY(auto graph, compile_schema(document, SchemaKind::kUser, rules));
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
