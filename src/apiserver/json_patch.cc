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

enum class Step : uint8_t { kAdd, kReplace, kRemove };

Value copy_of(const value::Dict& dict) { return Value::dict(std::make_shared<value::Dict>(dict)); }

Error missing(const std::string& token) {
  return Error(ErrorCode::kNotFound, "there is no member \"" + token + "\"");
}

/// One change of a document.
struct Change {
  Step edit = Step::kAdd;
  Value value;
};

base::Result<Value> edited(const Value& node, std::span<const std::string> tokens,
                           const Change& change);

base::Result<Value> edited_dict(const Value& node, std::span<const std::string> tokens,
                                const Change& change) {
  const std::string& key = tokens.front();
  const Value* member = node.find(key);
  const bool is_last = tokens.size() == 1;
  if (member == nullptr && !(is_last && change.edit == Step::kAdd)) {
    return missing(key);
  }
  Value copy = copy_of(node.as_dict());
  if (is_last && change.edit == Step::kRemove) {
    copy.mutable_dict().erase(key);
    return copy;
  }
  CW_TRY(Value changed,
         is_last ? base::Result<Value>(change.value) : edited(*member, tokens.subspan(1), change));
  copy.mutable_dict().set(key, std::move(changed));
  return copy;
}

base::Result<Value> edited_list(const Value& node, std::span<const std::string> tokens,
                                const Change& change) {
  std::vector<Value> items = node.as_list().items;
  const std::string& token = tokens.front();
  const bool is_last = tokens.size() == 1;
  const bool adds = is_last && change.edit == Step::kAdd;
  const auto index = token == "-" && adds ? static_cast<int64_t>(items.size())
                                          : base::parse_int(token).value_or(-1);
  if (index < 0 || index > static_cast<int64_t>(items.size()) - (adds ? 0 : 1)) {
    return missing(token);
  }
  const auto at = items.begin() + index;
  if (adds) {
    items.insert(at, change.value);
  } else if (is_last && change.edit == Step::kRemove) {
    items.erase(at);
  } else {
    CW_TRY(*at,
           is_last ? base::Result<Value>(change.value) : edited(*at, tokens.subspan(1), change));
  }
  return Value::list(std::move(items));
}

base::Result<Value> edited(const Value& node, std::span<const std::string> tokens,
                           const Change& change) {
  if (tokens.empty()) {
    if (change.edit == Step::kRemove) {
      return Error(ErrorCode::kParse, "the whole object cannot be removed");
    }
    return change.value;
  }
  if (node.is_dict()) {
    return edited_dict(node, tokens, change);
  }
  if (node.is_list()) {
    return edited_list(node, tokens, change);
  }
  return missing(tokens.front());
}

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

base::Result<Value> changed_at(const Value& target, std::string_view pointer,
                               const Change& change) {
  CW_TRY(const std::vector<std::string> tokens, tokens_of(pointer));
  return edited(target, tokens, change);
}

/// Takes the texts and members of a value off `left`. Returns false if there are more. Stops then:
/// a value that was copied into itself is a short tree in memory, and a huge one to walk through.
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

base::Result<Value> moved(const Value& target, const Value& operation, size_t& copies_left) {
  const std::string_view from = operation.string_at({"from"});
  const std::string_view path = operation.string_at({"path"});
  CW_TRY(const Value* found, value::at_pointer(target, from));
  const Value value = *found;
  if (operation.string_at({"op"}) == "copy") {
    if (!take_size(value, copies_left)) {
      return Error(ErrorCode::kBudget,
                   "the operations copy more than " + std::to_string(kCopiedBytesMax) + " bytes");
    }
    return changed_at(target, path, {Step::kAdd, value});
  }
  if (path.starts_with(std::string(from) + "/")) {
    return Error(ErrorCode::kParse, "a member cannot be moved into itself");
  }
  CW_TRY(const Value without, changed_at(target, from, {Step::kRemove, {}}));
  return changed_at(without, path, {Step::kAdd, value});
}

base::Result<Value> tested(const Value& target, std::string_view path, const Value& wanted) {
  CW_TRY(const Value* found, value::at_pointer(target, path));
  if (!value::json_equal(*found, wanted)) {
    return Error(ErrorCode::kConflict, "testing path " + std::string(path) + " value failed");
  }
  return target;
}

base::Result<Value> applied(const Value& target, const Value& operation, size_t& copies_left) {
  const std::string_view op = operation.string_at({"op"});
  const std::string_view path = operation.string_at({"path"});
  const Value* value = operation.find("value");
  const Value* path_member = operation.find("path");
  if (path_member == nullptr || !path_member->is_string()) {
    return Error(ErrorCode::kParse, "an operation has no path");
  }
  if (op == "remove") {
    return changed_at(target, path, {Step::kRemove, {}});
  }
  if (op == "move" || op == "copy") {
    return moved(target, operation, copies_left);
  }
  if (op != "add" && op != "replace" && op != "test") {
    return Error(ErrorCode::kParse, "\"" + std::string(op) +
                                        "\" is not one of add, remove, replace, move, copy, test");
  }
  if (value == nullptr) {
    return Error(ErrorCode::kParse, "the operation " + std::string(op) + " has no value");
  }
  if (op == "test") {
    return tested(target, path, *value);
  }
  return changed_at(target, path, {op == "add" ? Step::kAdd : Step::kReplace, *value});
}

}  // namespace

base::Result<Value> json_patched(const Value& target, const Value& patch) {
  if (!patch.is_list()) {
    return Error(ErrorCode::kParse, "a JSON patch is a list of operations");
  }
  const std::vector<Value>& operations = patch.as_list().items;
  if (operations.size() > kOperationsMax) {
    return Error(ErrorCode::kParse,
                 "a patch may have at most " + std::to_string(kOperationsMax) + " operations");
  }
  Value result = target;
  size_t copies_left = kCopiedBytesMax;
  for (const Value& operation : operations) {
    CW_TRY(result, applied(result, operation, copies_left));
  }
  return result;
}

}  // namespace chartwright::apiserver
