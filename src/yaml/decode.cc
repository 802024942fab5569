// SPDX-License-Identifier: Apache-2.0
#include "yaml/decode.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "yaml/float_text.h"
#include "yaml/go_syntax.h"
#include "yaml/scalar_value.h"
#include "yaml/yaml.h"

namespace chartwright::yaml {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

constexpr size_t kMaxInputBytes = size_t{64} << 20;
// The most text that aliases may expand a document to.
constexpr size_t kMaxDecodedBytes = size_t{256} << 20;

// Returns the share of decode steps that aliases may cause, which depends on the number of steps:
// go-yaml's guard against documents that expand without end.
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

// A key that JSON cannot represent, and its value.
struct BadKey {
  NodeId key;
  NodeId value;
};

// The purpose of a decoded collection.
enum class Use : uint8_t {
  kValue,  // An item or a member of the collection around it.
  kMerge,  // Its entries have gone to the mapping that merges it.
  kKey,    // An error: only scalars can be keys.
};

// A collection being decoded.
struct OpenCollection {
  NodeId node = 0;
  std::optional<NodeId> alias;  // The alias through which the collection was reached.
  Use use = Use::kValue;
  size_t next_child = 0;
  std::vector<value::Value> items;          // For a sequence.
  std::vector<value::Dict::Entry> entries;  // For a mapping, in the order of setting.
  size_t owner = 0;                // The frame that gets the entries: another one for kMerge.
  std::vector<NodeId> merges;      // Mappings still to be merged, the next one last.
  std::optional<std::string> key;  // Of the member being decoded; none for a bad key.
  std::optional<BadKey> bad_key;
};

// Decodes with its own stack, because the text decides how deep it gets.
class Decoder {
 public:
  Decoder(const Document& document, value::Numbers numbers)
      : document_(document), numbers_(numbers), active_alias_(document.nodes.size(), false) {}

  Result<value::Value> decode() {
    ++steps_;  // The document itself counts.
    CW_TRY_VOID(enter(0, Use::kValue));
    while (!frames_.empty()) {
      const bool done =
          frames_.back().next_child == children().size() && frames_.back().merges.empty();
      CW_TRY_VOID(done ? leave() : step());
    }
    CW_TRY_VOID(check(result_));
    return std::move(result_);
  }

 private:
  std::span<const NodeId> children() const {
    return document_.children_of(document_.at(frames_.back().node));
  }

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

  // Starts a node: a scalar is delivered at once, a collection becomes the current frame.
  Status enter(NodeId id, Use use) {
    CW_TRY_VOID(count_step());
    std::optional<NodeId> alias;
    if (document_.at(id).kind == NodeKind::kAlias) {
      alias = id;
      CW_TRY_VOID(open_alias(id));
      id = document_.children_of(document_.at(id)).front();
      CW_TRY_VOID(count_step());
    }
    if (document_.at(id).kind == NodeKind::kScalar) {
      CW_TRY(value::Value value, scalar(id));
      close_alias(alias);
      deliver(std::move(value));
      return {};
    }
    if (frames_.size() == kDepthMax) {
      return Error(ErrorCode::kBudget, "yaml: exceeded max depth of " + std::to_string(kDepthMax));
    }
    const size_t owner = use == Use::kMerge ? frames_.back().owner : frames_.size();
    OpenCollection& frame = frames_.emplace_back();
    frame.node = id;
    frame.alias = alias;
    frame.use = use;
    frame.owner = owner;
    const Node& node = document_.at(id);
    if (node.kind == NodeKind::kSequence) {
      frame.items.reserve(node.child_count);
    } else if (use != Use::kMerge) {
      frame.entries.reserve(node.child_count / 2);
    }
    return {};
  }

  Status open_alias(NodeId id) {
    if (active_alias_[id]) {
      return Error(ErrorCode::kParse, "yaml: anchor '" + std::string(document_.at(id).text) +
                                          "' value contains itself");
    }
    active_alias_[id] = true;
    ++alias_depth_;
    return {};
  }

  void close_alias(std::optional<NodeId> id) {
    if (id) {
      active_alias_[*id] = false;
      --alias_depth_;
    }
  }

  Result<value::Value> scalar(NodeId id) {
    const Node& at = document_.at(id);
    CW_TRY_VOID(count_bytes(at.text.size()));
    if (alias_depth_ > 0) {
      // Scalars that aliases repeat are decoded once and shared.
      if (const auto known = aliased_scalars_.find(id); known != aliased_scalars_.end()) {
        return known->second;
      }
    }
    CW_TRY(const value::Value value, yaml_scalar_value(at.written(), numbers_));
    saw_non_finite_ |= value.is_float() && !std::isfinite(value.as_float());
    if (alias_depth_ > 0) {
      aliased_scalars_.emplace(id, value);
    }
    return value;
  }

  // Hands a value to the collection that waits for it.
  void deliver(value::Value value) {
    if (frames_.empty()) {
      result_ = std::move(value);
      return;
    }
    OpenCollection& frame = frames_.back();
    if (document_.at(frame.node).kind == NodeKind::kSequence) {
      frame.items.push_back(std::move(value));
    } else if (frame.key) {
      frames_[frame.owner].entries.emplace_back(std::move(*frame.key), std::move(value));
    }
  }

  // Continues with the current collection.
  Status step() {
    OpenCollection& frame = frames_.back();
    if (document_.at(frame.node).kind == NodeKind::kSequence) {
      return enter(children()[frame.next_child++], Use::kValue);
    }
    if (!frame.merges.empty()) {
      const NodeId source = frame.merges.back();
      frame.merges.pop_back();
      return merge(source);
    }
    const NodeId key = children()[frame.next_child];
    const NodeId value = children()[frame.next_child + 1];
    frame.next_child += 2;
    if (is_merge(document_.at(key))) {
      // The earlier ones of several mappings take precedence, so they are merged last.
      const Node& source = document_.at(value);
      const auto sources =
          source.kind == NodeKind::kSequence ? document_.children_of(source) : std::span(&value, 1);
      frame.merges.assign(sources.begin(), sources.end());
      return {};
    }
    if (document_.target(key).kind != NodeKind::kScalar) {
      return enter(key, Use::kKey);
    }
    CW_TRY(frame.key, key_name(key));
    if (!frame.key) {
      remember_bad_key(frames_[frame.owner], {key, value});
    }
    return enter(value, Use::kValue);
  }

  static bool is_merge(const Node& key) {
    return key.kind == NodeKind::kScalar && key.text == "<<" &&
           (key.implicit || key.tag == kMergeTag);
  }

  Status merge(NodeId source) {
    if (document_.target(source).kind != NodeKind::kMapping) {
      return Error(ErrorCode::kParse,
                   "yaml: map merge requires map or sequence of maps as the value");
    }
    return enter(source, Use::kMerge);
  }

  // Returns the text of a scalar key, or nullopt if JSON keys cannot represent it.
  Result<std::optional<std::string>> key_name(NodeId id) {
    CW_TRY_VOID(count_step());
    if (document_.at(id).kind == NodeKind::kAlias) {
      ++alias_depth_;
      const Status counted = count_step();
      --alias_depth_;
      CW_TRY_VOID(counted);
    }
    const Node& at = document_.target(id);
    CW_TRY_VOID(count_bytes(at.text.size()));
    return yaml_key_text(at.written());
  }

  // Bad keys are null, and integers that fit uint64 only. The first one is reported, with
  // its final value.
  void remember_bad_key(OpenCollection& frame, BadKey bad) const {
    if (!frame.bad_key || same_key(frame.bad_key->key, bad.key)) {
      frame.bad_key = bad;
    }
  }

  bool same_key(NodeId a, NodeId b) const {
    return yaml_go_syntax(document_, a) == yaml_go_syntax(document_, b);
  }

  // Ends the current collection.
  Status leave() {
    OpenCollection frame = std::move(frames_.back());
    frames_.pop_back();
    close_alias(frame.alias);
    switch (frame.use) {
      case Use::kMerge:
        return {};
      case Use::kKey:
        return Error(ErrorCode::kParse,
                     "yaml: invalid map key: " + yaml_go_syntax(document_, frame.node));
      case Use::kValue:
        break;
    }
    if (document_.at(frame.node).kind == NodeKind::kSequence) {
      deliver(value::Value::list(std::move(frame.items)));
      return {};
    }
    value::Value dict = value::Value::dict(std::make_shared<value::Dict>(std::move(frame.entries)));
    if (frame.bad_key) {
      bad_keys_.emplace(dict.shared_dict(), *frame.bad_key);
    }
    deliver(std::move(dict));
    return {};
  }

  // Looks for anything that JSON cannot represent, in the order in which Go finds it. Overridden
  // values do not count.
  Status check(const value::Value& root) const {
    if (!bad_keys_.empty()) {
      CW_TRY_VOID(walk(root, [&](const value::Value& v) { return check_keys(v); }));
    }
    if (saw_non_finite_) {
      CW_TRY_VOID(walk(root, check_finite));
    }
    return {};
  }

  // Visits every value, members in the order of their keys.
  template <typename Visit>
  static Status walk(const value::Value& root, Visit visit) {
    std::vector<const value::Value*> left = {&root};
    while (!left.empty()) {
      const value::Value& v = *left.back();
      left.pop_back();
      CW_TRY_VOID(visit(v));
      const auto first = static_cast<std::ptrdiff_t>(left.size());
      if (v.is_list()) {
        for (const value::Value& item : v.as_list().items) {
          left.push_back(&item);
        }
      } else if (v.is_dict()) {
        for (const value::Dict::Entry& entry : v.as_dict()) {
          left.push_back(&entry.second);
        }
      }
      std::reverse(left.begin() + first, left.end());
    }
    return {};
  }

  Status check_keys(const value::Value& v) const {
    if (!v.is_dict()) {
      return {};
    }
    const auto bad = bad_keys_.find(v.shared_dict());
    if (bad == bad_keys_.end()) {
      return {};
    }
    return bad_key_error(bad->second);
  }

  static Status check_finite(const value::Value& v) {
    if (v.is_float() && !std::isfinite(v.as_float())) {
      return Error(ErrorCode::kParse, "json: unsupported value: " + format_float_g(v.as_float()));
    }
    return {};
  }

  Error bad_key_error(const BadKey& bad) const {
    constexpr std::string_view kNil = "interface {}(nil)";
    const std::string key = yaml_go_syntax(document_, bad.key);
    const std::string value = yaml_go_syntax(document_, bad.value);
    return Error(ErrorCode::kParse, std::string("unsupported map key of type: ") +
                                        (key == kNil ? "%!s(<nil>)" : "uint64") +
                                        ", key: " + (key == kNil ? "<nil>" : key) +
                                        ", value: " + (value == kNil ? "<nil>" : value))
        .at({"", document_.at(bad.key).line, 0});
  }

  const Document& document_;
  const value::Numbers numbers_;
  std::vector<OpenCollection> frames_;
  value::Value result_;
  std::vector<bool> active_alias_;
  std::unordered_map<NodeId, value::Value> aliased_scalars_;
  // The bad key of a dict. Each dict is kept alive so that no other one can reuse its address.
  std::unordered_map<std::shared_ptr<value::Dict>, BadKey> bad_keys_;
  size_t steps_ = 0;
  size_t alias_steps_ = 0;
  size_t decoded_bytes_ = 0;
  int alias_depth_ = 0;
  bool saw_non_finite_ = false;
};

}  // namespace

Result<value::Value> decode_yaml_document(const Document& document, value::Numbers numbers) {
  return document.empty() ? value::Value::nil() : Decoder(document, numbers).decode();
}

Result<value::Value> parse_yaml(std::string_view text, value::Numbers numbers) {
  constexpr std::string_view kContext = "error converting YAML to JSON";
  if (text.size() > kMaxInputBytes) {
    return Error(ErrorCode::kBudget,
                 "yaml: text is longer than " + std::to_string(kMaxInputBytes) + " bytes")
        .wrap(kContext);
  }
  Result<Document> document = read_yaml_document(text);
  if (!document.ok()) {
    return std::move(document).error().wrap(kContext);
  }
  Result<value::Value> value = decode_yaml_document(*document, numbers);
  if (!value.ok()) {
    return std::move(value).error().wrap(kContext);
  }
  return value;
}

}  // namespace chartwright::yaml
