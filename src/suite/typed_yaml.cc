// SPDX-License-Identifier: Apache-2.0
#include "suite/typed_yaml.h"

#include <algorithm>
#include <optional>
#include <span>

#include "base/digest.h"
#include "base/strings.h"
#include "go/format_float.h"
#include "go/quote.h"
#include "go/time.h"
#include "go/type_name.h"
#include "helm/funcs/time_value.h"
#include "helm/render/pretty_yaml.h"
#include "yaml/nodes.h"
#include "yaml/resolve.h"

namespace chartwright::suite {
namespace {

using value::Value;

constexpr int kNestingMax = 1000;
/// Nodes of a document, counted again each time that an alias repeats them.
constexpr size_t kNodesMax = 4'000'000;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

/// Returns the time that a scalar of that form stands for. Source: go.yaml.in/yaml/v3 resolve.go.
Value time_of(std::string_view text) {
  for (std::string_view layout :
       {"2006-1-2T15:4:5.999999999Z07:00", "2006-1-2t15:4:5.999999999Z07:00",
        "2006-1-2 15:4:5.999999999", "2006-1-2"}) {
    if (auto time = go::parse_time_in(layout, text, go::TimeZone::utc()); time.ok()) {
      return helm::funcs::make_time(*time);
    }
  }
  return Value::string(text);
}

/// Reports whether YAML 1.2 has this word of YAML 1.1 for a bool.
bool is_bool_word(std::string_view text) {
  return text.size() > 3 && (text[0] == 't' || text[0] == 'T' || text[0] == 'f' || text[0] == 'F');
}

base::Result<Value> scalar_of(const yaml::Node& node) {
  if (node.tag == yaml::kBinaryTag) {
    const std::string line = base::replace_all(node.text, "\n", "");
    auto data = base::base64_decode(line);
    if (!data.ok()) {
      return base::Error(base::ErrorCode::kParse,
                         "yaml: !!binary value contains invalid base64 data");
    }
    return Value::string(*std::move(data));
  }
  yaml::Scalar typed;
  if (!node.tag.empty()) {
    CW_TRY(typed, yaml::resolve_yaml_scalar(node.tag, node.text));
  } else if (node.implicit) {
    typed = yaml::resolve_plain_scalar(node.text);
  }
  switch (typed.type) {
    case yaml::Type::kNull:
      return Value::nil();
    case yaml::Type::kBool:
      return is_bool_word(node.text) ? Value::boolean(typed.boolean) : Value::string(node.text);
    case yaml::Type::kInt:
      return Value::integer(typed.integer);
    case yaml::Type::kUint:
      return Value::integer(static_cast<int64_t>(typed.unsigned_integer), value::IntType::kUint64);
    case yaml::Type::kFloat:
      return Value::number(typed.number);
    case yaml::Type::kTimestamp:
      return time_of(node.text);
    case yaml::Type::kString:
      break;
  }
  return Value::string(node.text);
}

bool is_merge_key(const yaml::Node& node) {
  return node.kind == yaml::NodeKind::kScalar && node.text == "<<" &&
         (node.tag.empty() ? node.implicit : node.tag == yaml::kMergeTag);
}

class Decoder {
 public:
  Decoder(const yaml::Document& document, size_t lines_before)
      : document_(document), lines_before_(lines_before) {}

  base::Result<Value> decode(yaml::NodeId id, int depth) {
    if (depth > kNestingMax || ++nodes_ > kNodesMax) {
      return base::Error(base::ErrorCode::kBudget,
                         "yaml: document is nested too deeply or too large");
    }
    const yaml::Node& node = document_.target(id);
    switch (node.kind) {
      case yaml::NodeKind::kSequence: {
        std::vector<Value> items;
        for (const yaml::NodeId child : document_.children_of(node)) {
          CW_TRY(Value item, decode(child, depth + 1));
          items.push_back(std::move(item));
        }
        return Value::list(std::move(items));
      }
      case yaml::NodeKind::kMapping:
        return mapping(node, depth);
      default:
        return scalar_of(node);
    }
  }

 private:
  base::Result<Value> mapping(const yaml::Node& node, int depth) {
    CW_TRY_VOID(check_keys(node));
    Value dict = Value::dict();
    const std::span<const yaml::NodeId> children = document_.children_of(node);
    for (size_t i = 0; i + 1 < children.size(); i += 2) {
      if (!is_merge_key(document_.at(children[i]))) {
        CW_TRY(Value member, decode(children[i + 1], depth + 1));
        dict.mutable_dict().set(document_.target(children[i]).text, std::move(member));
      }
    }
    for (size_t i = 0; i + 1 < children.size(); i += 2) {
      if (is_merge_key(document_.at(children[i]))) {
        CW_TRY_VOID(merge(children[i + 1], dict, depth + 1));
      }
    }
    return dict;
  }

  base::Status merge(yaml::NodeId id, Value& into, int depth) {
    CW_TRY(const Value merged, decode(id, depth));
    for (const Value& source : merged.is_list() ? merged.as_list().items : std::vector{merged}) {
      if (!source.is_dict()) {
        return base::Error(base::ErrorCode::kParse,
                           "yaml: map merge requires map or sequence of maps as the value");
      }
      for (const auto& [key, member] : source.as_dict()) {
        if (!into.as_dict().contains(key)) {
          into.mutable_dict().set(key, member);
        }
      }
    }
    return {};
  }

  /// Source: go.yaml.in/yaml/v3 decode.go (uniqueKeys).
  base::Status check_keys(const yaml::Node& node) const {
    std::vector<std::pair<std::string_view, int>> keys;
    const std::span<const yaml::NodeId> children = document_.children_of(node);
    for (size_t i = 0; i + 1 < children.size(); i += 2) {
      const yaml::Node& key = document_.target(children[i]);
      if (key.kind != yaml::NodeKind::kScalar) {
        return base::Error(base::ErrorCode::kParse,
                           "yaml: line " + line_of(key.line) + ": a key must be a scalar");
      }
      keys.emplace_back(key.text, key.line);
    }
    std::stable_sort(keys.begin(), keys.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 1; i < keys.size(); ++i) {
      if (keys[i].first == keys[i - 1].first) {
        return base::Error(base::ErrorCode::kParse,
                           "yaml: unmarshal errors:\n  line " + line_of(keys[i].second) +
                               ": mapping key " + go::quote(keys[i].first) +
                               " already defined at line " + line_of(keys[i - 1].second));
      }
    }
    return {};
  }

  std::string line_of(int line) const {
    return std::to_string(static_cast<size_t>(line) + lines_before_);
  }

  const yaml::Document& document_;
  const size_t lines_before_;
  size_t nodes_ = 0;
};

/// Returns the short tag and the text of a document that is not a map, as go-yaml names it.
std::string noun_of(const Value& v, std::string_view text) {
  if (v.is_list()) {
    return "!!seq";
  }
  std::string tag = "!!str";
  if (v.is_bool()) {
    tag = "!!bool";
  } else if (v.is_int()) {
    tag = "!!int";
  } else if (v.is_float()) {
    tag = "!!float";
  } else if (v.is_native()) {
    tag = "!!timestamp";
  }
  constexpr size_t kShown = 10;
  const std::string shown(v.is_string() ? std::string_view(v.as_string()) : base::trim(text));
  return tag + " `" + (shown.size() > kShown ? shown.substr(0, kShown - 3) + "..." : shown) + "`";
}

Value without_first_breaks(const Value& v) {
  if (v.is_string() && v.as_string().starts_with('\n')) {
    const size_t start = v.as_string().find_first_not_of('\n');
    return Value::string(start == std::string::npos ? "" : v.as_string().substr(start));
  }
  if (v.is_list()) {
    std::vector<Value> items;
    std::ranges::transform(v.as_list().items, std::back_inserter(items), without_first_breaks);
    return Value::list(std::move(items));
  }
  if (v.is_dict()) {
    Value out = Value::dict();
    for (const auto& [key, member] : v.as_dict()) {
      out.mutable_dict().set(key, without_first_breaks(member));
    }
    return out;
  }
  return v;
}

bool holds_float(const Value& v) {
  if (v.is_list()) {
    return std::ranges::any_of(v.as_list().items, holds_float);
  }
  return v.is_dict() ? std::any_of(v.as_dict().begin(), v.as_dict().end(),
                                   [](const auto& entry) { return holds_float(entry.second); })
                     : v.is_float();
}

Value with_whole_floats(const Value& v) {
  if (v.is_float()) {
    const auto whole = base::parse_int(go::format_float(v.as_float(), 'g', -1));
    return whole ? Value::integer(*whole) : v;
  }
  if (v.is_list()) {
    std::vector<Value> items;
    std::ranges::transform(v.as_list().items, std::back_inserter(items), with_whole_floats);
    return Value::list(std::move(items));
  }
  if (v.is_dict()) {
    Value out = Value::dict();
    for (const auto& [key, member] : v.as_dict()) {
      out.mutable_dict().set(key, with_whole_floats(member));
    }
    return out;
  }
  return v;
}

}  // namespace

std::vector<TextPart> split_documents(std::string_view text) {
  std::vector<TextPart> parts;
  size_t start = 0;
  size_t lines = 0;
  size_t at = text.starts_with("---") ? 0 : text.find("\n---");
  while (at != std::string_view::npos) {
    size_t end = at;
    while (end > start && is_space(text[end - 1])) {
      --end;
    }
    parts.push_back({text.substr(start, end - start), lines, false});
    size_t next = at + (text[at] == '\n' ? 4 : 3);
    while (next < text.size() && is_space(text[next])) {
      ++next;
    }
    lines +=
        static_cast<size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(start),
                                       text.begin() + static_cast<std::ptrdiff_t>(next), '\n'));
    start = next;
    at = text.find("\n---", start);
  }
  parts.push_back({text.substr(start), lines});
  return parts;
}

base::Result<TypedDocument> read_typed_yaml(std::string_view text, size_t lines_before) {
  auto document = yaml::read_yaml_document(text);
  if (!document.ok() && lines_before > 0) {
    // The same text in its place, so that the error names the right line.
    document = yaml::read_yaml_document(std::string(lines_before, '\n') + std::string(text));
  }
  if (!document.ok()) {
    return document.error();
  }
  TypedDocument read{*std::move(document), Value()};
  if (!read.written.empty()) {
    CW_TRY(read.value, Decoder(read.written, lines_before).decode(0, 0));
  }
  return read;
}

base::Result<Value> parse_typed_yaml(std::string_view text, size_t lines_before) {
  CW_TRY(TypedDocument read, read_typed_yaml(text, lines_before));
  return std::move(read.value);
}

base::Result<std::vector<Value>> parse_manifests(std::string_view text) {
  std::vector<Value> manifests;
  for (const TextPart& part : split_documents(text)) {
    CW_TRY(Value manifest, parse_typed_yaml(part.document(), part.lines_before));
    if (manifest.is_dict() && !manifest.as_dict().empty()) {
      manifests.push_back(std::move(manifest));
    } else if (!manifest.is_nil() && !manifest.is_dict()) {
      return base::Error(base::ErrorCode::kParse,
                         "yaml: unmarshal errors:\n  line " +
                             std::to_string(part.lines_before + 1) + ": cannot unmarshal " +
                             noun_of(manifest, part.text) + " into map[string]interface {}");
    }
  }
  return manifests;
}

base::Result<std::string> typed_yaml(const Value& v) {
  return helm::pretty_yaml(without_first_breaks(v));
}

Value reread(const Value& v) { return holds_float(v) ? with_whole_floats(v) : v; }

std::string go_type(const Value& v) {
  if (v.is_nothing()) {
    return "";
  }
  if (v.is_int()) {
    return v.int_type() == value::IntType::kUint64 ? "uint64" : "int";
  }
  return std::string(go::type_name(v));
}

}  // namespace chartwright::suite
