// SPDX-License-Identifier: Apache-2.0
#include "project/recorded_flags.h"

#include "base/strings.h"
#include "kube/object.h"
#include "yaml/document.h"
#include "yaml/yaml.h"

namespace chartwright::cmd {
namespace {

using value::Value;

constexpr std::string_view kViews = "--views=";
constexpr std::string_view kReviews = "--subject-access-review";
constexpr std::string_view kFrom = "FROM ";

/// Returns the members of a list; none if there is no such list.
std::vector<Value> items_at(const Value& object, const char* name) {
  const Value* list = object.find(name);
  return list != nullptr && list->is_list() ? list->as_list().items : std::vector<Value>();
}

std::optional<std::string> text_if_any(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

/// Returns the namespaces of WATCH_NAMESPACE; nullopt if only the running Pod knows them.
std::optional<std::vector<std::string>> watched_namespaces(const Value& variable,
                                                           const std::optional<std::string>& own) {
  if (variable.find("valueFrom") != nullptr) {
    const bool is_own =
        variable.string_at({"valueFrom", "fieldRef", "fieldPath"}) == "metadata.namespace";
    return is_own && own ? std::optional(std::vector<std::string>{*own}) : std::nullopt;
  }
  std::vector<std::string> watched;
  for (const std::string_view part : base::split(variable.string_at({"value"}), ',')) {
    if (const std::string_view ns = base::trim(part); !ns.empty()) {
      watched.emplace_back(ns);
    }
  }
  return watched;
}

void read_container(const Value& container, RecordedFlags& into) {
  const bool serves_only = container.find("command") != nullptr;
  for (const Value& argument : items_at(container, "args")) {
    const std::string text(argument.is_string() ? argument.as_string() : std::string_view());
    if (text.starts_with(kViews) && !serves_only) {
      into.views = text.substr(kViews.size());
    }
    into.reviews_access = into.reviews_access || (serves_only && text == kReviews);
  }
  for (const Value& variable : items_at(container, "env")) {
    if (variable.string_at({"name"}) == "WATCH_NAMESPACE") {
      into.watched = watched_namespaces(variable, into.ns);
    }
  }
}

}  // namespace

base::Result<RecordedFlags> recorded_flags(std::string_view deployment,
                                           std::string_view kustomization) {
  RecordedFlags flags;
  CW_TRY(const Value object, yaml::parse_yaml(deployment, value::Numbers::kInt64));
  flags.name = text_if_any(kube::name_of(object));
  flags.ns = text_if_any(kube::namespace_of(object));
  if (const Value* pod = object.find_path({"spec", "template", "spec"})) {
    for (const Value& container : items_at(*pod, "containers")) {
      read_container(container, flags);
    }
  }
  CW_TRY(const Value kustomized, yaml::parse_yaml(kustomization, value::Numbers::kInt64));
  for (const Value& image : items_at(kustomized, "images")) {
    if (image.string_at({"name"}) == "chartwright") {
      flags.image = text_if_any(image.string_at({"newName"}));
      flags.tag = text_if_any(image.string_at({"newTag"}));
    }
  }
  return flags;
}

base::Result<std::string> recorded_domain(const std::string& project) {
  CW_TRY(const yaml::DocumentNode root, yaml::parse_document(project, "PROJECT"));
  const yaml::DocumentNode* domain = root.find("domain");
  return domain != nullptr ? yaml::document_text(*domain) : std::string();
}

std::string recorded_base(std::string_view dockerfile) {
  for (const std::string_view line : base::split(dockerfile, '\n')) {
    if (line.starts_with(kFrom)) {
      return std::string(base::trim(line.substr(kFrom.size())));
    }
  }
  return "";
}

}  // namespace chartwright::cmd
