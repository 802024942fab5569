// SPDX-License-Identifier: Apache-2.0
#include "bundle/related.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/strings.h"

namespace chartwright::bundle {
namespace {

using yaml::DocumentNode;
using yaml::MapReader;

base::Result<TemplateText> read_text(const DocumentNode& node) {
  CW_TRY(std::string text, yaml::document_text(node));
  return TemplateText{std::move(text), node.pos, node.path, std::nullopt};
}

base::Result<kube::Gvk> read_kind(MapReader& map) {
  CW_TRY(const DocumentNode* api_version, map.require("apiVersion"));
  CW_TRY(const std::string version, yaml::document_text(*api_version));
  CW_TRY(const DocumentNode* kind, map.require("kind"));
  CW_TRY(const std::string name, yaml::document_text(*kind));
  return kube::Gvk::from_api_version(version, name);
}

base::Result<RelatedConfig::Choice> read_selector(const DocumentNode& node) {
  RelatedConfig::ByLabels chosen;
  CW_TRY_DISCARD(MapReader::open(node));
  for (const yaml::DocumentEntry& entry : node.entries) {
    CW_TRY(TemplateText value, read_text(entry.value));
    chosen.labels.push_back({entry.key.text, std::move(value)});
  }
  return RelatedConfig::Choice(std::move(chosen));
}

base::Result<RelatedConfig::Choice> read_name(const DocumentNode& node) {
  CW_TRY(TemplateText name, read_text(node));
  return RelatedConfig::Choice(RelatedConfig::ByName{std::move(name)});
}

base::Result<RelatedConfig::Choice> read_selected_by(const DocumentNode& node) {
  RelatedConfig::BySelectorOf chosen;
  CW_TRY(MapReader map, MapReader::open(node));
  CW_TRY(chosen.gvk, read_kind(map));
  CW_TRY(const DocumentNode* name, map.require("name"));
  CW_TRY(chosen.name, read_text(*name));
  CW_TRY_VOID(map.finish());
  return RelatedConfig::Choice(std::move(chosen));
}

struct Way {
  std::string_view key;
  base::Result<RelatedConfig::Choice> (*read)(const DocumentNode& node);
};
constexpr std::array<Way, 3> kWays = {
    {{"selector", read_selector}, {"name", read_name}, {"selectedBy", read_selected_by}}};

// `Related` is RelatedConfig, which may be const.
template <typename Related>
auto texts_of(Related& related) {
  std::vector<decltype(&*related.ns)> texts;
  if (related.ns) {
    texts.push_back(&*related.ns);
  }
  if (auto* by_labels = std::get_if<RelatedConfig::ByLabels>(&related.choice)) {
    for (auto& label : by_labels->labels) {
      texts.push_back(&label.value);
    }
  } else if (auto* by_name = std::get_if<RelatedConfig::ByName>(&related.choice)) {
    texts.push_back(&by_name->name);
  } else if (auto* by_child = std::get_if<RelatedConfig::BySelectorOf>(&related.choice)) {
    texts.push_back(&by_child->name);
  }
  return texts;
}

}  // namespace

void TemplateText::attach(const std::shared_ptr<const helm::RenderableChart>& chart) {
  if (is_template()) {
    parsed.emplace(chart, "operator.yaml:" + path, text);
  }
}

base::Status TemplateText::check() const {
  if (!parsed) {
    return {};
  }
  const base::Status status = parsed->parse();
  if (!status.ok()) {
    return base::Error(base::ErrorCode::kParse, path + ": " + status.error().message()).at(pos);
  }
  return {};
}

std::vector<TemplateText*> RelatedConfig::texts() { return texts_of(*this); }

bool RelatedConfig::has_templates() const {
  return std::ranges::any_of(texts_of(*this), [](const auto* text) { return text->is_template(); });
}

std::optional<RelatedQuery> RelatedConfig::query() const {
  const auto* by_labels = std::get_if<ByLabels>(&choice);
  if (by_labels == nullptr) {
    return std::nullopt;
  }
  RelatedQuery query = query_by_keys(*this, {});
  for (const auto& [key, value] : by_labels->labels) {
    query.label_selector += query.label_selector.empty() ? "" : ",";
    query.label_selector += value.is_template() ? key : key + "=" + value.text;
    if (value.is_template()) {
      query.index_labels.push_back(key);
    }
  }
  return query;
}

RelatedQuery query_by_keys(const RelatedConfig& related, std::vector<std::string> keys) {
  const bool fixed_namespace = related.ns && !related.ns->is_template();
  std::string selector = base::join(keys, ",");
  return {related.gvk, fixed_namespace ? related.ns->text : "", std::move(selector),
          std::move(keys)};
}

base::Result<RelatedConfig> read_related(const std::string& name, const DocumentNode& node) {
  RelatedConfig related;
  related.name = name;
  CW_TRY(MapReader map, MapReader::open(node));
  CW_TRY(related.gvk, read_kind(map));
  if (const DocumentNode* ns = map.find("namespace")) {
    CW_TRY(related.ns, read_text(*ns));
  }
  const Way* chosen = nullptr;
  for (const Way& way : kWays) {
    const DocumentNode* choice = map.find(way.key);
    if (choice == nullptr) {
      continue;
    }
    if (chosen != nullptr) {
      return yaml::document_error(*choice, "cannot stand beside \"" + std::string(chosen->key) +
                                               "\": one of the two is enough");
    }
    chosen = &way;
    CW_TRY(related.choice, way.read(*choice));
  }
  CW_TRY_VOID(map.finish());
  if (chosen == nullptr) {
    return yaml::document_error(node, R"(one of "selector", "name" and "selectedBy" is missing)");
  }
  return related;
}

}  // namespace chartwright::bundle
