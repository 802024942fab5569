// SPDX-License-Identifier: Apache-2.0
#include "helm/lint/schema_faults.h"

#include <algorithm>
#include <span>

#include "base/strings.h"
#include "helm/schema/error.h"
#include "value/json_pointer.h"
#include "yaml/locate.h"

namespace chartwright::helm::lint {
namespace {

using helm::SchemaFault;
using value::Path;

/// Further faults are only counted, as locating each one means searching the values files.
constexpr size_t kFaultsMax = 100;

/// Collects the faults that describe a cause. If all alternatives of a keyword fail, collects that
/// one fault and not those of the alternatives.
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

/// Returns the place of the member at `steps`, or of the nearest enclosing one, in the first of the
/// files that contain the longest part of the path.
base::SourcePos place_of(std::span<const Path::Step> steps, const std::vector<CiValues>& files) {
  yaml::Place best{0, {files.empty() ? "values.yaml" : files.front().path, 1, 1}};
  for (const CiValues& file : files) {
    const auto place = yaml::nearest_in_yaml(file.text, steps);
    if (place && place->depth > best.depth) {
      best = {place->depth, {file.path, place->pos.line, place->pos.column}};
    }
  }
  return best.pos;
}

/// Returns a path as "a.b.0".
std::string key_text(const std::vector<Path::Step>& steps) {
  std::vector<std::string> names;
  for (const Path::Step& step : steps) {
    const size_t* index = std::get_if<size_t>(&step);
    names.push_back(index != nullptr ? std::to_string(*index) : std::get<std::string>(step));
  }
  return names.empty() ? "the values" : base::join(names, ".");
}

}  // namespace

Messages find_schema_faults(const helm::Schema& schema, const value::Value& values,
                            const std::vector<CiValues>& files) {
  const auto found = schema.faults(values);
  if (!found.ok()) {
    return {{Severity::kError, "values.schema.json", found.error().message()}};
  }
  std::vector<const SchemaFault*> faults;
  collect(*found, faults);
  Messages messages;
  for (size_t i = 0; i < std::min(faults.size(), kFaultsMax); ++i) {
    const auto steps = value::pointer_steps(values, faults[i]->location);
    messages.push_back({Severity::kError, place_of(steps, files).to_string(),
                        key_text(steps) + ": " + faults[i]->text});
  }
  if (faults.size() > kFaultsMax) {
    messages.push_back({Severity::kError, "values.schema.json",
                        std::to_string(faults.size() - kFaultsMax) + " more faults of the values"});
  }
  return messages;
}

}  // namespace chartwright::helm::lint
