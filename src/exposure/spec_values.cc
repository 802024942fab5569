// SPDX-License-Identifier: Apache-2.0
#include "exposure/spec_values.h"

#include <algorithm>
#include <string>

#include "base/strings.h"

namespace chartwright::exposure {

using bundle::Bundle;
using bundle::SchemaPlace;
using helm::analysis::KeyUsage;
using helm::analysis::Steps;

namespace {

bool begins_with(const Steps& path, const Steps& start) {
  return start.size() <= path.size() && std::equal(start.begin(), start.end(), path.begin());
}

/// Adds the paths of the values that are read: the last step of each is read as a whole.
void add_paths(const KeyUsage& usage, const Steps& path, std::vector<Steps>& paths) {
  if (!path.empty() && (usage.whole || usage.touched || usage.below.empty())) {
    paths.push_back(path);
    return;
  }
  for (const auto& [name, below] : usage.below) {
    Steps longer = path;
    longer.push_back(name);
    add_paths(below, longer, paths);
  }
}

}  // namespace

SpecValues::SpecValues(const Bundle& bundle, const std::optional<SchemaPlace>& spec)
    : bundle_(bundle), spec_(spec) {
  if (!bundle.values_template) {
    return;
  }
  const std::string& text = bundle.values_template->text();
  for (const std::string_view word : kWrittenByAuthor) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      mapped_.push_back(external::keys_around(text, at));  // Empty: it cannot be told.
    }
  }
}

bool SpecValues::may_set(const Steps& path) const {
  if (bundle_.values_template) {
    return std::ranges::any_of(mapped_, [&](const Steps& one) {
      return begins_with(path, one) || begins_with(one, path);
    });
  }
  const auto& omitted = bundle_.rules.crd.omit;
  return std::ranges::find(omitted, path.front()) == omitted.end() && has_field(path);
}

bool SpecValues::has_field(const Steps& path) const {
  std::optional<SchemaPlace> place = spec_;
  for (const std::string& step : path) {
    const auto members = place ? place->members() : std::vector<std::string_view>();
    if (!members.empty() && std::ranges::find(members, step) == members.end()) {
      return false;
    }
    place = place ? std::optional(place->member(step)) : place;
  }
  return true;
}

base::Error warning(const std::string& before, const Door& door,
                    const std::vector<std::string>& names) {
  return {base::ErrorCode::kInvalidArgument,
          before + "who writes custom resources chooses " + std::string(door.chosen) + ", by " +
              base::join(names, ", ") + ": " + std::string(door.gain) +
              "; keep such values out of the spec (crd.omit), and set them in overrideValues"};
}

std::vector<std::string> chosen_by(const helm::OperatorTemplate& text,
                                   const external::ReadFinder& reads, const SpecValues& values) {
  std::vector<std::string> names;
  for (const std::string_view word : kWrittenByAuthor) {
    if (text.text().find(word) != std::string::npos) {
      names.emplace_back(word);
    }
  }
  std::vector<Steps> paths;
  if (const auto usage = reads.values_read_by(text); usage.ok()) {
    add_paths(*usage, {}, paths);
  }
  for (const Steps& path : paths) {
    if (values.may_set(path)) {
      names.push_back(".Values." + helm::analysis::join_steps(path));
    }
  }
  return names;
}

}  // namespace chartwright::exposure
