// SPDX-License-Identifier: Apache-2.0
#include "exposure/exposed_names.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/strings.h"
#include "exposure/chosen_places.h"
#include "exposure/spec_values.h"

namespace chartwright::exposure {

using base::Error;
using bundle::Bundle;
using bundle::SchemaPlace;
using helm::analysis::Steps;

namespace {

constexpr Door kNamespace = {"a namespace", "the operator writes there with its own rights"};
constexpr Door kLookupNamespace = {"the namespace of a lookup",
                                   "the chart reads there with the rights of the operator"};
constexpr Door kLookupSecret = {"the Secret that is looked up",
                                "they see what the chart shows of it, without a right to read it"};
constexpr Door kRelatedNamespace = {"the namespace of related objects",
                                    "the operator reads there with its own rights"};
constexpr Door kRelatedSecret = {"the related Secret",
                                 "they see what the bundle shows of it, without a right to read "
                                 "it"};

const Door* door_of(const ChosenPlace& place) {
  switch (place.what) {
    case ChosenPlace::What::kNamespace:
      return &kNamespace;
    case ChosenPlace::What::kLookupNamespace:
      return &kLookupNamespace;
    case ChosenPlace::What::kLookupName:
      return place.kind.empty() || place.kind == "Secret" ? &kLookupSecret : nullptr;
  }
  return nullptr;
}

/// Returns the values that an action names: {"image", "tag"} of ".Values.image.tag".
std::vector<Steps> values_in(std::string_view action) {
  constexpr std::string_view kValues = ".Values.";
  std::vector<Steps> paths;
  for (size_t at = action.find(kValues); at != std::string_view::npos;
       at = action.find(kValues, at + 1)) {
    std::string_view rest = action.substr(at + kValues.size());
    const auto end =
        std::ranges::find_if(rest, [](char c) { return !base::is_ascii_word(c) && c != '.'; });
    rest = rest.substr(0, static_cast<size_t>(end - rest.begin()));
    Steps path;
    for (const std::string_view step : base::split(rest, '.')) {
      path.emplace_back(step);
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

/// Returns what the author of a custom resource may set of what decides at a place.
std::vector<std::string> chosen_at(const ChosenPlace& place, const SpecValues& values) {
  std::vector<std::string> names;
  for (const std::string_view word : kWrittenByAuthor) {
    if (place.action.find(word) != std::string::npos) {
      names.emplace_back(word);
    }
  }
  const std::vector<Steps> paths =
      place.path.empty() ? values_in(place.action) : std::vector<Steps>{place.path};
  for (const Steps& path : paths) {
    if (values.may_set(path)) {
      names.push_back(".Values." + helm::analysis::join_steps(path));
    }
  }
  return names;
}

void add_related(const Bundle& bundle, const SpecValues& values, std::vector<Error>& warnings) {
  const external::ReadFinder reads(*bundle.chart,
                                   bundle.values_template ? &*bundle.values_template : nullptr);
  const auto add = [&](const bundle::TemplateText& text, const Door& door) {
    const auto names =
        text.parsed ? chosen_by(*text.parsed, reads, values) : std::vector<std::string>();
    if (!names.empty()) {
      warnings.push_back(warning(text.path + ": ", door, names).at(text.pos));
    }
  };
  for (const bundle::RelatedConfig& related : bundle.rules.related) {
    if (related.ns) {
      add(*related.ns, kRelatedNamespace);
    }
    const auto* by_name = std::get_if<bundle::RelatedConfig::ByName>(&related.choice);
    if (by_name != nullptr && kube::is_secret(related.gvk)) {
      add(by_name->name, kRelatedSecret);
    }
  }
}

}  // namespace

std::vector<Error> exposed_names(const Bundle& bundle, const std::optional<SchemaPlace>& spec) {
  std::vector<Error> warnings;
  const SpecValues values(bundle, spec);
  const auto places = chosen_places(*bundle.chart);
  if (places.ok()) {              // Otherwise each render says what is wrong.
    std::set<std::string> known;  // Several alternatives at a place may be the choice of one value.
    for (const ChosenPlace& place : *places) {
      const Door* door = door_of(place);
      const auto names = door == nullptr ? std::vector<std::string>() : chosen_at(place, values);
      if (!names.empty()) {
        Error found = warning("", *door, names).at(place.pos);
        if (known.insert(found.to_string()).second) {
          warnings.push_back(std::move(found));
        }
      }
    }
  }
  if (!bundle.rules.related.empty()) {
    add_related(bundle, values, warnings);
  }
  return warnings;
}

}  // namespace chartwright::exposure
