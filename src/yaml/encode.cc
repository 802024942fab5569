// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "yaml/float_text.h"
#include "yaml/json_string.h"
#include "yaml/key_order.h"
#include "yaml/nodes.h"
#include "yaml/resolve.h"
#include "yaml/scalar_style.h"
#include "yaml/writer.h"
#include "yaml/yaml.h"

namespace chartwright::yaml {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

constexpr int kIndentStep = 2;
// Longer keys take the form "? key".
constexpr size_t kMaxInlineKey = 128;
// Shared dicts may expand to far more text than they take in memory.
constexpr size_t kMaxOutputBytes = size_t{64} << 20;

// Formats a finite float as encoding/json writes it and go-yaml reads it back: a whole number that
// fits 64 bits becomes an integer, any other number has Go's shortest form.
std::string json_float_text(double d) {
  constexpr double kFirstJsonExponent = 1e21;
  if (d == std::trunc(d) && std::fabs(d) < kFirstJsonExponent) {
    std::string whole = format_float_f(d);
    if (d == 0) {
      return "0";
    }
    const Type type = resolve_plain_scalar(whole).type;
    if (type == Type::kInt || type == Type::kUint) {
      return whole;
    }
  }
  return format_float_g(d);
}

std::string int_text(const value::Value& v) {
  return v.int_type() == value::IntType::kUint64 ? std::to_string(static_cast<uint64_t>(v.as_int()))
                                                 : std::to_string(v.as_int());
}

enum class Position : uint8_t { kRoot, kSequenceItem, kMappingValue };

struct Member {
  std::string key;
  const value::Value* value;
};

// A collection being written.
struct Frame {
  const value::List* list = nullptr;  // For a sequence.
  std::vector<Member> members;        // For a mapping, in order.
  size_t next = 0;
  int outer_indent = 0;
  value::Value keep_alive;  // The JSON form of a native.

  size_t size() const { return list != nullptr ? list->items.size() : members.size(); }
};

Result<std::vector<Member>> sorted_members(const value::Dict& dict) {
  std::vector<Member> members;
  members.reserve(dict.size());
  for (const auto& [key, value] : dict) {
    CW_TRY(std::string read, yaml_read_back(key, StringRole::kKey));
    members.push_back({std::move(read), &value});
  }
  std::stable_sort(members.begin(), members.end(),
                   [](const Member& a, const Member& b) { return yaml_key_less(a.key, b.key); });
  return members;
}

// Writes with its own stack, because the value decides how deep it gets.
class Encoder {
 public:
  Result<std::string> encode(const value::Value& v) {
    CW_TRY_VOID(begin(v, Position::kRoot));
    while (!frames_.empty()) {
      if (frames_.back().next == frames_.back().size()) {
        writer_.set_indent(frames_.back().outer_indent);
        frames_.pop_back();
      } else {
        CW_TRY_VOID(step());
      }
    }
    writer_.start_line();
    return writer_.take();
  }

 private:
  enum class Nesting : uint8_t { kDeeper, kBlock, kSame };

  // Writes a scalar, or starts a collection.
  Status begin(const value::Value& v, Position place) {
    switch (v.kind()) {
      case value::Kind::kNil:
      case value::Kind::kNoValue:
        return plain("null");
      case value::Kind::kBool:
        return plain(v.as_bool() ? "true" : "false");
      case value::Kind::kInt:
        return plain(int_text(v));
      case value::Kind::kFloat:
        return number(v.as_float());
      case value::Kind::kString:
        return string(v.as_string());
      case value::Kind::kBytes:
        return v.is_nil_bytes() ? plain("null") : string(base::base64_encode(v.as_string()));
      case value::Kind::kList:
        return begin_sequence(v.as_list(), place);
      case value::Kind::kDict:
        return v.is_nil_dict() ? plain("null") : begin_mapping(v.as_dict());
      case value::Kind::kNative:
        break;
    }
    return begin_native(v.as_native(), place);
  }

  Status begin_native(const value::Native& native, Position place) {
    CW_TRY(const value::Value v, native.to_json_value());
    if (v.is_native()) {
      return Error(ErrorCode::kInternal, "a native value does not turn into plain values");
    }
    const size_t outside = frames_.size();
    CW_TRY_VOID(begin(v, place));
    if (frames_.size() > outside) {
      frames_.back().keep_alive = v;
    }
    return {};
  }

  Status check_budget() const {
    if (frames_.size() >= kDepthMax) {
      return Error(ErrorCode::kBudget, "yaml: exceeded max depth of " + std::to_string(kDepthMax));
    }
    return check_size();
  }

  Status check_size() const {
    if (writer_.size() > kMaxOutputBytes) {
      return Error(ErrorCode::kBudget,
                   "yaml: text is longer than " + std::to_string(kMaxOutputBytes) + " bytes");
    }
    return {};
  }

  // Writes a scalar that is not a string.
  Status plain(std::string_view text) {
    write_scalar(text, Style::kPlain, Writer::Folding::kFold);
    return {};
  }

  Status number(double d) {
    if (!std::isfinite(d)) {
      return Error(ErrorCode::kInvalidArgument, "json: unsupported value: " + format_float_g(d));
    }
    return plain(json_float_text(d));
  }

  Status string(std::string_view text) {
    CW_TRY(const std::string read, yaml_read_back(text, StringRole::kValue));
    const Style style = choose_yaml_style(read, analyze_yaml_text(read));
    write_scalar(read, style, Writer::Folding::kFold);
    return check_size();
  }

  // Continuation lines of a scalar are indented deeper than its surroundings.
  void write_scalar(std::string_view text, Style style, Writer::Folding folding) {
    const int outer = enter(Nesting::kDeeper);
    writer_.scalar(text, style, folding);
    writer_.set_indent(outer);
  }

  // Sets the indentation of a nested node and returns the outer one.
  int enter(Nesting nesting) {
    const int outer = writer_.indent();
    if (outer < 0) {
      writer_.set_indent(nesting == Nesting::kDeeper ? kIndentStep : 0);
    } else if (nesting != Nesting::kSame) {
      writer_.set_indent(outer + kIndentStep);
    }
    return outer;
  }

  Status begin_sequence(const value::List& list, Position place) {
    if (list.is_nil) {
      return plain("null");
    }
    CW_TRY_VOID(check_budget());
    if (list.items.empty()) {
      writer_.indicator("[]", Writer::Before::kSpace, Writer::After::kText);
      return {};
    }
    // A sequence under "key:" is indented like the key, not deeper.
    const bool under_key = place == Position::kMappingValue && !writer_.in_indentation();
    Frame frame;
    frame.list = &list;
    frame.outer_indent = enter(under_key ? Nesting::kSame : Nesting::kBlock);
    frames_.push_back(std::move(frame));
    return {};
  }

  Status begin_mapping(const value::Dict& dict) {
    CW_TRY_VOID(check_budget());
    if (dict.empty()) {
      writer_.indicator("{}", Writer::Before::kSpace, Writer::After::kText);
      return {};
    }
    Frame frame;
    CW_TRY(frame.members, sorted_members(dict));
    frame.outer_indent = enter(Nesting::kBlock);
    frames_.push_back(std::move(frame));
    return {};
  }

  // Writes the next item or member of the current collection.
  Status step() {
    Frame& frame = frames_.back();
    const size_t at = frame.next++;
    writer_.start_line();
    if (frame.list != nullptr) {
      writer_.indicator("-", Writer::Before::kSpace, Writer::After::kIndentation);
      return begin(frame.list->items[at], Position::kSequenceItem);
    }
    const value::Value& value = *frame.members[at].value;
    write_key(frame.members[at].key);
    return begin(value, Position::kMappingValue);
  }

  void write_key(std::string_view key) {
    const TextTraits traits = analyze_yaml_text(key);
    const Style style = choose_yaml_style(key, traits);
    if (!traits.multiline && key.size() <= kMaxInlineKey) {
      write_scalar(key, style, Writer::Folding::kKeepLine);
      writer_.indicator(":", Writer::Before::kNothing, Writer::After::kText);
      return;
    }
    writer_.indicator("?", Writer::Before::kSpace, Writer::After::kIndentation);
    write_scalar(key, style, Writer::Folding::kFold);
    writer_.start_line();
    writer_.indicator(":", Writer::Before::kSpace, Writer::After::kIndentation);
  }

  Writer writer_;
  std::vector<Frame> frames_;
};

}  // namespace

Result<std::string> to_yaml(const value::Value& v) {
  Result<std::string> yaml = Encoder().encode(v);
  if (yaml.ok() || yaml.error().code() != ErrorCode::kInvalidArgument) {
    return yaml;
  }
  // Go converts through JSON, and only the same conversion shows which of several problems Go
  // reports, and on which line.
  Result<std::string> json = value::to_json(v);
  if (!json.ok()) {
    return std::move(json).error().wrap("error marshaling into JSON");
  }
  const Result<Document> document = read_yaml_document(*json);
  return document.ok() ? std::move(yaml).error()
                       : Error(ErrorCode::kInvalidArgument, document.error().message());
}

}  // namespace chartwright::yaml
