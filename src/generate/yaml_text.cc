// SPDX-License-Identifier: Apache-2.0
#include "generate/yaml_text.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/printable.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::generate {
namespace {

constexpr size_t kColumnsMax = 120;
// A map of fewer members is searched from its beginning.
constexpr size_t kIndexedFrom = 16;

/// Reports whether a text is a word that YAML reads as a string: those that mean something else are
/// shorter.
bool is_long_word(std::string_view text) {
  constexpr size_t kLongestKeyword = 5;  // "false"
  return text.size() > kLongestKeyword && text.size() < kColumnsMax &&
         std::all_of(text.begin(), text.end(), base::is_ascii_letter<char>);
}

bool is_plain_scalar(std::string_view text) {
  const bool is_simple =
      !text.empty() && text.size() < kColumnsMax && text.find('\n') == std::string_view::npos;
  if (!is_simple || text.find(": ") != std::string_view::npos ||
      text.find(" #") != std::string_view::npos || text.back() == ':' || text.back() == ' ' ||
      text.front() == ' ') {
    return false;
  }
  const auto read = yaml::parse_yaml("- " + std::string(text), value::Numbers::kInt64);
  return read.ok() && read->is_list() && read->as_list().items.size() == 1 &&
         read->as_list().items[0].is_string() && read->as_list().items[0].as_string() == text;
}

/// Reports whether a text has control characters, as bytes or, those beyond ASCII, encoded.
bool has_control(std::string_view text) {
  while (!text.empty()) {
    const base::DecodedRune next = base::decode_rune(text);
    if (next.rune < ' ' || (next.rune >= 0x7f && next.rune < 0xa0)) {
      return true;
    }
    text.remove_prefix(next.size);
  }
  return false;
}

/// Returns a string in the simplest style that keeps it.
std::string scalar_of(std::string_view text) {
  if (has_control(text)) {
    // YAML has the escapes of JSON.
    return base::printable(value::to_json(value::Value::string(text)).value_or("\"\""));
  }
  const bool is_prose = text.size() >= kColumnsMax && text.find(": ") == std::string_view::npos &&
                        text.find(" #") == std::string_view::npos &&
                        text.find("  ") == std::string_view::npos &&
                        base::is_ascii_letter(text.front()) && text.back() == '.';
  if (is_prose || is_long_word(text) || is_plain_scalar(text)) {
    return std::string(text);
  }
  return "'" + base::replace_all(text, "'", "''") + "'";
}

/// Breaks a scalar at spaces, where YAML joins the lines again.
std::string folded(const std::string& scalar, size_t used, size_t indent) {
  if (used + scalar.size() <= kColumnsMax || scalar.front() == '"' ||
      scalar.find("  ") != std::string::npos) {
    return scalar;
  }
  std::string out;
  size_t column = used;
  for (std::string_view word : base::split(scalar, ' ')) {
    if (!out.empty() && column + 1 + word.size() > kColumnsMax) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

}  // namespace

Yaml Yaml::text(std::string_view text) {
  Yaml node;
  node.kind_ = Kind::kScalar;
  node.text_ = text;
  node.scalar_ = scalar_of(text);
  return node;
}

Yaml Yaml::of(const value::Value& value) {
  if (value.is_string()) {
    return text(value.as_string());
  }
  Yaml node;
  if (value.is_dict()) {
    for (const auto& [key, member] : value.as_dict()) {
      node.set(key, of(member));
    }
  } else if (value.is_list()) {
    node.kind_ = Kind::kList;
    for (const value::Value& item : value.as_list().items) {
      node.items_.push_back(of(item));
    }
  } else {
    node.kind_ = Kind::kScalar;
    node.scalar_ = value::to_json(value).value_or("null");
  }
  return node;
}

Yaml Yaml::list(std::vector<Yaml> items) {
  Yaml node;
  node.kind_ = Kind::kList;
  node.items_ = std::move(items);
  return node;
}

Yaml Yaml::verbatim(std::string_view text) {
  Yaml node;
  node.kind_ = Kind::kVerbatim;
  node.scalar_ = text;
  return node;
}

Yaml& Yaml::set(std::string_view key, Yaml value) {
  if (const size_t place = place_of(key); place < members_.size()) {
    members_[place].second = std::move(value);
    return *this;
  }
  members_.emplace_back(key, std::move(value));
  if (members_.size() == kIndexedFrom) {
    index();
  } else if (members_.size() > kIndexedFrom) {
    places_.emplace(key, members_.size() - 1);
  }
  return *this;
}

/// Returns the index of a member; their number if there is no such member.
size_t Yaml::place_of(std::string_view key) const {
  if (members_.size() >= kIndexedFrom) {
    const auto found = places_.find(std::string(key));
    return found == places_.end() ? members_.size() : found->second;
  }
  const auto found =
      std::ranges::find_if(members_, [&](const auto& member) { return member.first == key; });
  return static_cast<size_t>(found - members_.begin());
}

void Yaml::index() {
  places_.clear();
  for (size_t i = 0; members_.size() >= kIndexedFrom && i < members_.size(); ++i) {
    places_.emplace(members_[i].first, i);
  }
}

const Yaml* Yaml::find(std::string_view key) const {
  const size_t place = place_of(key);
  return place < members_.size() ? &members_[place].second : nullptr;
}

void Yaml::erase(std::string_view key) {
  if (const size_t place = place_of(key); place < members_.size()) {
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(place));
    index();
  }
}

std::optional<int64_t> Yaml::whole() const {
  return kind_ == Kind::kScalar && text_.empty() ? base::parse_int(scalar_) : std::nullopt;
}

bool Yaml::has(std::string_view key) const { return find(key) != nullptr; }

std::string Yaml::to_string() const {
  std::string out;
  write(0, out);
  return out;
}

void Yaml::write(size_t indent, std::string& out) const {
  const std::string space(indent, ' ');
  switch (kind_) {
    case Kind::kMap:
      for (const auto& [key, member] : members_) {
        out += space;
        member.write_member(key, indent, out);
      }
      break;
    case Kind::kList:
      for (const Yaml& item : items_) {
        out += space + "- ";
        if (item.kind_ == Kind::kMap && !item.members_.empty()) {
          std::string inner;
          item.write(indent + 2, inner);
          out += inner.substr(indent + 2);
        } else if (item.kind_ == Kind::kScalar) {
          out += folded(item.scalar_, indent + 2, indent + 2) + "\n";
        } else {
          out += item.kind_ == Kind::kList ? "[]\n" : "{}\n";
        }
      }
      break;
    case Kind::kScalar:
      out += space + scalar_ + "\n";
      break;
    case Kind::kVerbatim:
      for (std::string_view line : base::split(scalar_, '\n')) {
        out += line.empty() ? "" : space + std::string(line) + "\n";
      }
      break;
  }
}

void Yaml::write_member(std::string_view key, size_t indent, std::string& out) const {
  const std::string name = scalar_of(key);
  out += name + ":";
  const size_t used = indent + name.size() + 2;
  if (kind_ == Kind::kScalar) {
    out += " " + folded(scalar_, used, indent + 2) + "\n";
  } else if (kind_ == Kind::kMap && members_.empty()) {
    out += " {}\n";
  } else if (kind_ == Kind::kList && items_.empty()) {
    out += " []\n";
  } else {
    out += "\n";
    write(indent + 2, out);
  }
}

}  // namespace chartwright::generate
