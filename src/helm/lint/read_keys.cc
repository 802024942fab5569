// SPDX-License-Identifier: Apache-2.0
#include "helm/lint/read_keys.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"
#include "go/path.h"
#include "go/quote.h"
#include "helm/lint/usage_collector.h"
#include "helm/render/included_texts.h"

namespace chartwright::helm::lint {
namespace {

using value::Value;

/// Deeper values are taken to be read.
constexpr size_t kTableDepthMax = 50;

/// Marks the keys that files of operator/ may use, and what they include. They see the values as
/// the spec of a custom resource and may refer to them in any form.
void mark_operator_files(const helm::RenderableChart& chart, Usage& usage) {
  if (!chart.chart().values.is_dict()) {
    return;
  }
  for (const std::string& text : included_texts(chart.operator_files(), usage.trees)) {
    for (const auto& [key, value] : chart.chart().values.as_dict()) {
      if (text.find(key) != std::string::npos) {
        mark_whole(usage.root, {key});
      }
    }
  }
}

void collect_words(std::string_view text, std::set<std::string, std::less<>>& words) {
  const auto is_in_word = [](char c) {
    return base::is_ascii_alphanumeric(c) || c == '_' || c == '-';
  };
  while (!text.empty()) {
    const auto end = std::ranges::find_if_not(text, is_in_word);
    const auto size = static_cast<size_t>(end - text.begin());
    if (size > 0) {
      words.emplace(text.substr(0, size));
    }
    text.remove_prefix(std::min(size + 1, text.size()));
  }
}

/// Follows values beside the uses of their keys.
class UnreadFinder {
 public:
  std::vector<UnreadKey> found;

  void walk(const Value& values, const std::vector<const KeyUsage*>& usages, const Keys* defined) {
    if (!values.is_dict() || path_.size() > kTableDepthMax || found.size() >= kUnreadMax) {
      return;
    }
    for (const auto& [key, value] : values.as_dict()) {
      path_.push_back(key);
      look_at(key, value, usages, defined);
      path_.pop_back();
    }
  }

 private:
  void look_at(const std::string& key, const Value& value,
               const std::vector<const KeyUsage*>& around, const Keys* defined) {
    const std::vector<const KeyUsage*> usages = uses_of(key, around);
    if (usages.empty()) {
      if (found.size() < kUnreadMax) {
        found.push_back({path_, nearest_to(key, around, defined)});
      }
      return;
    }
    const bool is_whole = std::any_of(usages.begin(), usages.end(),
                                      [](const KeyUsage* usage) { return usage->whole; });
    // A table that is only tested needs no keys.
    const bool has_keys = std::any_of(usages.begin(), usages.end(),
                                      [](const KeyUsage* usage) { return !usage->below.empty(); });
    if (is_whole || !has_keys) {
      return;
    }
    if (value.is_list()) {
      look_at_items(value, uses_of(kEveryStep, usages));
      return;
    }
    const Keys* below = nullptr;
    if (defined != nullptr) {
      const auto inner = defined->below.find(key);
      below = inner != defined->below.end() ? &inner->second : nullptr;
    }
    walk(value, usages, below);
  }

  void look_at_items(const Value& list, const std::vector<const KeyUsage*>& usages) {
    const bool is_followed =
        !usages.empty() && std::none_of(usages.begin(), usages.end(), [](const KeyUsage* usage) {
          return usage->whole || usage->below.empty();
        });
    if (!is_followed) {
      return;
    }
    path_.push_back(kEveryStep);
    for (const Value& item : list.as_list().items) {
      walk(item, usages, nullptr);
    }
    path_.pop_back();
  }

  static std::vector<const KeyUsage*> uses_of(const std::string& step,
                                              const std::vector<const KeyUsage*>& around) {
    std::vector<const KeyUsage*> uses;
    for (const KeyUsage* mark : around) {
      for (const std::string& key : {step, kEveryStep}) {
        const auto inner = mark->below.find(key);
        if (inner != mark->below.end() && (uses.empty() || uses.back() != &inner->second)) {
          uses.push_back(&inner->second);
        }
      }
    }
    return uses;
  }

  static std::string nearest_to(const std::string& key, const std::vector<const KeyUsage*>& around,
                                const Keys* defined) {
    std::vector<std::string_view> names;
    for (const KeyUsage* mark : around) {
      for (const auto& [name, inner] : mark->below) {
        names.push_back(name);
      }
    }
    if (defined != nullptr) {
      for (const auto& [name, inner] : defined->below) {
        names.push_back(name);
      }
    }
    if (std::ranges::find(names, key) != names.end()) {
      return "";  // Not misspelt.
    }
    std::erase_if(names, [](std::string_view name) { return name == kEveryStep; });
    return std::string(base::nearest(key, names));
  }

  Steps path_;
};

}  // namespace

std::string UnreadKey::to_string() const {
  return go::quote(join_steps(path)) + " is read by no template" +
         (nearest.empty() ? "" : ", did you mean " + go::quote(nearest) + "?");
}

void mark_indirect_uses(const helm::RenderableChart& chart, const std::vector<ScopeOfChart>& scopes,
                        Usage& usage) {
  KeyUsage& root = usage.root;
  mark_for_dependencies(scopes, root);
  mark_named_in(chart.chart().content->values_text, {}, root);
  for (const ScopeOfChart& scope : scopes) {
    for (const helm::File& file : scope.chart->content->files) {
      // Those of operator/ may name a key that does not exist.
      if (go::extension(file.name) != ".md" && !file.name.starts_with("operator/")) {
        mark_named_in(file.data, scope.prefix, root);
      }
    }
  }
  mark_operator_files(chart, usage);
}

base::Result<ReadKeys> read_keys(const helm::RenderableChart& chart) {
  const std::vector<ScopeOfChart> scopes = scopes_of(chart.chart());
  CW_TRY(Usage usage, usage_of(scopes));
  mark_indirect_uses(chart, scopes, usage);
  ReadKeys keys;
  keys.root = std::move(usage.root);
  keys.defined = defined_keys(scopes);
  for (const std::string& text : included_texts(chart.operator_files(), usage.trees)) {
    collect_words(text, keys.mentioned);
  }
  const bool is_library = base::to_lower_ascii(chart.chart().metadata.type) == "library";
  keys.walked = usage.complete;
  keys.complete = usage.complete && !is_library && !keys.root.whole && usage.open.empty();
  return keys;
}

std::vector<UnreadKey> unread_keys(const ReadKeys& keys, const Value& values) {
  UnreadFinder finder;
  if (keys.complete) {
    finder.walk(values, {&keys.root}, &keys.defined);
  }
  // Helm gives "global" to every chart, whether it reads that or not.
  std::erase_if(finder.found, [&keys](const UnreadKey& key) {
    return keys.mentioned.contains(key.path.front()) || key.path == Steps{"global"};
  });
  return std::move(finder.found);
}

}  // namespace chartwright::helm::lint
