// SPDX-License-Identifier: Apache-2.0
#include "helm/funcs/go_value.h"

#include <cstring>

#include "go/format.h"

namespace chartwright::helm::funcs {
namespace {

// Only a hostile template builds deeper values; recursion over them would overflow the stack.
constexpr int kWalkDepthMax = 10000;

std::string_view int_kind_name(value::IntType type) {
  switch (type) {
    case value::IntType::kInt64:
      return "int64";
    case value::IntType::kInt:
      return "int";
    case value::IntType::kInt32:
      return "int32";
    case value::IntType::kUint8:
      return "uint8";
    case value::IntType::kUint64:
      return "uint64";
  }
  return "int64";
}

enum class Texts : uint8_t { kShared, kCopied };

base::Status walk(CallContext& ctx, const Value& v, Texts texts, int depth) {
  if ((v.is_string() || v.is_bytes()) && texts == Texts::kCopied) {
    return ctx.budget.charge_alloc(v.as_string().size());
  }
  if (!v.is_dict() && !v.is_list()) {
    return {};
  }
  if (depth > kWalkDepthMax) {
    return base::Error(base::ErrorCode::kBudget, "value is nested too deeply, or contains itself");
  }
  if (v.is_dict()) {
    CW_TRY_VOID(ctx.budget.charge_steps(v.as_dict().size() + 1));
    for (const auto& [key, member] : v.as_dict()) {
      CW_TRY_VOID(walk(ctx, member, texts, depth + 1));
    }
    return {};
  }
  CW_TRY_VOID(ctx.budget.charge_steps(v.as_list().items.size() + 1));
  for (const Value& item : v.as_list().items) {
    CW_TRY_VOID(walk(ctx, item, texts, depth + 1));
  }
  return {};
}

}  // namespace

base::Error failure(std::string message) {
  return base::Error(base::ErrorCode::kTemplate, std::move(message));
}

base::Error nil_dereference() {
  return failure("runtime error: invalid memory address or nil pointer dereference");
}

const Value& beneath(const Value& v) {
  if (v.is_native() && v.as_native().underlying() != nullptr) {
    return *v.as_native().underlying();
  }
  return v;
}

std::string_view kind_name(const Value& v) {
  switch (v.kind()) {
    case value::Kind::kNil:
    case value::Kind::kNoValue:
      return "invalid";
    case value::Kind::kBool:
      return "bool";
    case value::Kind::kInt:
      return int_kind_name(v.int_type());
    case value::Kind::kFloat:
      return "float64";
    case value::Kind::kString:
      return "string";
    case value::Kind::kBytes:
    case value::Kind::kList:
      return "slice";
    case value::Kind::kDict:
      return "map";
    case value::Kind::kNative:
      return v.as_native().go_kind();
  }
  return "invalid";
}

bool is_empty(const Value& given) {
  const Value& v = beneath(given);
  switch (v.kind()) {
    case value::Kind::kNil:
    case value::Kind::kNoValue:
      return true;
    case value::Kind::kBool:
      return !v.as_bool();
    case value::Kind::kInt:
      return v.as_int() == 0;
    case value::Kind::kFloat:
      return v.as_float() == 0;
    case value::Kind::kString:
    case value::Kind::kBytes:
      return v.as_string().empty();
    case value::Kind::kList:
      return v.as_list().items.empty();
    case value::Kind::kDict:
      return v.as_dict().empty();
    case value::Kind::kNative:
      return !v.as_native().truth();  // True for a time.Duration of 0, never for a struct.
  }
  return false;
}

Result<std::string> to_text(CallContext& ctx, const Value& v) {
  if (v.is_string() || v.is_bytes()) {
    CW_TRY_VOID(ctx.budget.charge_alloc(v.as_string().size()));
    return v.as_string();
  }
  return go::format_value_within(ctx.budget, v);
}

Result<Slice> Slice::of(const Value& given, std::string_view complaint) {
  if (given.is_nothing()) {
    return nil_dereference();
  }
  const Value& v = beneath(given);
  Slice slice;
  if (v.is_list()) {
    slice.list_ = &v.as_list();
  } else if (v.is_bytes()) {
    for (char c : v.as_string()) {
      slice.owned_.push_back(Value::integer(static_cast<unsigned char>(c), value::IntType::kUint8));
    }
  } else {
    return failure(std::string(complaint) + std::string(kind_name(v)));
  }
  return slice;
}

Value any_list(Args items) { return Value::list(std::vector<Value>(items.begin(), items.end())); }

Value string_list(std::vector<std::string> items) {
  std::vector<Value> values;
  values.reserve(items.size());
  for (std::string& item : items) {
    values.push_back(Value::string(std::move(item)));
  }
  return Value::list(std::move(values), value::kStringList);
}

base::Status charge_items(CallContext& ctx, size_t count) {
  CW_TRY_VOID(ctx.budget.charge_steps(count));
  return ctx.budget.charge_alloc(count * sizeof(Value));
}

base::Status charge_walk(CallContext& ctx, const Value& v) {
  return walk(ctx, v, Texts::kShared, 0);
}

base::Status charge_texts(CallContext& ctx, const Value& v) {
  return walk(ctx, v, Texts::kCopied, 0);
}

size_t find_part(std::string_view text, std::string_view part, size_t from) {
  if (from > text.size()) {
    return std::string_view::npos;
  }
  const void* found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace chartwright::helm::funcs
