// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "helm/funcs/families.h"
#include "helm/funcs/go_value.h"
#include "value/json.h"

// Source: Masterminds/sprig v3.3.0 defaults.go. Helm replaces fromJson with its own.
namespace chartwright::helm::funcs {
namespace {

using Encoder = Result<std::string> (*)(const Value&);

Result<std::string> compact_json(const Value& v) { return value::to_json(v); }
Result<std::string> pretty_json(const Value& v) { return value::to_json_pretty(v); }
Result<std::string> raw_json(const Value& v) { return value::to_json(v, value::JsonEscape::kNone); }

Result<std::string> encode(CallContext& ctx, const Value& v, Encoder encoder) {
  CW_TRY_VOID(charge_texts(ctx, v));
  CW_TRY(std::string text, encoder(v));
  CW_TRY_VOID(ctx.budget.charge_alloc(text.size()));
  return text;
}

// Functions whose name does not start with must return "" for a value that JSON cannot represent.
Result<std::string> or_nothing(Result<std::string> encoded) {
  if (!encoded.ok() && encoded.error().code() != base::ErrorCode::kBudget) {
    return std::string();
  }
  return encoded;
}

Result<std::string> to_json(CallContext& ctx, const Value& v) {
  return or_nothing(encode(ctx, v, compact_json));
}
Result<std::string> to_pretty_json(CallContext& ctx, const Value& v) {
  return or_nothing(encode(ctx, v, pretty_json));
}
Result<std::string> must_to_json(CallContext& ctx, const Value& v) {
  return encode(ctx, v, compact_json);
}
Result<std::string> must_to_pretty_json(CallContext& ctx, const Value& v) {
  return encode(ctx, v, pretty_json);
}
Result<std::string> to_raw_json(CallContext& ctx, const Value& v) {
  return encode(ctx, v, raw_json);
}

Result<Value> must_from_json(CallContext& ctx, std::string_view text) {
  CW_TRY_VOID(ctx.budget.charge_work(kJsonDecodeWork * text.size()));
  return value::parse_json(text, value::Numbers::kFloat64);
}

Result<Value> from_json(CallContext& ctx, std::string_view text) {
  Result<Value> parsed = must_from_json(ctx, text);
  if (!parsed.ok() && parsed.error().code() != base::ErrorCode::kBudget) {
    return Value::nil();
  }
  return parsed;
}

}  // namespace

void add_json(Table& table) {
  table.add("toJson", to_json);
  table.add("mustToJson", must_to_json);
  table.add("toPrettyJson", to_pretty_json);
  table.add("mustToPrettyJson", must_to_pretty_json);
  table.add("toRawJson", to_raw_json).alias("mustToRawJson");
  table.add("fromJson", from_json);
  table.add("mustFromJson", must_from_json);
}

}  // namespace chartwright::helm::funcs
