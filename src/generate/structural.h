// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "generate/json_schema.h"
#include "generate/yaml_text.h"
#include "value/value.h"

namespace chartwright::generate {

/// Returns the schema of a type, for example "string".
Yaml typed(std::string_view type);
/// Returns the schema of any value.
Yaml anything();

/// A part of a JSON schema that the CRD does not take over. If it is a rule that a CRD cannot
/// express, Helm checks it when the chart is rendered.
struct SchemaNote {
  std::string place;  ///< "values.schema.json:12:5"
  std::string text;
};

/// The structural schema of a CRD, made from a JSON schema.
struct Structural {
  Yaml schema;
  std::vector<SchemaNote> notes;
};

/// The treatment of tables with known keys whose schema says nothing about others.
enum class OpenTables : uint8_t {
  kKeep,   ///< Keep unknown keys, as Helm does.
  kPrune,  ///< Drop them.
};

/// How to convert a JSON schema.
struct StructuralOptions {
  std::string file;  ///< The name of the file, for notes and errors.
  /// The values of fields that a user leaves out, which are therefore not required, and have no
  /// other default in the CRD. Nil: none; the defaults of the schema are those of the fields.
  value::Value defaults;
  OpenTables open_tables = OpenTables::kKeep;
  /// Fields of the spec that must be given although they have defaults; they are no part of the
  /// schema's "required".
  std::vector<std::string> required = {};
  /// The schema refuses the defaults, so that some of them must be replaced.
  bool defaults_are_wrong = false;
};

/// Converts a JSON schema (draft 4 to 2020-12) to the subset that CRDs allow. Tables that allow
/// other keys keep unknown fields; closed ones do not, so the API server refuses or drops them.
/// Errors: kParse and kBudget for text that is not JSON of a sane size.
/// Source: k8s.io/apiextensions-apiserver pkg/apiserver/schema (structural schemas).
base::Result<Structural> structural_schema(std::string_view json, const StructuralOptions& options);

}  // namespace chartwright::generate
