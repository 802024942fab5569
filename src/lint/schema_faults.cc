// SPDX-License-Identifier: Apache-2.0
#include "lint/schema_faults.h"

#include "base/strings.h"
#include "chart/schema_error.h"
#include "value/document.h"

namespace chartwright::lint {
namespace {

using chart::SchemaFault;
using value::DocumentNode;

/// The faults that say what is wrong; of alternatives that all fail, that they do.
void collect(const std::vector<SchemaFault>& faults, std::vector<const SchemaFault*>& into) {
  for (const SchemaFault& fault : faults) {
    const bool is_frame = fault.form != SchemaFault::Form::kPlain && !fault.causes.empty();
    if (is_frame) {
      collect(fault.causes, into);
    } else {
      into.push_back(&fault);
    }
  }
}

/// The steps of a JSON pointer.
std::vector<std::string> steps_of(std::string_view pointer) {
  std::vector<std::string> steps;
  for (std::string_view step : base::split(pointer, '/')) {
    steps.push_back(base::replace_all(base::replace_all(step, "~1", "/"), "~0", "~"));
  }
  steps.erase(steps.begin());  // Nothing stands before the first slash.
  return steps;
}

struct Place {
  size_t depth = 0;  ///< Steps that the file knows.
  base::SourcePos pos;
};

Place place_in(const DocumentNode& root, const std::vector<std::string>& steps) {
  Place place{0, root.pos};
  const DocumentNode* at = &root;
  for (const std::string& step : steps) {
    const DocumentNode* next = nullptr;
    const auto index = base::parse_int(step);
    for (const value::DocumentEntry& entry : at->entries) {
      if (entry.key.text == step) {
        next = &entry.value;
        place.pos = entry.key.pos;
      }
    }
    if (next == nullptr && index && *index >= 0 && static_cast<size_t>(*index) < at->items.size()) {
      next = &at->items[static_cast<size_t>(*index)];
      place.pos = next->pos;
    }
    if (next == nullptr) {
      return place;
    }
    at = next;
    ++place.depth;
  }
  return place;
}

}  // namespace

Messages find_schema_faults(const chart::Schema& schema, const value::Value& values,
                            const std::vector<CiValues>& files) {
  const auto found = schema.faults(values);
  if (!found.ok()) {
    return {{Severity::kError, "values.schema.json", found.error().message()}};
  }
  std::vector<DocumentNode> documents;
  for (const CiValues& file : files) {
    auto document = value::parse_document(file.text, file.path);
    if (document.ok()) {
      documents.push_back(std::move(document).value());
    }
  }
  std::vector<const SchemaFault*> faults;
  collect(*found, faults);
  Messages messages;
  for (const SchemaFault* fault : faults) {
    const auto steps = steps_of(fault->location);
    Place best;
    for (const DocumentNode& document : documents) {
      const Place place = place_in(document, steps);
      if (best.pos.file.empty() || place.depth > best.depth) {
        best = place;
      }
    }
    const std::string where = best.pos.file.empty() ? "values.yaml" : best.pos.to_string();
    const std::string key = steps.empty() ? "the values" : base::join(steps, ".");
    messages.push_back({Severity::kError, where, key + ": " + fault->text});
  }
  return messages;
}

}  // namespace chartwright::lint
