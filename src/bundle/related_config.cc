// SPDX-License-Identifier: Apache-2.0
#include "bundle/related_config.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.h"
#include "base/strings.h"
#include "bundle/selector_config.h"
#include "go/quote.h"
#include "kube/names.h"

namespace chartwright::bundle {
namespace {

using yaml::DocumentNode;
using yaml::MapReader;

base::Result<TemplateText> read_text(const DocumentNode& node) {
  CW_TRY(std::string text, yaml::document_text(node));
  return TemplateText{std::move(text), node.pos, node.path, std::nullopt};
}

// A kind with a lower-case first letter is a mistake, often the plural of kubectl.
bool is_kind(std::string_view text) {
  return !text.empty() && base::is_ascii_upper(text.front()) &&
         std::ranges::all_of(text, [](char c) { return base::is_ascii_alphanumeric(c); });
}

base::Result<kube::Gvk> read_kind(MapReader& map) {
  CW_TRY(const DocumentNode* api_version, map.require("apiVersion"));
  CW_TRY(const std::string version, yaml::document_text(*api_version));
  CW_TRY(const DocumentNode* kind, map.require("kind"));
  CW_TRY(const std::string name, yaml::document_text(*kind));
  kube::Gvk gvk = kube::Gvk::from_api_version(version, name);
  const bool has_group = version.find('/') != std::string::npos;
  if (!kube::is_dns_label(gvk.version) || (has_group && !kube::is_dns_subdomain(gvk.group))) {
    return yaml::document_error(
        *api_version, go::quote(version) + R"( is not an API version such as "v1" or "apps/v1")");
  }
  if (!is_kind(name)) {
    return yaml::document_error(
        *kind, go::quote(name) +
                   " is not a kind: an upper-case letter, then letters and digits, such as "
                   "\"ConfigMap\"");
  }
  return gvk;
}

// Names of RBAC may have other characters, such as "system:node".
base::Status check_object_name(const DocumentNode& node, const TemplateText& name,
                               const kube::Gvk& gvk) {
  const std::string_view text = base::trim(name.text);
  if (name.is_template() || kube::is_dns_subdomain(text) ||
      (!text.empty() && gvk.group == "rbac.authorization.k8s.io")) {
    return {};
  }
  if (text.empty()) {
    return yaml::document_error(node,
                                "an empty name selects no object: write a name, or a "
                                "template that gives one");
  }
  return yaml::document_error(node, go::quote(name.text) +
                                        " is not a name: it has lower-case letters, digits, "
                                        "\"-\" and \".\", and begins and ends with a letter or "
                                        "digit");
}

base::Result<TemplateText> read_namespace(const DocumentNode& node) {
  CW_TRY(TemplateText ns, read_text(node));
  const std::string_view text = base::trim(ns.text);
  if (!ns.is_template() && !text.empty() &&
      (!kube::is_dns_subdomain(text) || text.find('.') != std::string_view::npos)) {
    return yaml::document_error(node, go::quote(ns.text) +
                                          " is not a namespace: it has lower-case letters, digits "
                                          "and \"-\", and begins and ends with a letter or digit");
  }
  return ns;
}

// The short form has the labels themselves, whose values are not maps or lists.
bool is_short(const DocumentNode& selector) {
  return std::ranges::none_of(selector.entries, [](const yaml::DocumentEntry& entry) {
    const std::string& key = entry.key.text;
    return (key == "matchLabels" || key == "matchExpressions") &&
           entry.value.kind != DocumentNode::Kind::kScalar;
  });
}

base::Result<TemplateText> read_label_text(const DocumentNode& node) {
  CW_TRY(TemplateText text, read_text(node));
  if (!text.is_template()) {
    CW_TRY_DISCARD(read_label_value(node));
  }
  return text;
}

base::Result<RelatedConfig::Choice> read_selector(const DocumentNode& node,
                                                  const kube::Gvk& /*gvk*/) {
  CW_TRY(const std::vector<SelectorTerm> terms,
         is_short(node) ? read_labels(node) : read_selector_terms(node));
  RelatedConfig::BySelector chosen;
  for (const SelectorTerm& term : terms) {
    RelatedConfig::Term read{term.key, term.op, {}};
    for (const DocumentNode* value : term.values) {
      CW_TRY(TemplateText text, read_label_text(*value));
      read.values.push_back(std::move(text));
    }
    chosen.terms.push_back(std::move(read));
  }
  return RelatedConfig::Choice(std::move(chosen));
}

base::Result<RelatedConfig::Choice> read_name(const DocumentNode& node, const kube::Gvk& gvk) {
  CW_TRY(TemplateText name, read_text(node));
  CW_TRY_VOID(check_object_name(node, name, gvk));
  return RelatedConfig::Choice(RelatedConfig::ByName{std::move(name)});
}

base::Result<RelatedConfig::Choice> read_selected_by(const DocumentNode& node,
                                                     const kube::Gvk& /*gvk*/) {
  RelatedConfig::BySelectorOf chosen;
  CW_TRY(MapReader map, MapReader::open(node));
  CW_TRY(chosen.gvk, read_kind(map));
  CW_TRY(const DocumentNode* name, map.require("name"));
  CW_TRY(chosen.name, read_text(*name));
  CW_TRY_VOID(check_object_name(*name, chosen.name, chosen.gvk));
  CW_TRY_VOID(map.finish());
  return RelatedConfig::Choice(std::move(chosen));
}

struct Way {
  std::string_view key;
  base::Result<RelatedConfig::Choice> (*read)(const DocumentNode& node, const kube::Gvk& gvk);
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
  if (auto* by_selector = std::get_if<RelatedConfig::BySelector>(&related.choice)) {
    for (auto& term : by_selector->terms) {
      for (auto& value : term.values) {
        texts.push_back(&value);
      }
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
  const auto* by_selector = std::get_if<BySelector>(&choice);
  if (by_selector == nullptr) {
    return std::nullopt;
  }
  std::vector<std::string> parts;
  std::vector<kube::LabelRequirement> varying;
  for (const Term& term : by_selector->terms) {
    if (term.has_templates()) {
      varying.push_back(term.as_written());
    } else {
      parts.push_back(term.as_written().to_string());
    }
  }
  RelatedQuery query = query_by_keys(*this, kube::LabelSelector(std::move(varying)));
  if (!query.label_selector.empty()) {
    parts.push_back(std::move(query.label_selector));
  }
  query.label_selector = base::join(parts, ",");
  return query;
}

bool RelatedConfig::Term::has_templates() const {
  return std::ranges::any_of(values, &TemplateText::is_template);
}

kube::LabelRequirement RelatedConfig::Term::as_written() const {
  kube::LabelRequirement requirement{key, op};
  for (const TemplateText& value : values) {
    requirement.values.push_back(value.text);
  }
  return requirement;
}

RelatedQuery query_by_keys(const RelatedConfig& related, const kube::LabelSelector& selector) {
  using Op = kube::LabelRequirement::Op;
  const bool fixed_namespace = related.ns && !related.ns->is_template();
  RelatedQuery query{related.gvk, fixed_namespace ? related.ns->text : "", "", {}};
  std::vector<std::string> present;
  for (const kube::LabelRequirement& one : selector.requirements()) {
    if (one.op != Op::kNotIn && one.op != Op::kAbsent) {
      present.push_back(one.key);
    }
    if (one.only_value() != nullptr) {
      query.index_labels.push_back(one.key);
    }
  }
  query.label_selector = base::join(present, ",");
  return query;
}

base::Result<RelatedConfig> read_related(const std::string& name, const DocumentNode& node) {
  RelatedConfig related;
  related.name = name;
  CW_TRY(MapReader map, MapReader::open(node));
  CW_TRY(related.gvk, read_kind(map));
  if (const DocumentNode* ns = map.find("namespace")) {
    CW_TRY(related.ns, read_namespace(*ns));
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
    CW_TRY(related.choice, way.read(*choice, related.gvk));
  }
  CW_TRY_VOID(map.finish());
  if (chosen == nullptr) {
    return yaml::document_error(node, R"(one of "selector", "name" and "selectedBy" is missing)");
  }
  return related;
}

}  // namespace chartwright::bundle
