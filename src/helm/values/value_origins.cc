// SPDX-License-Identifier: Apache-2.0
#include "helm/values/value_origins.h"

#include <algorithm>
#include <utility>

#include "helm/chart/values_file.h"
#include "yaml/locate.h"

namespace chartwright::helm {
namespace {

using value::Path;
using value::Value;

constexpr std::string_view kGlobalKey = "global";

// Returns the path inside a layer, without the steps to the chart that the layer belongs to.
std::optional<std::span<const Path::Step>> below(std::span<const Path::Step> path,
                                                 const std::vector<Path::Step>& at) {
  if (path.size() <= at.size() || !std::equal(at.begin(), at.end(), path.begin())) {
    return std::nullopt;
  }
  return path.subspan(at.size());
}

bool is_global(const Path::Step& step) {
  const auto* name = std::get_if<std::string>(&step);
  return name != nullptr && *name == kGlobalKey;
}

bool leads_on(const Value& value, const Path::Step& step) {
  return std::holds_alternative<size_t>(step) ? value.is_list() : value.is_dict();
}

const Value* member_of(const Value& values, std::span<const Path::Step> path) {
  return Path({path.begin(), path.end()}).get(values);
}

}  // namespace

ValueOrigins::ValueOrigins(const Chart& chart, ValuesRule rule, const ValueLayers& user)
    : rule_(rule) {
  add_charts(chart, {});
  if (user) {
    for (ValueLayer& layer : user()) {
      layers_.push_back({std::move(layer), {}});
    }
  }
}

// Adds subcharts first, since a parent's values override those of its subcharts.
void ValueOrigins::add_charts(const Chart& chart, std::vector<Path::Step> at) {
  for (const Chart& sub : chart.dependencies) {
    std::vector<Path::Step> section = at;
    section.emplace_back(sub.name());
    add_charts(sub, std::move(section));
  }
  const std::string& text = chart.content->values_text;
  if (auto values = decode_values_file(text, rule_); values.ok() && !text.empty()) {
    layers_.push_back({{chart.path + "/values.yaml", *std::move(values), text, ""}, std::move(at)});
  }
}

// Returns the member itself and, if the path leads through a subchart's globals, the member of the
// root's globals that they were copied from.
std::vector<ValueOrigins::Member> ValueOrigins::members(const Layer& layer, Steps path) const {
  std::vector<Member> found;
  const auto global = std::find_if(path.begin(), path.end(), is_global);
  const auto skipped = static_cast<size_t>(global - path.begin());
  for (const Steps each :
       {path, global != path.end() && skipped > 0 ? path.subspan(skipped) : Steps()}) {
    const auto inner = each.empty() ? std::nullopt : below(each, layer.at);
    const Value* member = inner ? member_of(layer.layer.values, *inner) : nullptr;
    if (member != nullptr) {
      found.push_back({member, *inner});
    }
  }
  return found;
}

ValueOrigins::Origin ValueOrigins::origin(const Layer& layer, const Member& member) const {
  const ValueLayer& source = layer.layer;
  Origin known{source.name, member.value->kind(), !source.text.empty()};
  if (!source.path_prefix.empty()) {
    known.place = source.path_prefix + Path({member.path.begin(), member.path.end()}).to_string();
  } else if (!source.text.empty()) {
    const auto documents =
        rule_ == ValuesRule::kAllDocuments ? yaml::Documents::kAll : yaml::Documents::kFirst;
    if (auto pos = yaml::locate_in_yaml(source.text, member.path, documents)) {
      pos->file = source.name;
      known.place = pos->to_string();
    }
  }
  return known;
}

std::vector<ValueOrigins::Origin> ValueOrigins::of(Steps path) const {
  std::vector<Origin> origins;
  for (size_t i = layers_.size(); i > 0; --i) {
    for (const Member& member : members(layers_[i - 1], path)) {
      origins.push_back(origin(layers_[i - 1], member));
    }
  }
  return origins;
}

std::optional<ValueOrigins::Hidden> ValueOrigins::hidden(Steps path) const {
  for (size_t i = layers_.size(); i > 0; --i) {
    for (size_t length = 1; length <= path.size(); ++length) {
      for (const Member& member : members(layers_[i - 1], path.first(length))) {
        if (length == path.size() && !member.value->is_nil()) {
          return std::nullopt;  // It is set here, and is missing for another reason.
        }
        if (length == path.size() || !leads_on(*member.value, path[length])) {
          const Steps shown = path.first(length);
          return Hidden{origin(layers_[i - 1], member),
                        Path({shown.begin(), shown.end()}).to_string()};
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace chartwright::helm
