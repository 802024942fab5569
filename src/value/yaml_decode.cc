// SPDX-License-Identifier: Apache-2.0
#include "value/yaml_decode.h"

#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "value/yaml.h"
#include "value/yaml_go_syntax.h"
#include "value/yaml_number.h"
#include "value/yaml_scalar_value.h"

namespace chartwright::value {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

constexpr size_t kMaxTextBytes = size_t{64} << 20;
// Text that aliases may multiply a document into.
constexpr size_t kMaxDecodedBytes = size_t{256} << 20;

// The share of decode steps that aliases may cause, by the number of steps: go-yaml's guard
// against documents that unfold without end.
double allowed_alias_ratio(size_t steps) {
  constexpr double kLow = 400'000;
  constexpr double kHigh = 4'000'000;
  constexpr double kMostForSmall = 0.99;
  constexpr double kMostForLarge = 0.10;
  const auto count = static_cast<double>(steps);
  if (count <= kLow) {
    return kMostForSmall;
  }
  if (count >= kHigh) {
    return kMostForLarge;
  }
  return kMostForSmall - (kMostForSmall - kMostForLarge) * ((count - kLow) / (kHigh - kLow));
}

class Decoder {
 public:
  Decoder(const YamlDocument& document, Numbers numbers)
      : document_(document), numbers_(numbers), active_alias_(document.nodes.size(), false) {}

  Result<Value> decode() {
    ++steps_;  // The document itself counts.
    CW_TRY(Value root, node(0, 0));
    if (!bad_keys_.empty()) {
      CW_TRY_VOID(check_keys(root));
    }
    if (saw_non_finite_) {
      CW_TRY_VOID(check_finite(root));
    }
    return root;
  }

 private:
  // A key that JSON has no form for, in a dict that may still turn out to be unused.
  struct BadKey {
    Value dict;
    YamlNodeId key;
    YamlNodeId value;
  };

  Status count_step() {
    constexpr size_t kFewAliases = 100;
    constexpr size_t kFewSteps = 1000;
    ++steps_;
    alias_steps_ += alias_depth_ > 0 ? 1 : 0;
    if (alias_steps_ > kFewAliases && steps_ > kFewSteps &&
        static_cast<double>(alias_steps_) / static_cast<double>(steps_) >
            allowed_alias_ratio(steps_)) {
      return Error(ErrorCode::kBudget, "yaml: document contains excessive aliasing");
    }
    return {};
  }

  Status count_bytes(size_t bytes) {
    decoded_bytes_ += bytes;
    if (decoded_bytes_ > kMaxDecodedBytes) {
      return Error(ErrorCode::kBudget, "yaml: document unfolds to more than " +
                                           std::to_string(kMaxDecodedBytes) + " bytes");
    }
    return {};
  }

  Status check_depth(int depth) {
    if (depth > kMaxYamlDepth) {
      return Error(ErrorCode::kBudget,
                   "yaml: exceeded max depth of " + std::to_string(kMaxYamlDepth));
    }
    return {};
  }

  Result<Value> node(YamlNodeId id, int depth) {
    CW_TRY_VOID(count_step());
    const YamlNode& at = document_.at(id);
    switch (at.kind) {
      case YamlNodeKind::kScalar:
        return scalar(id);
      case YamlNodeKind::kAlias:
        return alias(id, [&](YamlNodeId target) { return node(target, depth); });
      case YamlNodeKind::kSequence:
        return sequence(at, depth + 1);
      case YamlNodeKind::kMapping:
        break;
    }
    Value dict = Value::dict();
    CW_TRY_VOID(fill(dict, at, depth + 1));
    return dict;
  }

  // Runs `decode` on what the alias stands for, unless that is being decoded already.
  template <typename Decode>
  auto alias(YamlNodeId id, Decode decode) -> decltype(decode(id)) {
    if (active_alias_[id]) {
      return Error(ErrorCode::kParse,
                   "yaml: anchor '" + document_.at(id).text + "' value contains itself");
    }
    active_alias_[id] = true;
    ++alias_depth_;
    auto result = decode(document_.at(id).children.front());
    --alias_depth_;
    active_alias_[id] = false;
    return result;
  }

  Result<Value> scalar(YamlNodeId id) {
    const YamlNode& at = document_.at(id);
    CW_TRY_VOID(count_bytes(at.text.size()));
    if (alias_depth_ > 0) {
      // What aliases repeat is decoded once and shared.
      if (const auto known = aliased_scalars_.find(id); known != aliased_scalars_.end()) {
        return known->second;
      }
    }
    CW_TRY(const Value value, yaml_scalar_value(at.written(), numbers_));
    saw_non_finite_ |= value.is_float() && !std::isfinite(value.as_float());
    if (alias_depth_ > 0) {
      aliased_scalars_.emplace(id, value);
    }
    return value;
  }

  Result<Value> sequence(const YamlNode& at, int depth) {
    CW_TRY_VOID(check_depth(depth));
    std::vector<Value> items;
    items.reserve(at.children.size());
    for (const YamlNodeId child : at.children) {
      CW_TRY(Value item, node(child, depth));
      items.push_back(std::move(item));
    }
    return Value::list(std::move(items));
  }

  // Sets the entries of a mapping in `dict`, in their order: later ones win, merged ones included.
  Status fill(const Value& dict, const YamlNode& at, int depth) {
    CW_TRY_VOID(check_depth(depth));
    for (size_t i = 0; i + 1 < at.children.size(); i += 2) {
      const YamlNodeId key = at.children[i];
      const YamlNodeId value = at.children[i + 1];
      if (is_merge(document_.at(key))) {
        CW_TRY_VOID(merge(dict, value, depth));
        continue;
      }
      CW_TRY(const std::optional<std::string> name, key_name(key, depth));
      CW_TRY(Value decoded, node(value, depth));
      if (name) {
        dict.mutable_dict().set(*name, std::move(decoded));
      } else {
        remember_bad_key(dict, key, value);
      }
    }
    return {};
  }

  static bool is_merge(const YamlNode& key) {
    return key.kind == YamlNodeKind::kScalar && key.text == "<<" &&
           (key.implicit || key.tag == kYamlMergeTag);
  }

  Status merge(const Value& dict, YamlNodeId source, int depth) {
    const YamlNode& at = document_.at(source);
    if (at.kind != YamlNodeKind::kSequence) {
      return merge_one(dict, source, depth);
    }
    // Earlier mappings take precedence, so they come last.
    for (size_t i = at.children.size(); i > 0; --i) {
      CW_TRY_VOID(merge_one(dict, at.children[i - 1], depth));
    }
    return {};
  }

  Status merge_one(const Value& dict, YamlNodeId source, int depth) {
    const YamlNode& at = document_.at(source);
    const bool is_alias = at.kind == YamlNodeKind::kAlias;
    const YamlNode& target = is_alias ? document_.at(at.children.front()) : at;
    if (target.kind != YamlNodeKind::kMapping) {
      return Error(ErrorCode::kParse,
                   "yaml: map merge requires map or sequence of maps as the value");
    }
    CW_TRY_VOID(count_step());
    if (!is_alias) {
      return fill(dict, target, depth + 1);
    }
    return alias(source, [&](YamlNodeId) -> Status {
      CW_TRY_VOID(count_step());
      return fill(dict, target, depth + 1);
    });
  }

  // The key's text; nullopt for a scalar that JSON keys have no form for.
  Result<std::optional<std::string>> key_name(YamlNodeId id, int depth) {
    const YamlNode& written = document_.at(id);
    const bool is_alias = written.kind == YamlNodeKind::kAlias;
    const YamlNode& at = is_alias ? document_.at(written.children.front()) : written;
    if (at.kind != YamlNodeKind::kScalar) {
      CW_TRY_VOID(node(id, depth));
      return Error(ErrorCode::kParse, "yaml: invalid map key: " + yaml_go_syntax(document_, id));
    }
    CW_TRY_VOID(count_step());
    if (is_alias) {
      ++alias_depth_;
      const Status counted = count_step();
      --alias_depth_;
      CW_TRY_VOID(counted);
    }
    CW_TRY_VOID(count_bytes(at.text.size()));
    return yaml_key_text(at.written());
  }

  void remember_bad_key(const Value& dict, YamlNodeId key, YamlNodeId value) {
    const auto [known, is_new] =
        bad_keys_.try_emplace(dict.shared_dict().get(), BadKey{dict, key, value});
    if (!is_new && same_bad_key(known->second.key, key)) {
      known->second.value = value;
    }
  }

  // Bad keys are null, or integers that only uint64 holds.
  bool same_bad_key(YamlNodeId a, YamlNodeId b) const {
    return yaml_go_syntax(document_, a) == yaml_go_syntax(document_, b);
  }

  // Fails on the first dict in use that has a key without a JSON form.
  Status check_keys(const Value& v) const {
    if (v.is_list()) {
      for (const Value& item : v.as_list().items) {
        CW_TRY_VOID(check_keys(item));
      }
    }
    if (!v.is_dict()) {
      return {};
    }
    if (const auto bad = bad_keys_.find(v.shared_dict().get()); bad != bad_keys_.end()) {
      return bad_key_error(bad->second);
    }
    for (const auto& entry : v.as_dict()) {
      CW_TRY_VOID(check_keys(entry.second));
    }
    return {};
  }

  Error bad_key_error(const BadKey& bad) const {
    const std::string key = yaml_go_syntax(document_, bad.key);
    const bool is_nil = key == "interface {}(nil)";
    const std::string value = yaml_go_syntax(document_, bad.value);
    return Error(ErrorCode::kParse,
                 std::string("unsupported map key of type: ") + (is_nil ? "%!s(<nil>)" : "uint64") +
                     ", key: " + (is_nil ? "<nil>" : key) +
                     ", value: " + (value == "interface {}(nil)" ? "<nil>" : value))
        .at({"", document_.at(bad.key).line, 0});
  }

  static Status check_finite(const Value& v) {
    if (v.is_float() && !std::isfinite(v.as_float())) {
      return Error(ErrorCode::kParse, "json: unsupported value: " + format_float_g(v.as_float()));
    }
    if (v.is_list()) {
      for (const Value& item : v.as_list().items) {
        CW_TRY_VOID(check_finite(item));
      }
    }
    if (v.is_dict()) {
      for (const auto& entry : v.as_dict()) {
        CW_TRY_VOID(check_finite(entry.second));
      }
    }
    return {};
  }

  const YamlDocument& document_;
  const Numbers numbers_;
  std::vector<bool> active_alias_;
  std::unordered_map<YamlNodeId, Value> aliased_scalars_;
  // By dict, each kept alive here so that no other dict can take its place in memory.
  std::unordered_map<const Dict*, BadKey> bad_keys_;
  size_t steps_ = 0;
  size_t alias_steps_ = 0;
  size_t decoded_bytes_ = 0;
  int alias_depth_ = 0;
  bool saw_non_finite_ = false;
};

}  // namespace

Result<Value> decode_yaml_document(const YamlDocument& document, Numbers numbers) {
  return document.empty() ? Value::nil() : Decoder(document, numbers).decode();
}

Result<Value> parse_yaml(std::string_view text, Numbers numbers) {
  constexpr std::string_view kContext = "error converting YAML to JSON";
  if (text.size() > kMaxTextBytes) {
    return Error(ErrorCode::kBudget,
                 "yaml: text is longer than " + std::to_string(kMaxTextBytes) + " bytes")
        .wrap(kContext);
  }
  Result<YamlDocument> document = read_yaml_document(text);
  if (!document.ok()) {
    return std::move(document).error().wrap(kContext);
  }
  Result<Value> value = decode_yaml_document(*document, numbers);
  if (!value.ok()) {
    return std::move(value).error().wrap(kContext);
  }
  return value;
}

}  // namespace chartwright::value
