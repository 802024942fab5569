// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace chartwright::fuzz {

/// Passes one arbitrary input to a parser or other consumer of external data. Aborts if a property
/// of that code does not hold; sanitizers find the rest.
using Run = void (*)(std::string_view input);

/// How to mutate inputs.
enum class Shape : uint8_t { kBytes, kSections };

struct Target {
  std::string_view name;
  Run run;
  Shape shape = Shape::kBytes;
};

/// Returns all targets, ordered by name.
std::span<const Target> targets();

// Input from chart authors.
/// Sections: a chart with values, from the archive to the plan; see chart_text.h.
void chart_release(std::string_view text);
void chart_archive(std::string_view tar);                 ///< Without compression.
void chart_render(std::string_view template_and_values);  ///< Separated by a NUL.
void date_layout(std::string_view layout_and_text);       ///< Separated by a line break.
void json_schema(std::string_view schema_and_value);      ///< Separated by a NUL.
void json_text(std::string_view text);
void semantic_version(std::string_view constraint_and_version);  ///< Separated by a line break.
void set_values(std::string_view line);                          ///< The value of --set.
void template_text(std::string_view text);
void toml_text(std::string_view text);
void yaml_text(std::string_view text);

// Input from users and the API server.
void diagnosis_world(std::string_view world_json);   ///< An object, and the lists of a cluster.
void field_set(std::string_view object_json);        ///< An object with managedFields.
void json_patch(std::string_view patch_and_object);  ///< Separated by a NUL.
void revision_record(std::string_view data);         ///< Data of a Secret that holds a revision.
void watch_stream(std::string_view stream);
void watches_file(std::string_view text);

/// An input, split at the first separator.
struct Halves {
  std::string_view first;
  std::string_view second;
};
inline Halves split(std::string_view input, char separator) {
  const size_t at = input.find(separator);
  return at == std::string_view::npos ? Halves{input, {}}
                                      : Halves{input.substr(0, at), input.substr(at + 1)};
}

}  // namespace chartwright::fuzz
