// SPDX-License-Identifier: Apache-2.0
#include "helm/render/included_texts.h"

#include <algorithm>
#include <string_view>

namespace chartwright::helm {
namespace {

/// The characters around a name in a text of YAML: in a string there, a quote is escaped.
constexpr std::string_view kQuotes = "\"`\\";
constexpr std::string_view kInclude = "include";
/// How a name begins that is computed: in parentheses, or as a variable or a value.
constexpr std::string_view kComputed = "($.";

/// Reports whether a text includes a named template whose name does not stand there.
bool computes_name(std::string_view text) {
  for (size_t at = text.find(kInclude); at != std::string_view::npos;
       at = text.find(kInclude, at)) {
    at += kInclude.size();
    const size_t name = text.find_first_not_of(" \t\n", at);
    if (name != at && name != std::string_view::npos &&
        kComputed.find(text[name]) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

/// Adds the named templates that texts include.
class IncludedTexts {
 public:
  IncludedTexts(const std::vector<tmpl::TreeMap>& trees, std::vector<std::string>& texts)
      : texts_(texts) {
    for (const tmpl::TreeMap& file : trees) {
      for (const auto& [name, tree] : file) {
        left_.emplace(name, tree.get());
      }
    }
  }

  void add_all() {
    for (size_t i = 0; i < texts_.size() && !left_.empty(); ++i) {
      const std::string text = texts_[i];  // Adding a text moves the others.
      if (computes_name(text)) {
        add(left_.begin(), left_.end());
      }
      add_named_in(text);
    }
  }

 private:
  using Trees = std::multimap<std::string, const tmpl::Tree*, std::less<>>;

  void add_named_in(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find_first_of(kQuotes), text.size());
      const auto [first, last] = left_.equal_range(text.substr(0, end));
      add(first, last);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void add(Trees::iterator first, Trees::iterator last) {
    for (auto tree = first; tree != last; ++tree) {
      texts_.push_back(tmpl::to_string(tree->second->body));
    }
    left_.erase(first, last);
  }

  Trees left_;
  std::vector<std::string>& texts_;
};

}  // namespace

std::vector<std::string> included_texts(const std::map<std::string, std::string>& files,
                                        const std::vector<tmpl::TreeMap>& trees) {
  std::vector<std::string> texts;
  for (const auto& [name, text] : files) {
    texts.push_back(text);
  }
  IncludedTexts(trees, texts).add_all();
  return texts;
}

}  // namespace chartwright::helm
