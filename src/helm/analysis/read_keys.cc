// SPDX-License-Identifier: Apache-2.0
#include "helm/analysis/read_keys.h"

#include <algorithm>
#include <iterator>

#include "base/ascii.h"
#include "base/strings.h"
#include "go/path.h"
#include "go/quote.h"
#include "helm/analysis/usage_collector.h"
#include "helm/render/included_texts.h"

namespace chartwright::helm::analysis {
namespace {

using value::Value;

/// Deeper values are taken to be read.
constexpr size_t kTableDepthMax = 50;
/// Shorter keys are too similar to too many others.
constexpr size_t kMisspeltBytesMin = 3;
/// The texts among the values that are looked at, together, once for each chart.
constexpr size_t kEvaluatedBytesMax = size_t{256} * 1024;
/// The names that keys are compared with for suggestions, times the bytes of the keys.
constexpr size_t kComparedBytesMax = size_t{1024} * 1024;

/// Returns the first word of a text and takes it off, with all before it; "" if there is none.
std::string_view next_word(std::string_view& text) {
  const auto is_in_word = [](char c) {
    return base::is_ascii_alphanumeric(c) || c == '_' || c == '-';
  };
  const auto start = std::ranges::find_if(text, is_in_word);
  const std::string_view word(start, std::find_if_not(start, text.end(), is_in_word));
  text = std::string_view(word.end(), text.end());
  return word;
}

void collect_words(std::string_view text, ReadKeys::Words& words) {
  for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
    words.emplace(word);
  }
}

WordTest test_of(const ReadKeys::Words& words) {
  return [&words](std::string_view word) { return words.contains(word); };
}

/// Reports whether a key may stand in a text, where its words do. Other characters may be escaped.
bool may_stand_there(std::string_view key, const WordTest& is_mentioned) {
  std::string_view word = next_word(key);
  while (!word.empty() && is_mentioned(word)) {
    word = next_word(key);
  }
  return word.empty();
}

/// Returns the words in the files of operator/ and in what they include.
ReadKeys::Words operator_words(const helm::RenderableChart& chart, const Usage& usage) {
  ReadKeys::Words words;
  for (const std::string& text : included_texts(chart.operator_files(), usage.trees)) {
    collect_words(text, words);
  }
  return words;
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
  ReadKeys::Words words;  ///< Those in the actions of the texts.
  bool given_up = false;  ///< There are too many texts, or too deep ones, to tell what they read.

  void look_at(const Value& value, size_t depth = 0) {
    if (depth > kTableDepthMax) {
      given_up = true;
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
    const size_t bytes = text.size() * charts_.size();
    given_up = given_up || bytes > bytes_left_;
    if (given_up) {
      return;
    }
    bytes_left_ -= bytes;
    for (const Steps& chart : charts_) {
      mark_named_in(text, chart, root);
    }
    // The keys that named templates read are not known here, nor those of computed names.
    ReadKeys::Words own;
    collect_action_words(text, own);
    for (std::string_view call : {"include", "template", "tpl"}) {
      root.whole = root.whole || own.contains(call);
    }
    for (size_t at = text.find("Values"); at != std::string_view::npos;
         at = text.find("Values", at + 1)) {
      const bool is_field = at > 0 && text[at - 1] == '.';
      root.whole = root.whole || (!is_field && own.contains("Values"));
    }
    words.merge(own);
  }

  const std::vector<Steps>& charts_;
  size_t bytes_left_ = kEvaluatedBytesMax;
};

/// Follows values beside the uses of their keys.
class UnreadFinder {
 public:
  UnreadFinder(const ReadKeys& keys, const EvaluatedTexts& evaluated)
      : keys_(keys), evaluated_(evaluated) {
    const bool is_open = !keys.complete || evaluated.root.whole;
    root_ = {{&keys.root, &evaluated.root}, &keys.defined, is_open};
  }
  std::vector<UnreadKey> found;

  void walk(const Value& values) { walk(values, root_); }

 private:
  using Usages = std::vector<const KeyUsage*>;

  /// A table of values.
  struct Place {
    Usages usages;
    const Keys* defined;  ///< The keys of values.yaml and the schemas; nullptr: not known.
    bool is_open;         ///< A template may read a key that it does not name.
  };

  void walk(const Value& values, const Place& place) {
    if (!values.is_dict() || path_.size() > kTableDepthMax) {
      return;
    }
    for (const auto& [key, value] : values.as_dict()) {
      if (found.size() >= kUnreadMax) {
        return;
      }
      path_.push_back(key);
      look_at(key, value, place);
      path_.pop_back();
    }
  }

  void look_at(const std::string& key, const Value& value, const Place& place) {
    Usages usages = uses_of(key, place.usages);
    const bool is_named = !usages.empty();
    if (key != kEveryStep) {
      std::ranges::copy(uses_of(kEveryStep, place.usages), std::back_inserter(usages));
    }
    if (usages.empty() && !place.is_open) {
      found.push_back({path_, nearest_to(key, place), true});
      return;
    }
    if (std::string meant = is_named ? "" : meant_by(key, place); !meant.empty()) {
      found.push_back({path_, std::move(meant), false});
      return;
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

  /// Returns the key that is meant by one that no template names, if it is almost that; "" if not.
  /// Of a table whose elements are read one by one, the user chooses the keys, unless it is that of
  /// all values. A word in an action may be the name of a key that is computed.
  std::string meant_by(const std::string& key, const Place& place) {
    const bool is_root = place.defined == &keys_.defined;
    const bool is_free = !is_root && !uses_of(kEveryStep, place.usages).empty();
    if (key.size() < kMisspeltBytesMin || is_free || keys_.in_actions.contains(key) ||
        evaluated_.words.contains(key)) {
      return "";
    }
    return nearest_to(key, place);
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

  static void add_names(const auto& keys, std::vector<std::string_view>& names) {
    for (const auto& [name, inner] : keys) {
      names.push_back(name);
    }
  }

  /// Returns the key that may be meant, of those that are read by their names or, where it is
  /// certain that another one has no effect, that are defined. After many comparisons, none.
  std::string nearest_to(const std::string& key, const Place& place) {
    if (place.defined != nullptr && place.defined->below.contains(key)) {
      return "";  // Not misspelt.
    }
    const bool is_root = place.defined == &keys_.defined;
    const bool takes_defined = place.defined != nullptr && (is_root || !place.is_open);
    size_t count = takes_defined ? place.defined->below.size() : 0;
    for (const KeyUsage* mark : place.usages) {
      count += mark->below.size();
    }
    const size_t cost = count * (key.size() + 1);
    if (cost > compared_left_) {
      return "";
    }
    compared_left_ -= cost;
    std::vector<std::string_view> names;
    for (const KeyUsage* mark : place.usages) {
      add_names(mark->below, names);
    }
    if (takes_defined) {
      add_names(place.defined->below, names);
    }
    std::erase_if(names, [](std::string_view name) { return name == kEveryStep; });
    return std::string(base::nearest(key, names));
  }

  const ReadKeys& keys_;
  const EvaluatedTexts& evaluated_;
  Place root_;
  size_t compared_left_ = kComparedBytesMax;
  Steps path_;
};

}  // namespace

std::string UnreadKey::to_string() const {
  return go::quote(join_steps(path)) +
         (is_certain ? " is read by no template" : " is named by no template") +
         (nearest.empty() ? "" : ", did you mean " + go::quote(nearest) + "?");
}

void mark_mentioned(const Value& values, const WordTest& is_mentioned, KeyUsage& root) {
  if (!values.is_dict()) {
    return;
  }
  for (const auto& [key, value] : values.as_dict()) {
    if (may_stand_there(key, is_mentioned)) {
      mark_whole(root, {key});
    }
  }
}

void mark_indirect_uses(const helm::RenderableChart& chart, const std::vector<ScopeOfChart>& scopes,
                        Usage& usage) {
  KeyUsage& root = usage.root;
  mark_for_dependencies(scopes, root);
  mark_named_in(chart.chart().content->values_text, {}, root);
  for (const ScopeOfChart& scope : scopes) {
    for (const helm::File& file : scope.chart->content->files) {
      // Files of operator/ may name a key that does not exist.
      if (go::extension(file.name) != ".md" && !file.name.starts_with("operator/")) {
        mark_named_in(file.data, scope.prefix, root);
      }
    }
  }
  if (const ReadKeys::Words words = operator_words(chart, usage); !words.empty()) {
    mark_mentioned(chart.chart().values, test_of(words), usage.root);
  }
}

base::Result<ReadKeys> read_keys(const helm::RenderableChart& chart) {
  const std::vector<ScopeOfChart> scopes = scopes_of(chart.chart());
  CW_TRY(Usage usage, usage_of(scopes));
  mark_indirect_uses(chart, scopes, usage);
  ReadKeys keys;
  keys.root = std::move(usage.root);
  keys.defined = defined_keys(scopes);
  keys.mentioned = operator_words(chart, usage);
  for (const ScopeOfChart& scope : scopes) {
    if (usage.evaluates || !usage.complete) {
      keys.evaluating.push_back(scope.prefix);
    }
    for (const helm::File& file : scope.chart->content->templates) {
      collect_action_words(file.data, keys.in_actions);
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
  if (evaluated.given_up) {
    return {};
  }
  UnreadFinder finder(keys, evaluated);
  finder.walk(values);
  // Helm gives "global" to every chart, whether it reads that or not.
  const auto is_used = [&keys](const std::string& key) {
    return !keys.mentioned.empty() && may_stand_there(key, test_of(keys.mentioned));
  };
  std::erase_if(finder.found, [&is_used](const UnreadKey& key) {
    return key.path == Steps{"global"} || is_used(key.path.front());
  });
  return std::move(finder.found);
}

}  // namespace chartwright::helm::analysis
