// SPDX-License-Identifier: Apache-2.0
#include "lint/schema_faults.h"

#include <span>

#include "base/strings.h"
#include "chart/schema_error.h"
#include "value/json_pointer.h"
#include "value/yaml_locate.h"

namespace chartwright::lint {
namespace {

using chart::SchemaFault;
using value::Path;

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

struct Place {
  size_t depth = 0;  ///< Steps that the file knows.
  base::SourcePos pos;
};

/// The member at `steps`, or the nearest around it that the file has.
Place place_in(const CiValues& file, std::span<const Path::Step> steps) {
  for (size_t depth = steps.size(); depth > 0; --depth) {
    if (const auto pos = value::locate_in_yaml(file.text, steps.first(depth))) {
      return {depth, {file.path, pos->line, pos->column}};
    }
  }
  return {0, {file.path, 1, 1}};
}

/// "a.b.0".
std::string key_text(const std::vector<Path::Step>& steps) {
  std::vector<std::string> names;
  for (const Path::Step& step : steps) {
    const size_t* index = std::get_if<size_t>(&step);
    names.push_back(index != nullptr ? std::to_string(*index) : std::get<std::string>(step));
  }
  return names.empty() ? "the values" : base::join(names, ".");
}

}  // namespace

Messages find_schema_faults(const chart::Schema& schema, const value::Value& values,
                            const std::vector<CiValues>& files) {
  const auto found = schema.faults(values);
  if (!found.ok()) {
    return {{Severity::kError, "values.schema.json", found.error().message()}};
  }
  std::vector<const SchemaFault*> faults;
  collect(*found, faults);
  Messages messages;
  for (const SchemaFault* fault : faults) {
    const auto steps = value::pointer_steps(values, fault->location);
    Place best;
    for (const CiValues& file : files) {
      const Place place = place_in(file, steps);
      if (best.pos.file.empty() || place.depth > best.depth) {
        best = place;
      }
    }
    const std::string where = best.pos.file.empty() ? "values.yaml" : best.pos.to_string();
    messages.push_back({Severity::kError, where, key_text(steps) + ": " + fault->text});
  }
  return messages;
}

}  // namespace chartwright::lint
