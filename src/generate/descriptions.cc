// SPDX-License-Identifier: Apache-2.0
#include "generate/descriptions.h"

#include <array>
#include <string>

#include "base/strings.h"
#include "defaults/chart_defaults.h"
#include "defaults/described_value.h"

namespace chartwright::generate {
namespace {

using defaults::DescribedValue;

/// The descriptions that a schema gets.
struct Extent {
  int levels;
  size_t comment_max;  ///< In bytes.
};

/// From most to least: a schema that is too long has shorter descriptions, then fewer.
constexpr auto kExtents = std::to_array<Extent>({{30, helm::kCommentMax},
                                                 {30, 100},
                                                 {6, 100},
                                                 {5, 100},
                                                 {4, 100},
                                                 {3, 100},
                                                 {2, 100},
                                                 {1, 100}});

/// Maximum length of a described schema as JSON: `kubectl apply` copies a CRD into an annotation,
/// which may have 262,144 bytes. The rest is for the status.
constexpr size_t kDescribedBytesMax = 240'000;

/// Returns about how long a schema is as JSON, which has quotes and braces in place of indentation.
size_t json_bytes(const Yaml& schema) {
  constexpr size_t kMarksPerLine = 5;
  size_t bytes = 0;
  const std::string text = schema.to_string();
  for (std::string_view line : base::split(text, '\n')) {
    bytes += base::trim(line).size() + kMarksPerLine;
  }
  return bytes;
}

Yaml with_descriptions(const Yaml& schema, const DescribedValue& table, Extent extent) {
  const Yaml* properties = schema.find("properties");
  if (properties == nullptr || extent.levels == 0) {
    return schema;
  }
  Yaml fields;
  for (const auto& [name, field] : properties->members()) {
    const DescribedValue value = table.member(name);
    const Yaml* own = field.find("description");
    const std::string text = value.text(own != nullptr ? own->scalar() : "", extent.comment_max);
    Yaml described;
    if (!text.empty()) {
      described.set("description", text);
    }
    const Yaml inner = with_descriptions(field, value, {extent.levels - 1, extent.comment_max});
    for (const auto& [key, member] : inner.members()) {
      if (key != "description") {
        described.set(key, member);
      }
    }
    fields.set(name, std::move(described));
  }
  return Yaml(schema).set("properties", std::move(fields));
}

}  // namespace

Yaml described(const Yaml& schema, const helm::RenderableChart& chart) {
  const value::Value usual = defaults::chart_defaults(chart);
  const helm::Comments comments = defaults::comments_of(chart.chart());
  const DescribedValue values(&usual, &comments);
  for (const Extent& extent : kExtents) {
    Yaml described = with_descriptions(schema, values, extent);
    if (json_bytes(described) <= kDescribedBytesMax) {
      return described;
    }
  }
  return schema;
}

}  // namespace chartwright::generate
