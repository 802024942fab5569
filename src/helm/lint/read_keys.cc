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
/// Shorter keys are too similar to too many others.
constexpr size_t kMisspeltBytesMin = 3;

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

void collect_words(std::string_view text, ReadKeys::Words& words) {
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

/// Adds the words in the actions of a template.
void collect_action_words(std::string_view text, ReadKeys::Words& words) {
  for (size_t start = text.find("{{"); start != std::string_view::npos;) {
    text.remove_prefix(start + 2);
    const size_t end = text.find("}}");
    collect_words(text.substr(0, end), words);
    text.remove_prefix(std::min(end, text.size()));
    start = text.find("{{");
  }
}

/// Finds the keys that texts among the values read when `tpl` evaluates them.
class EvaluatedTexts {
 public:
  explicit EvaluatedTexts(const std::vector<Steps>& charts) : charts_(charts) {}
  KeyUsage root;

  void look_at(const Value& value, size_t depth = 0) {
    if (depth > kTableDepthMax) {
      root.whole = true;
    } else if (value.is_string()) {
      read(value.as_string());
    } else if (value.is_list()) {
      for (const Value& item : value.as_list().items) {
        look_at(item, depth + 1);
      }
    } else if (value.is_dict()) {
      for (const auto& [key, member] : value.as_dict()) {
        read(key);
        look_at(member, depth + 1);
      }
    }
  }

 private:
  void read(std::string_view text) {
    if (text.find("{{") == std::string_view::npos) {
      return;
    }
    for (const Steps& chart : charts_) {
      mark_named_in(text, chart, root);
    }
    // What named templates read is not known here, nor what is read by computed names.
    ReadKeys::Words words;
    collect_action_words(text, words);
    for (std::string_view call : {"include", "template", "tpl"}) {
      root.whole = root.whole || words.contains(call);
    }
    for (size_t at = text.find("Values"); at != std::string_view::npos;
         at = text.find("Values", at + 1)) {
      const bool is_field = at > 0 && text[at - 1] == '.';
      root.whole = root.whole || (!is_field && words.contains("Values"));
    }
  }

  const std::vector<Steps>& charts_;
};

/// Follows values beside the uses of their keys.
class UnreadFinder {
 public:
  UnreadFinder(const ReadKeys& keys, const KeyUsage& evaluated) : keys_(keys) {
    const bool is_open = !keys.complete || evaluated.whole;
    root_ = {{&keys.root, &evaluated}, &keys.defined, is_open};
  }
  std::vector<UnreadKey> found;

  void walk(const Value& values) { walk(values, root_); }

 private:
  using Usages = std::vector<const KeyUsage*>;

  /// A table of values.
  struct Place {
    Usages usages;
    const Keys* defined;  ///< Its keys in values.yaml and the schemas; nullptr: they are not known.
    bool is_open;         ///< A template may read a key that it does not name.
  };

  void walk(const Value& values, const Place& place) {
    if (!values.is_dict() || path_.size() > kTableDepthMax || found.size() >= kUnreadMax) {
      return;
    }
    for (const auto& [key, value] : values.as_dict()) {
      path_.push_back(key);
      look_at(key, value, place);
      path_.pop_back();
    }
  }

  void look_at(const std::string& key, const Value& value, const Place& place) {
    Usages usages = uses_of(key, place.usages);
    const bool is_named = !usages.empty();
    for (const KeyUsage* any : uses_of(kEveryStep, place.usages)) {
      usages.push_back(any);
    }
    if (usages.empty() && !place.is_open) {
      return add({path_, nearest_to(key, place), true});
    }
    if (!is_named && is_misspelt(key, place)) {
      return add({path_, nearest_to(key, place), false});
    }
    const bool is_whole = std::ranges::any_of(usages, &KeyUsage::whole);
    // A table that is only tested needs no keys.
    const bool has_keys =
        std::ranges::any_of(usages, [](const KeyUsage* usage) { return !usage->below.empty(); });
    if (!has_keys) {
      return;
    }
    if (value.is_list()) {
      return look_at_items(value, uses_of(kEveryStep, usages), is_whole);
    }
    walk(value, {usages, defined_below(place, key), place.is_open || is_whole});
  }

  void look_at_items(const Value& list, const Usages& usages, bool is_whole) {
    const bool has_keys =
        !usages.empty() &&
        std::ranges::none_of(usages, [](const KeyUsage* usage) { return usage->below.empty(); });
    if (!has_keys) {
      return;
    }
    const bool is_open = is_whole || std::ranges::any_of(usages, &KeyUsage::whole);
    path_.push_back(kEveryStep);
    for (const Value& item : list.as_list().items) {
      walk(item, {usages, nullptr, is_open});
    }
    path_.pop_back();
  }

  void add(UnreadKey key) {
    if (found.size() < kUnreadMax) {
      found.push_back(std::move(key));
    }
  }

  /// Reports whether a key that no template names is almost one that they do name. Of a table whose
  /// elements are read one by one, the user chooses the keys, unless it is that of all values.
  bool is_misspelt(const std::string& key, const Place& place) const {
    const bool is_root = place.defined == &keys_.defined;
    const bool is_free = !is_root && !uses_of(kEveryStep, place.usages).empty();
    return key.size() >= kMisspeltBytesMin && !is_free && !keys_.in_actions.contains(key) &&
           !nearest_to(key, place).empty();
  }

  static const Keys* defined_below(const Place& place, const std::string& key) {
    if (place.defined == nullptr) {
      return nullptr;
    }
    const auto inner = place.defined->below.find(key);
    return inner != place.defined->below.end() ? &inner->second : nullptr;
  }

  static Usages uses_of(const std::string& step, const Usages& around) {
    Usages uses;
    for (const KeyUsage* mark : around) {
      const auto inner = mark->below.find(step);
      if (inner != mark->below.end()) {
        uses.push_back(&inner->second);
      }
    }
    return uses;
  }

  /// Returns the key that may be meant, of those that are read by their names or, where it is
  /// certain that another one has no effect, that are defined.
  std::string nearest_to(const std::string& key, const Place& place) const {
    std::vector<std::string_view> names;
    for (const KeyUsage* mark : place.usages) {
      for (const auto& [name, inner] : mark->below) {
        names.push_back(name);
      }
    }
    const bool is_root = place.defined == &keys_.defined;
    if (place.defined != nullptr) {
      for (const auto& [name, inner] : place.defined->below) {
        if (name == key) {
          return "";  // Not misspelt.
        }
        if (is_root || !place.is_open) {
          names.push_back(name);
        }
      }
    }
    std::erase_if(names, [](std::string_view name) { return name == kEveryStep; });
    return std::string(base::nearest(key, names));
  }

  const ReadKeys& keys_;
  Place root_;
  Steps path_;
};

}  // namespace

std::string UnreadKey::to_string() const {
  return go::quote(join_steps(path)) +
         (is_certain ? " is read by no template" : " is named by no template") +
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
  for (const ScopeOfChart& scope : scopes) {
    if (usage.evaluates || !usage.complete) {
      keys.evaluating.push_back(scope.prefix);
    }
    for (const helm::File& file : scope.chart->content->templates) {
      if (!usage.complete) {
        collect_action_words(file.data, keys.in_actions);
      }
    }
  }
  const bool is_library = base::to_lower_ascii(chart.chart().metadata.type) == "library";
  keys.walked = usage.complete;
  keys.complete = usage.complete && !is_library && !keys.root.whole && usage.open.empty();
  return keys;
}

std::vector<UnreadKey> unread_keys(const ReadKeys& keys, const Value& values) {
  EvaluatedTexts evaluated(keys.evaluating);
  if (!keys.evaluating.empty()) {
    evaluated.look_at(values);
  }
  UnreadFinder finder(keys, evaluated.root);
  finder.walk(values);
  // Helm gives "global" to every chart, whether it reads that or not.
  std::erase_if(finder.found, [&keys](const UnreadKey& key) {
    return keys.mentioned.contains(key.path.front()) || key.path == Steps{"global"};
  });
  return std::move(finder.found);
}

}  // namespace chartwright::helm::lint
