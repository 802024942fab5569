// SPDX-License-Identifier: Apache-2.0
#include "bundle/mentions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "go/quote.h"
#include "helm/analysis/written_kinds.h"
#include "helm/objects/object_types.h"

namespace chartwright::bundle {
namespace {

using base::Error;
using base::ErrorCode;
using yaml::DocumentNode;
using Of = Mention::Of;

std::string_view group_of(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? "" : api_version.substr(0, slash);
}

void add_kind(const DocumentNode* place, Of of, std::vector<Mention>& mentions) {
  const DocumentNode* kind = place != nullptr ? place->find("kind") : nullptr;
  if (kind == nullptr || kind->text.empty()) {
    return;
  }
  const DocumentNode* version = place->find("apiVersion");
  mentions.push_back(
      {of, kind->text, version != nullptr ? version->text : "", kind->pos, kind->path});
}

void add_crd(const DocumentNode& crd, std::vector<Mention>& mentions) {
  if (const DocumentNode* required = crd.find("required")) {
    for (const DocumentNode& key : required->items) {
      mentions.push_back({Of::kRequired, key.text, "", key.pos, key.path});
    }
  }
  if (const DocumentNode* columns = crd.find("columns")) {
    for (const DocumentNode& column : columns->items) {
      if (const DocumentNode* path = column.find("jsonPath")) {
        mentions.push_back({Of::kColumn, path->text, "", path->pos, path->path});
      }
    }
  }
}

Error fault(const Mention& mention, const std::string& problem) {
  return Error(ErrorCode::kInvalidArgument, mention.path + ": " + problem).at(mention.pos);
}

/// Reports whether the place is known to be wrong, such as the kind "pod".
bool has_fault(const base::Faults& faults, const Mention& mention) {
  return std::ranges::any_of(faults.all(), [&mention](const Error& error) {
    const auto& pos = error.pos();
    return pos && pos->line == mention.pos.line && pos->column == mention.pos.column &&
           pos->file == mention.pos.file;
  });
}

/// The kinds that are known without a cluster.
class Kinds {
 public:
  explicit Kinds(const helm::RenderableChart& chart) : chart_(chart) {
    for (helm::analysis::KindName& kind : helm::ObjectTypes::bundled_kinds()) {
      built_in_.insert(std::move(kind));
    }
  }

  std::optional<Error> fault_of(const Mention& mention) {
    if (has(built_in_, mention) || is_in_crds(mention.text) || has(written(), mention)) {
      return std::nullopt;
    }
    if (!mention.api_version.empty() && !is_known_group(group_of(mention.api_version))) {
      return fault_of_group(mention);
    }
    const std::string near(base::nearest(mention.text, kinds_beside(mention)));
    // An object may be of any kind that values decide, or that only a cluster knows.
    if (near.empty() && (mention.of == Of::kRelated || !is_certain_)) {
      return std::nullopt;
    }
    const std::string of = mention.api_version.empty() ? "" : " in " + mention.api_version;
    const std::string reason =
        mention.of == Of::kRule ? "the chart renders no kind " : "there is no kind ";
    return fault(mention, reason + go::quote(mention.text) + of +
                              (near.empty() ? ", so this rule never applies"
                                            : ", did you mean " + go::quote(near) + "?"));
  }

 private:
  using Names = std::set<helm::analysis::KindName>;

  static bool has(const Names& names, const Mention& mention) {
    return std::ranges::any_of(names, [&mention](const helm::analysis::KindName& name) {
      return name.second == mention.text &&
             (mention.api_version.empty() || group_of(name.first) == group_of(mention.api_version));
    });
  }

  bool is_known_group(std::string_view group) {
    const auto in_group = [group](const helm::analysis::KindName& name) {
      return group_of(name.first) == group;
    };
    return std::ranges::any_of(built_in_, in_group);
  }

  // A group of others may have any kinds. But one like that of a known kind is misspelt.
  std::optional<Error> fault_of_group(const Mention& mention) {
    std::vector<std::string_view> versions;
    std::vector<std::string_view> groups;
    for (const Names* names : {static_cast<const Names*>(&built_in_), &written()}) {
      for (const auto& [version, kind] : *names) {
        if (kind == mention.text && !group_of(version).empty()) {
          versions.push_back(version);
          groups.push_back(group_of(version));
        }
      }
    }
    const std::string_view near = base::nearest(group_of(mention.api_version), groups);
    if (near.empty()) {
      return std::nullopt;
    }
    const auto at = std::ranges::find(groups, near) - groups.begin();
    return fault(mention, go::quote(mention.api_version) + " has no kind " +
                              go::quote(mention.text) + ", did you mean apiVersion " +
                              std::string(versions[static_cast<size_t>(at)]) + "?");
  }

  std::vector<std::string_view> kinds_beside(const Mention& mention) {
    std::vector<std::string_view> kinds;
    for (const Names* names : {&written(), static_cast<const Names*>(&built_in_)}) {
      for (const auto& [version, kind] : *names) {
        if (mention.api_version.empty() || group_of(version) == group_of(mention.api_version)) {
          kinds.push_back(kind);
        }
      }
    }
    return kinds;
  }

  bool is_in_crds(const std::string& kind) const {
    return std::ranges::any_of(helm::crds_of(chart_.chart()), [&kind](const helm::Crd& crd) {
      return crd.content.find(kind) != std::string::npos;
    });
  }

  /// Looked for only where a kind is not built in: it costs as much as reading all templates.
  const Names& written() {
    if (!written_) {
      auto found = helm::analysis::written_kinds(chart_);
      is_certain_ = found.ok() && found->complete && found->computed.empty();
      written_ = found.ok() ? names_of(*found) : Names();
      // It may define any kind.
      is_certain_ = is_certain_ && std::ranges::none_of(*written_, [](const auto& name) {
                      return name.second == "CustomResourceDefinition";
                    });
    }
    return *written_;
  }

  static Names names_of(const helm::analysis::WrittenKinds& written) {
    Names names;
    for (const auto* kinds : {&written.kinds, &written.patches}) {
      for (const auto& [name, kind] : *kinds) {
        names.insert(name);
      }
    }
    return names;
  }

  const helm::RenderableChart& chart_;
  Names built_in_;
  std::optional<Names> written_;
  bool is_certain_ = false;
};

}  // namespace

std::vector<std::string_view> path_names(std::string_view path) {
  std::vector<std::string_view> names;
  for (std::string_view part : base::split(path, '.')) {
    const size_t bracket = part.find_first_of("[\\");
    if (bracket != std::string_view::npos) {
      if (bracket > 0 && part[bracket] == '[') {
        names.push_back(part.substr(0, bracket));
      }
      break;
    }
    if (!part.empty()) {
      names.push_back(part);
    }
  }
  return names;
}

std::vector<Mention> mentions_of(const DocumentNode& root) {
  std::vector<Mention> mentions;
  if (const DocumentNode* related = root.find("related")) {
    for (const yaml::DocumentEntry& entry : related->entries) {
      add_kind(&entry.value, Of::kRelated, mentions);
      add_kind(entry.value.find("selectedBy"), Of::kRelated, mentions);
    }
  }
  if (const DocumentNode* children = root.find("children")) {
    for (const DocumentNode& rule : children->items) {
      add_kind(rule.find("match"), Of::kRule, mentions);
    }
  }
  if (const DocumentNode* crd = root.find("crd")) {
    add_crd(*crd, mentions);
  }
  return mentions;
}

void check_kinds(const std::vector<Mention>& mentions, const helm::RenderableChart& chart,
                 base::Faults& faults) {
  std::optional<Kinds> kinds;
  for (const Mention& mention : mentions) {
    const bool is_kind = mention.of == Of::kRule || mention.of == Of::kRelated;
    if (!is_kind || has_fault(faults, mention)) {
      continue;
    }
    if (!kinds) {
      kinds.emplace(chart);
    }
    if (std::optional<Error> one = kinds->fault_of(mention)) {
      faults.add(*std::move(one));
    }
  }
}

void check_fields(const std::vector<Mention>& mentions, const KnownNames& known,
                  base::Faults& faults) {
  for (const Mention& mention : mentions) {
    std::vector<std::string_view> names;
    if (mention.of == Of::kColumn) {
      names = path_names(mention.text);
    } else if (mention.of == Of::kRequired) {
      names = {"spec", mention.text};
    }
    const auto unknown = unknown_name(known, names);
    if (unknown && !has_fault(faults, mention)) {
      faults.add(fault(mention, unknown->text));
    }
  }
}

}  // namespace chartwright::bundle
