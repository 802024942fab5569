// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/object.h"
#include "value/value.h"

namespace chartwright::origin {

/// A field manager that has set a field.
struct Writer {
  std::string manager;
  std::string operation;    ///< "Apply", "Update".
  std::string subresource;  ///< "scale", "status"; empty: none.
  std::string time;         ///< In RFC 3339; may be empty.
  bool is_ours = false;     ///< The operator writes the children with it.
};

/// Where a value that a template reads was set.
enum class Source : uint8_t {
  kSpec,     ///< In the spec of the custom resource.
  kOutside,  ///< In the values of the release, but not in the spec.
  kChart,    ///< In a values.yaml of the chart.
  kUnset,    ///< Nowhere.
  kBuiltin,  ///< A member of the dot that is not a value: `.Release.Name`.
};
std::string_view to_string(Source source);  ///< "spec", "outside", "chart", "unset", "builtin".

/// A value that the line of a template reads.
struct ReadValue {
  std::string name;                  ///< ".Values.image.tag"
  std::optional<std::string> value;  ///< JSON, masked and cut; nullopt: not set, or not shown.
  Source source = Source::kUnset;
  std::string place;  ///< "spec.image.tag", "shop/values.yaml:3:1"; may be empty.
};

/// The first revision that has the value.
struct FirstRevision {
  int revision = 0;
  std::string updated;  ///< In RFC 3339.
  std::string description;
  std::string by;           ///< The field manager that had changed the spec; may be empty.
  bool is_certain = false;  ///< The one before it had another value, or there was none.
};

/// A field of a child that a value is written to.
struct UsedBy {
  kube::ObjectRef object;
  std::string field;
  std::string value;
  std::string place;
};

/// The state of a field, compared with the revision in force.
enum class FieldState : uint8_t {
  kAsRecorded,   ///< It has the value that the revision gives it.
  kChanged,      ///< Somebody else has given it another value.
  kAutoscaled,   ///< It is the number of replicas of what an autoscaler of the release scales.
  kNotRendered,  ///< No template writes it.
  kFieldGone,    ///< The revision has it, the live object does not.
  kChildGone,    ///< There is no such object in the cluster.
  kUnknown,      ///< The record of the revision could not be read.
  kOfSpec,       ///< It is a field of the custom resource itself.
};
std::string_view to_string(FieldState state);  ///< "AsRecorded", "Changed", ...

/// Where the value of a field comes from. Its texts are printable and bounded.
struct FieldAnswer {
  kube::ObjectRef cr;
  std::optional<kube::ObjectRef> child;  ///< nullopt: a field of the custom resource.
  std::string field;
  bool is_secret = false;  ///< No value is shown.
  bool is_paused = false;  ///< The operator leaves the custom resource alone.
  FieldState state = FieldState::kUnknown;
  std::optional<std::string> live;  ///< JSON, masked and cut.
  std::vector<Writer> writers;
  int64_t revision = 0;                 ///< The revision in force; 0: none.
  std::optional<std::string> recorded;  ///< The value that the revision gives to it.
  std::vector<std::string> places;      ///< Lines of templates: see TemplateLine.
  std::vector<ReadValue> values;
  std::vector<UsedBy> uses;  ///< At most kUsesMax, of a field of the custom resource.
  size_t more_uses = 0;
  std::optional<FirstRevision> since;
  std::vector<std::string> gaps;  ///< Sentences about what is not known.
};
inline constexpr size_t kUsesMax = 50;

/// Returns the next step of a person who wants another value.
std::string advice_for(const FieldAnswer& answer);

/// Returns the answer, a line for each link from the field to its source. The last line says what
/// to do.
std::string text_of(const FieldAnswer& answer);

/// Returns the answer as JSON has it: the form that docs/operate/why.md describes.
value::Value to_value(const FieldAnswer& answer);

}  // namespace chartwright::origin
