// SPDX-License-Identifier: Apache-2.0
#include "apiserver/json_patch.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "value/compare.h"
#include "value/json_pointer.h"

namespace chartwright::apiserver {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

constexpr size_t kOperationsMax = 1000;
// As in the API server (AccumulatedCopySizeLimit): what a body can be.
constexpr size_t kCopiedBytesMax = size_t{3} << 20;

constexpr size_t kDepthMax = kBodyLimits.max_depth;

enum class Step : uint8_t { kAdd, kReplace, kRemove };

Error missing(const std::string& token) {
  return Error(ErrorCode::kNotFound, "there is no member \"" + token + "\"");
}

Error too_deep() {
  return Error(ErrorCode::kBudget,
               "the object nests deeper than " + std::to_string(kDepthMax) + " levels");
}

/// One change of a document.
struct Change {
  Step edit = Step::kAdd;
  Value value;
};

size_t size_of(const Value& container) {
  return container.is_list() ? container.as_list().items.size() : container.as_dict().size();
}

/// A document that a patch changes in place. None of its dicts is in another document, or in it
/// twice, so that a change costs what its last container costs, and no more.
class Document {
 public:
  Document(const Value& target, views::Work& work) : root_(value::deep_copy(target)), work_(work) {}

  const Value& root() const { return root_; }
  Value take() { return std::move(root_); }

  /// Changes the member at `tokens`. The new value must be of this document alone.
  base::Status change(std::span<const std::string> tokens, Change change) {
    CW_TRY_VOID(check_depth(change.value, tokens.size(), work_));
    if (tokens.empty() && change.edit == Step::kRemove) {
      return Error(ErrorCode::kParse, "the whole object cannot be removed");
    }
    return edit(root_, tokens, change);
  }

 private:
  /// Changes what is below `node`, which the caller puts back into its list if it is in one. As
  /// deep as `tokens` is long.
  base::Status edit(Value& node, std::span<const std::string> tokens, Change& change) {
    if (tokens.empty()) {
      node = std::move(change.value);
      return {};
    }
    if (node.is_dict()) {
      return edit_dict(node, tokens, change);
    }
    return node.is_list() ? edit_list(node, tokens, change) : missing(tokens.front());
  }

  base::Status edit_dict(Value& node, std::span<const std::string> tokens, Change& change) {
    const std::string& key = tokens.front();
    const bool is_last = tokens.size() == 1;
    value::Dict& members = node.mutable_dict();
    Value* const member = members.find(key);
    if (member == nullptr && !(is_last && change.edit == Step::kAdd)) {
      return missing(key);
    }
    if (!is_last) {
      return edit(*member, tokens.subspan(1), change);
    }
    if (change.edit == Step::kRemove) {
      members.erase(key);
    } else {
      members.set(key, std::move(change.value));
    }
    return {};
  }

  base::Status edit_list(Value& node, std::span<const std::string> tokens, Change& change) {
    const std::vector<Value>& items = node.as_list().items;
    const std::string& token = tokens.front();
    const bool is_last = tokens.size() == 1;
    const bool adds = is_last && change.edit == Step::kAdd;
    const auto index = token == "-" && adds ? static_cast<int64_t>(items.size())
                                            : base::parse_int(token).value_or(-1);
    if (index < 0 || index > static_cast<int64_t>(items.size()) - (adds ? 0 : 1)) {
      return missing(token);
    }
    Value item = adds ? Value() : items[static_cast<size_t>(index)];
    if (!is_last && !item.is_list()) {
      return edit(item, tokens.subspan(1), change);  // A dict changes where it is.
    }
    // Lists are immutable: one that changes is built anew.
    CW_TRY_VOID(work_.touch(items.size()));
    std::vector<Value> rest = items;
    const auto at = rest.begin() + index;
    if (adds) {
      rest.insert(at, std::move(change.value));
    } else if (is_last && change.edit == Step::kRemove) {
      rest.erase(at);
    } else {
      CW_TRY_VOID(edit(item, tokens.subspan(1), change));
      *at = std::move(item);
    }
    node = Value::list(std::move(rest));
    return {};
  }

  Value root_;
  views::Work& work_;
};

base::Result<std::vector<std::string>> tokens_of(std::string_view pointer) {
  std::vector<std::string> tokens;
  if (pointer.empty()) {
    return tokens;
  }
  if (pointer.front() != '/') {
    return Error(ErrorCode::kParse, "the path \"" + std::string(pointer) + "\" must begin with /");
  }
  for (const std::string_view part : base::split(pointer.substr(1), '/')) {
    auto token = value::unescape_pointer_token(part);
    if (!token) {
      return Error(ErrorCode::kParse, "the path \"" + std::string(pointer) + "\" is malformed");
    }
    tokens.push_back(*std::move(token));
  }
  return tokens;
}

/// Takes the texts and members of a value, which fits, off `left`. Returns false if
/// there are more.
bool take_size(const Value& value, size_t& left) {
  const size_t own = 1 + (value.is_string() ? value.as_string().size() : 0);
  if (own > left) {
    return false;
  }
  left -= own;
  if (value.is_list()) {
    return std::ranges::all_of(value.as_list().items,
                               [&](const Value& item) { return take_size(item, left); });
  }
  if (value.is_dict()) {
    return std::ranges::all_of(value.as_dict(), [&](const auto& member) {
      left -= std::min(left, member.first.size());
      return take_size(member.second, left);
    });
  }
  return true;
}

base::Status move(Document& document, const Value& operation) {
  const std::string_view from = operation.string_at({"from"});
  const std::string_view path = operation.string_at({"path"});
  CW_TRY(const std::vector<std::string> source, tokens_of(from));
  CW_TRY(const std::vector<std::string> destination, tokens_of(path));
  CW_TRY(const Value* found, value::at_pointer(document.root(), from));
  Value value = *found;
  if (path.starts_with(std::string(from) + "/")) {
    return Error(ErrorCode::kParse, "a member cannot be moved into itself");
  }
  CW_TRY_VOID(document.change(source, {Step::kRemove, {}}));
  return document.change(destination, {Step::kAdd, std::move(value)});
}

base::Status copy(Document& document, const Value& operation, size_t& copies_left,
                  views::Work& work) {
  CW_TRY(const std::vector<std::string> destination, tokens_of(operation.string_at({"path"})));
  CW_TRY(const Value* found, value::at_pointer(document.root(), operation.string_at({"from"})));
  CW_TRY_VOID(check_depth(*found, destination.size(), work));
  if (!take_size(*found, copies_left)) {
    return Error(ErrorCode::kBudget,
                 "the operations copy more than " + std::to_string(kCopiedBytesMax) + " bytes");
  }
  return document.change(destination, {Step::kAdd, value::deep_copy(*found)});
}

base::Status test(const Document& document, std::string_view path, const Value& wanted) {
  CW_TRY(const Value* found, value::at_pointer(document.root(), path));
  if (!value::json_equal(*found, wanted)) {
    return Error(ErrorCode::kConflict, "testing path " + std::string(path) + " value failed");
  }
  return {};
}

base::Status apply(Document& document, const Value& operation, size_t& copies_left,
                   views::Work& work) {
  const std::string_view op = operation.string_at({"op"});
  const std::string_view path = operation.string_at({"path"});
  const Value* value = operation.find("value");
  const Value* path_member = operation.find("path");
  if (path_member == nullptr || !path_member->is_string()) {
    return Error(ErrorCode::kParse, "an operation has no path");
  }
  if (op == "move") {
    return move(document, operation);
  }
  if (op == "copy") {
    return copy(document, operation, copies_left, work);
  }
  if (op != "add" && op != "remove" && op != "replace" && op != "test") {
    return Error(ErrorCode::kParse, "\"" + std::string(op) +
                                        "\" is not one of add, remove, replace, move, copy, test");
  }
  CW_TRY(const std::vector<std::string> tokens, tokens_of(path));
  if (op == "remove") {
    return document.change(tokens, {Step::kRemove, {}});
  }
  if (value == nullptr) {
    return Error(ErrorCode::kParse, "the operation " + std::string(op) + " has no value");
  }
  if (op == "test") {
    return test(document, path, *value);
  }
  return document.change(tokens,
                         {op == "add" ? Step::kAdd : Step::kReplace, value::deep_copy(*value)});
}

}  // namespace

// Keeps its own list of what is left to see.
base::Status check_depth(const Value& value, size_t levels, views::Work& work) {
  if (levels > kDepthMax) {
    return too_deep();
  }
  std::vector<std::pair<const Value*, size_t>> left = {{&value, levels}};
  while (!left.empty()) {
    const auto [next, depth] = left.back();
    left.pop_back();
    if (!next->is_list() && !next->is_dict()) {
      continue;
    }
    if (depth == kDepthMax) {
      return too_deep();
    }
    CW_TRY_VOID(work.touch(1 + size_of(*next)));
    if (next->is_list()) {
      for (const Value& item : next->as_list().items) {
        left.emplace_back(&item, depth + 1);
      }
    } else {
      for (const auto& [key, member] : next->as_dict()) {
        left.emplace_back(&member, depth + 1);
      }
    }
  }
  return {};
}

base::Result<Value> json_patched(const Value& target, const Value& patch, views::Work& work) {
  if (!patch.is_list()) {
    return Error(ErrorCode::kParse, "a JSON patch is a list of operations");
  }
  const std::vector<Value>& operations = patch.as_list().items;
  if (operations.size() > kOperationsMax) {
    return Error(ErrorCode::kBudget,
                 "a patch may have at most " + std::to_string(kOperationsMax) + " operations");
  }
  Document document(target, work);
  size_t copies_left = kCopiedBytesMax;
  for (const Value& operation : operations) {
    CW_TRY_VOID(work.check());
    CW_TRY_VOID(apply(document, operation, copies_left, work));
  }
  return document.take();
}

}  // namespace chartwright::apiserver
