// SPDX-License-Identifier: Apache-2.0
#include "helm/render/included_texts.h"

#include <algorithm>
#include <string_view>

#include "base/strings.h"
#include "go/quote.h"

namespace chartwright::helm {
namespace {

/// The characters around a name in a text of YAML: in a string there, a quote is escaped.
constexpr std::string_view kQuotes = "\"`\\";
/// A template in a string of YAML, a text for `tpl` in that, and a name in that.
constexpr int kEscapeDepthMax = 3;
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

/// Returns a text without the escapes of Go. Of an escape that Go does not have, which may be one
/// of YAML, the character stays.
std::string unescaped(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const size_t escape = std::min(text.find('\\'), text.size());
    plain += text.substr(0, escape);
    text.remove_prefix(escape);
    std::string_view rest = text;
    if (go::unquote_char(rest, '"')) {
      const size_t size = text.size() - rest.size();
      plain += go::unquote('"' + std::string(text.substr(0, size)) + '"').value_or("");
      text = rest;
    } else {
      text.remove_prefix(std::min<size_t>(1, text.size()));
    }
  }
  return plain;
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
      if (text.find("''") != std::string::npos) {
        add_named_in(base::replace_all(text, "''", "'"));  // In a string of YAML.
      }
    }
  }

 private:
  using Trees = std::multimap<std::string, const tmpl::Tree*, std::less<>>;

  void add_named_in(std::string_view text, int depth = 0) {
    add_parts(text, kQuotes);
    add_parts(text, "`");
    if (depth < kEscapeDepthMax) {
      add_escaped_in(text, depth);
    }
  }

  /// Adds what is named between two of the characters of `quotes`.
  void add_parts(std::string_view text, std::string_view quotes) {
    while (!text.empty()) {
      const size_t end = std::min(text.find_first_of(quotes), text.size());
      add_named(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  /// Adds what strings with escapes name, and what is named in them.
  void add_escaped_in(std::string_view text, int depth) {
    size_t start = 0;  // Of what may be a string: after a quote that is not escaped.
    bool has_escapes = false;
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\\') {
        has_escapes = true;
        ++at;
      } else if (text[at] == '"') {
        if (has_escapes) {
          const std::string plain = unescaped(text.substr(start, at - start));
          add_named(plain);
          add_named_in(plain, depth + 1);
        }
        start = at + 1;
        has_escapes = false;
      }
    }
  }

  void add_named(std::string_view name) {
    const auto [first, last] = left_.equal_range(name);
    add(first, last);
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
  texts.reserve(files.size());
  for (const auto& [name, text] : files) {
    texts.push_back(text);
  }
  IncludedTexts(trees, texts).add_all();
  return texts;
}

}  // namespace chartwright::helm
