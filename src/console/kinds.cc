// SPDX-License-Identifier: Apache-2.0
#include "console/kinds.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "go/quote.h"
#include "kube/api_status.h"
#include "value/json.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using kube::Scope;
using value::Value;

constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

std::vector<std::string> texts_at(const Value& object, std::string_view key) {
  std::vector<std::string> texts;
  for (const Value& item : object.items_at({key})) {
    if (item.is_string()) {
      texts.push_back(item.as_string());
    }
  }
  return texts;
}

ServedKind kind_in(const Value& resource, const std::string& group, std::string_view version) {
  ServedKind kind;
  kind.mapping.gvk = {group, std::string(version),
                      std::string(resource.string_at({"responseKind", "kind"}))};
  kind.mapping.plural = resource.string_at({"resource"});
  kind.mapping.scope =
      resource.string_at({"scope"}) == "Namespaced" ? Scope::kNamespaced : Scope::kCluster;
  for (const Value& sub : resource.items_at({"subresources"})) {
    kind.mapping.has_status = kind.mapping.has_status || sub.string_at({"subresource"}) == "status";
  }
  kind.singular = resource.string_at({"singularResource"});
  kind.short_names = texts_at(resource, "shortNames");
  kind.categories = texts_at(resource, "categories");
  return kind;
}

bool contains(const std::vector<std::string>& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

/// Reports whether a word, without a group, in lower case, is a name of the kind.
bool is_called(const ServedKind& kind, const std::string& name) {
  const bool is_name = name == kind.mapping.plural || name == kind.singular ||
                       name == base::to_lower_ascii(kind.mapping.gvk.kind) ||
                       contains(kind.short_names, name);
  return is_name && !name.empty();
}

/// Reports whether what follows the first dot of a word names the group, or version and group.
bool is_of(const ServedKind& kind, std::string_view rest) {
  const kube::Gvk& gvk = kind.mapping.gvk;
  return rest.empty() || rest == gvk.group || rest == gvk.version + "." + gvk.group;
}

/// Returns "shops.example.com", "services".
std::string full_name(const ServedKind& kind) {
  const std::string& group = kind.mapping.gvk.group;
  return kind.mapping.plural + (group.empty() ? "" : "." + group);
}

Error unknown(const std::vector<ServedKind>& served, const std::string& word) {
  std::vector<std::string> names;
  for (const ServedKind& kind : served) {
    names.push_back(kind.mapping.plural);
    names.push_back(full_name(kind));
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view near = base::nearest(base::to_lower_ascii(word), candidates);
  return {ErrorCode::kNotFound,
          "the server serves no kind that is called " + go::quote(word) +
              (near.empty() ? "" : "; did you mean " + go::quote(std::string(near)) + "?")};
}

}  // namespace

base::Result<std::vector<ServedKind>> served_kinds(kube::Transport& transport,
                                                   const kube::Call& call) {
  kube::Request request;
  request.target = "/apis";
  request.accept = kAggregated;
  const kube::Asked asked{"discover", {{"", "", request.target}, "", ""}};
  CW_TRY(const kube::Response response, transport.perform(std::move(request), call));
  if (response.status == 406) {
    return Error(ErrorCode::kUnavailable,
                 "the server has no aggregated discovery, which came with Kubernetes 1.26");
  }
  if (response.status != 200) {
    return kube::error_from_response(asked, response);
  }
  auto answer = value::parse_json(response.body, value::Numbers::kInt64);
  if (!answer.ok()) {
    return kube::error_from_decoding(asked, answer.error());
  }
  return kinds_in(*answer);
}

std::vector<ServedKind> kinds_in(const Value& groups) {
  std::vector<ServedKind> kinds;
  std::set<kube::GroupKind> known;
  for (const Value& group : groups.items_at({"items"})) {
    const std::string name(group.string_at({"metadata", "name"}));
    for (const Value& version : group.items_at({"versions"})) {  // The preferred one is the first.
      for (const Value& resource : version.items_at({"resources"})) {
        ServedKind kind = kind_in(resource, name, version.string_at({"version"}));
        const bool is_kind =
            !kind.mapping.gvk.kind.empty() && kube::is_path_segment(kind.mapping.plural);
        if (is_kind && known.insert(kind.mapping.gvk.group_kind()).second) {
          kinds.push_back(std::move(kind));
        }
      }
    }
  }
  return kinds;
}

base::Result<std::vector<ServedKind>> select_kinds(const std::vector<ServedKind>& served,
                                                   const std::string& word) {
  const std::string category = word == "all" ? std::string(kCategory) : word;
  std::vector<ServedKind> found;
  std::ranges::copy_if(served, std::back_inserter(found), [&category](const ServedKind& kind) {
    return contains(kind.categories, category);
  });
  if (!found.empty() || word == "all") {
    return found;
  }
  const std::string lower = base::to_lower_ascii(word);
  const std::string name = lower.substr(0, lower.find('.'));
  const std::string rest = lower.size() > name.size() ? lower.substr(name.size() + 1) : "";
  std::ranges::copy_if(served, std::back_inserter(found), [&](const ServedKind& kind) {
    return is_called(kind, name) && is_of(kind, rest);
  });
  if (found.empty()) {
    return unknown(served, word);
  }
  if (found.size() > 1) {
    std::vector<std::string> names;
    std::ranges::transform(found, std::back_inserter(names), full_name);
    return Error(ErrorCode::kInvalidArgument,
                 go::quote(word) + " names several kinds: " + base::join(names, ", "));
  }
  return found;
}

}  // namespace chartwright::cmd
