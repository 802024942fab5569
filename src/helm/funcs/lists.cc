// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "helm/funcs/cast.h"
#include "helm/funcs/families.h"
#include "helm/funcs/go_value.h"
#include "value/compare.h"

// Source: Masterminds/sprig v3.3.0 list.go. The must... functions return the error with which the
// others panic; a template cannot distinguish the two.
namespace chartwright::helm::funcs {
namespace {

Value list(AnyRest values) { return any_list(values.values()); }

Result<Value> push(CallContext& ctx, const Value& list, const Value& item) {
  CW_TRY(const Slice slice, Slice::of(list, "Cannot push on type "));
  CW_TRY_VOID(charge_items(ctx, slice.items().size() + 1));
  std::vector<Value> items;
  items.reserve(slice.items().size() + 1);
  items.assign(slice.items().begin(), slice.items().end());
  items.push_back(item);
  return Value::list(std::move(items));
}

Result<Value> prepend(CallContext& ctx, const Value& list, const Value& item) {
  CW_TRY(const Slice slice, Slice::of(list, "Cannot prepend on type "));
  CW_TRY_VOID(charge_items(ctx, slice.items().size() + 1));
  std::vector<Value> items;
  items.reserve(slice.items().size() + 1);
  items.push_back(item);
  items.insert(items.end(), slice.items().begin(), slice.items().end());
  return Value::list(std::move(items));
}

Result<Value> first(const Value& list) {
  CW_TRY(const Slice slice, Slice::of(list, "Cannot find first on type "));
  return slice.items().empty() ? Value::nil() : slice.items().front();
}

Result<Value> last(const Value& list) {
  CW_TRY(const Slice slice, Slice::of(list, "Cannot find last on type "));
  return slice.items().empty() ? Value::nil() : slice.items().back();
}

Result<Value> rest(CallContext& ctx, const Value& list) {
  CW_TRY(const Slice slice, Slice::of(list, "Cannot find rest on type "));
  CW_TRY_VOID(charge_items(ctx, slice.items().size()));
  return slice.items().empty() ? Value::nil_list() : any_list(slice.items().subspan(1));
}

Result<Value> initial(CallContext& ctx, const Value& list) {
  CW_TRY(const Slice slice, Slice::of(list, "Cannot find initial on type "));
  CW_TRY_VOID(charge_items(ctx, slice.items().size()));
  if (slice.items().empty()) {
    return Value::nil_list();
  }
  return any_list(slice.items().first(slice.items().size() - 1));
}

Result<Value> reverse(CallContext& ctx, const Value& list) {
  CW_TRY(const Slice slice, Slice::of(list, "Cannot find reverse on type "));
  CW_TRY_VOID(charge_items(ctx, slice.items().size()));
  return Value::list(std::vector<Value>(slice.items().rbegin(), slice.items().rend()));
}

Result<Value> compact(CallContext& ctx, const Value& list) {
  CW_TRY(const Slice slice, Slice::of(list, "Cannot compact on type "));
  CW_TRY_VOID(charge_items(ctx, slice.items().size()));
  std::vector<Value> kept;
  std::copy_if(slice.items().begin(), slice.items().end(), std::back_inserter(kept),
               [](const Value& v) { return !is_empty(v); });
  return Value::list(std::move(kept));
}

// Charges for each comparison, including the traversal of the values.
Result<bool> holds(CallContext& ctx, Args haystack, const Value& needle) {
  CW_TRY_VOID(charge_walk(ctx, needle));
  for (const Value& candidate : haystack) {
    CW_TRY_VOID(ctx.budget.charge_step());
    if (candidate.is_dict() || candidate.is_list()) {
      CW_TRY_VOID(charge_walk(ctx, candidate));
    }
    if (value::deep_equal(needle, candidate)) {
      return true;
    }
  }
  return false;
}

Result<Value> uniq(CallContext& ctx, const Value& list) {
  CW_TRY(const Slice slice, Slice::of(list, "Cannot find uniq on type "));
  CW_TRY_VOID(charge_items(ctx, slice.items().size()));
  std::vector<Value> seen;
  for (const Value& item : slice.items()) {
    CW_TRY(const bool found, holds(ctx, seen, item));
    if (!found) {
      seen.push_back(item);
    }
  }
  return Value::list(std::move(seen));
}

Result<Value> without(CallContext& ctx, const Value& list, AnyRest omitted) {
  CW_TRY(const Slice slice, Slice::of(list, "Cannot find without on type "));
  CW_TRY_VOID(charge_items(ctx, slice.items().size()));
  std::vector<Value> kept;
  for (const Value& item : slice.items()) {
    CW_TRY(const bool found, holds(ctx, omitted.values(), item));
    if (!found) {
      kept.push_back(item);
    }
  }
  return Value::list(std::move(kept));
}

Result<bool> has(CallContext& ctx, const Value& needle, const Value& haystack) {
  if (haystack.is_nothing()) {
    return false;
  }
  CW_TRY(const Slice slice, Slice::of(haystack, "Cannot find has on type "));
  return holds(ctx, slice.items(), needle);
}

// Implements slice LIST [START [END]].
Result<Value> slice_list(CallContext& ctx, const Value& list, AnyRest indexes) {
  CW_TRY(const Slice slice, Slice::of(list, "list should be type of slice or array but "));
  const auto size = static_cast<int64_t>(slice.items().size());
  if (size == 0) {
    return Value::nil();
  }
  const int64_t start = indexes.empty() ? 0 : to_int64(indexes[0]);
  const int64_t end = indexes.size() < 2 ? size : to_int64(indexes[1]);
  if (start < 0 || end < start || end > size) {
    return failure("reflect.Value.Slice: slice index out of bounds");
  }
  CW_TRY_VOID(charge_items(ctx, static_cast<size_t>(end - start)));
  if (list.is_bytes()) {
    return Value::bytes(
        list.as_string().substr(static_cast<size_t>(start), static_cast<size_t>(end - start)));
  }
  const Args part =
      slice.items().subspan(static_cast<size_t>(start), static_cast<size_t>(end - start));
  return Value::list(std::vector<Value>(part.begin(), part.end()), slice.type());
}

Result<Value> concat(CallContext& ctx, AnyRest lists) {
  std::vector<Value> items;
  for (const Value& list : lists.values()) {
    if (!list.is_nothing() && kind_name(list) != "slice") {
      return failure("Cannot concat type " + std::string(kind_name(list)) + " as list");
    }
    CW_TRY(const Slice slice, Slice::of(list, ""));
    CW_TRY_VOID(charge_items(ctx, slice.items().size()));
    items.insert(items.end(), slice.items().begin(), slice.items().end());
  }
  return items.empty() ? Value::nil_list() : Value::list(std::move(items));
}

base::Error bad_length() { return failure("runtime error: makeslice: len out of range"); }

// Sprig computes the number of chunks in floating point, which shows with unusual sizes.
Result<Value> chunk(CallContext& ctx, int64_t size, const Value& list) {
  CW_TRY(const Slice slice, Slice::of(list, "Cannot chunk type "));
  const auto length = static_cast<double>(slice.items().size());
  const auto width = static_cast<double>(size);
  const int64_t count = truncate_to_int(std::floor((length - 1) / width) + 1);
  if (count < 0) {
    return bad_length();
  }
  CW_TRY_VOID(charge_items(ctx, slice.items().size() + static_cast<size_t>(count)));
  std::vector<Value> chunks;
  for (int64_t i = 0; i < count; ++i) {
    int64_t taken = size;
    if (i == count - 1) {
      const int64_t remainder = truncate_to_int(std::floor(std::fmod(length, width)));
      taken = remainder == 0 ? size : remainder;
    }
    if (taken < 0) {
      return bad_length();
    }
    chunks.push_back(
        any_list(slice.items().subspan(static_cast<size_t>(i * size), static_cast<size_t>(taken))));
  }
  return Value::list(std::move(chunks), value::kListList);
}

}  // namespace

void add_lists(Table& table) {
  table.add("list", list).alias("tuple");
  table.add("append", push).alias("push").alias("mustAppend").alias("mustPush");
  table.add("prepend", prepend).alias("mustPrepend");
  table.add("first", first).alias("mustFirst");
  table.add("last", last).alias("mustLast");
  table.add("rest", rest).alias("mustRest");
  table.add("initial", initial).alias("mustInitial");
  table.add("reverse", reverse).alias("mustReverse");
  table.add("compact", compact).alias("mustCompact");
  table.add("uniq", uniq).alias("mustUniq");
  table.add("without", without).alias("mustWithout");
  table.add("has", has).alias("mustHas");
  table.add("slice", slice_list)
      .alias("mustSlice")
      .deviates(
          "an end past the length fails; Go allows it up to the hidden "
          "capacity of a list made by append");
  table.add("concat", concat);
  table.add("chunk", chunk).alias("mustChunk");
}

}  // namespace chartwright::helm::funcs
