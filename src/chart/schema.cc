// SPDX-License-Identifier: Apache-2.0
#include "chart/schema.h"

#include "chart/schema_error.h"
#include "chart/schema_graph.h"
#include "value/json.h"

namespace chartwright::chart {

base::Result<Schema> Schema::compile(std::string_view json) {
  CW_TRY(const value::Value document, value::parse_json(json, value::Numbers::kInt64));
  CW_TRY(auto graph, compile_schema(document));
  return Schema(std::move(graph));
}

base::Status Schema::validate(const value::Value& v) const {
  CW_TRY(const std::vector<SchemaFault> faults, validate_schema(*graph_, v));
  if (faults.empty()) {
    return {};
  }
  return base::Error(base::ErrorCode::kSchema, render_faults(faults) + "\n");
}

}  // namespace chartwright::chart
