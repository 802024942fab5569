// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "go/type_name.h"
#include "helm/funcs/families.h"
#include "helm/funcs/go_value.h"
#include "helm/funcs/merge.h"

// Source: Masterminds/sprig v3.3.0 dict.go. Dicts are shared references, like Go's maps.
namespace chartwright::helm::funcs {
namespace {

Result<Value> dict(CallContext& ctx, AnyRest pairs) {
  std::vector<value::Dict::Entry> entries;
  entries.reserve((pairs.size() + 1) / 2);
  for (size_t i = 0; i < pairs.size(); i += 2) {
    CW_TRY(std::string key, to_text(ctx, pairs[i]));
    entries.emplace_back(std::move(key), i + 1 < pairs.size() ? pairs[i + 1] : Value::string(""));
  }
  return Value::dict(std::make_shared<value::Dict>(std::move(entries)));
}

Value get(DictArg dict, std::string_view key) {
  const Value* member = dict.find(key);
  return member != nullptr ? *member : Value::string("");
}

Result<Value> set(CallContext& ctx, DictArg dict, std::string_view key, const Value& member) {
  if (dict.get() == nullptr) {
    return failure("assignment to entry in nil map");
  }
  CW_TRY_VOID(ctx.budget.charge_alloc(sizeof(value::Dict::Entry) + key.size()));
  write_member(ctx, dict.value, key, member);
  return dict.value;
}

Value unset(DictArg dict, std::string_view key) {
  if (dict.get() != nullptr) {
    dict.value.mutable_dict().erase(key);
  }
  return dict.value;
}

bool has_key(DictArg dict, std::string_view key) { return dict.find(key) != nullptr; }

Value pluck(std::string_view key, Rest<DictArg> dicts) {
  std::vector<Value> found;
  for (size_t i = 0; i < dicts.size(); ++i) {
    if (const Value* member = dicts[i].find(key)) {
      found.push_back(*member);
    }
  }
  return Value::list(std::move(found));
}

Result<Value> keys(CallContext& ctx, Rest<DictArg> dicts) {
  std::vector<std::string> names;
  for (size_t i = 0; i < dicts.size(); ++i) {
    if (const value::Dict* dict = dicts[i].get()) {
      CW_TRY_VOID(charge_items(ctx, dict->size()));
      for (const auto& entry : *dict) {
        names.push_back(entry.first);
      }
    }
  }
  return string_list(std::move(names));
}

Result<Value> values(CallContext& ctx, DictArg dict) {
  std::vector<Value> members;
  if (dict.get() != nullptr) {
    CW_TRY_VOID(charge_items(ctx, dict.get()->size()));
    for (const auto& entry : *dict.get()) {
      members.push_back(entry.second);
    }
  }
  return Value::list(std::move(members));
}

Value pick(DictArg dict, Rest<std::string_view> names) {
  std::vector<value::Dict::Entry> entries;
  for (size_t i = 0; i < names.size(); ++i) {
    if (const Value* member = dict.find(names[i])) {
      entries.emplace_back(names[i], *member);
    }
  }
  return Value::dict(std::make_shared<value::Dict>(std::move(entries)));
}

Result<Value> omit(CallContext& ctx, DictArg dict, Rest<std::string_view> names) {
  Value out = Value::dict();
  if (dict.get() == nullptr) {
    return out;
  }
  std::vector<std::string_view> omitted;
  for (size_t i = 0; i < names.size(); ++i) {
    omitted.push_back(names[i]);
  }
  std::sort(omitted.begin(), omitted.end());
  CW_TRY_VOID(charge_items(ctx, dict.get()->size()));
  for (const auto& [key, member] : *dict.get()) {
    if (!std::binary_search(omitted.begin(), omitted.end(), std::string_view(key))) {
      out.mutable_dict().set(key, member);
    }
  }
  return out;
}

Result<Value> merge_all(CallContext& ctx, DictArg destination, Rest<DictArg> sources,
                        MergeMode mode) {
  Value out = destination.value;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].get() != nullptr) {
      // mergo creates a map if the destination is a nil map and the source is not.
      out = out.is_nil_dict() ? Value::dict() : out;
      CW_TRY_VOID(merge_dicts(ctx, out, sources[i].value, mode));
    }
  }
  return out;
}

Result<Value> merge(CallContext& ctx, DictArg destination, Rest<DictArg> sources) {
  return merge_all(ctx, destination, sources, MergeMode::kFill);
}

Result<Value> merge_overwrite(CallContext& ctx, DictArg destination, Rest<DictArg> sources) {
  return merge_all(ctx, destination, sources, MergeMode::kOverwrite);
}

Result<Value> deep_copy(CallContext& ctx, const Value& v) {
  if (v.is_nothing()) {
    return failure("reflect: call of reflect.Value.Type on zero Value");
  }
  CW_TRY_VOID(charge_walk(ctx, v));
  return value::deep_copy(v);
}

base::Error wrong_dynamic_type(const Value& v, std::string_view wanted) {
  const std::string actual = v.is_nothing() ? "nil" : go::type_name(v);
  return failure("interface conversion: interface {} is " + actual + ", not " +
                 std::string(wanted));
}

// Accepts only map[string]interface{}: .Values itself has a named type and is rejected.
base::Status want_plain_dict(const Value& v) {
  if (v.is_dict() && v.dict_type() == value::kAnyDict) {
    return {};
  }
  return wrong_dynamic_type(v, "map[string]interface {}");
}

// Implements dig KEY... DEFAULT DICT.
Result<Value> dig(AnyRest arguments) {
  const size_t count = arguments.size();
  if (count < 3) {
    return failure("dig needs at least three arguments");
  }
  Value at = arguments[count - 1];
  CW_TRY_VOID(want_plain_dict(at));
  for (size_t i = 0; i + 2 < count; ++i) {
    if (!arguments[i].is_string()) {
      return wrong_dynamic_type(arguments[i], "string");
    }
  }
  for (size_t i = 0; i + 2 < count; ++i) {
    CW_TRY_VOID(want_plain_dict(at));
    const Value* member = at.find(arguments[i].as_string());
    if (member == nullptr) {
      return arguments[count - 2];
    }
    at = Value(*member);
  }
  return at;
}

}  // namespace

void add_dicts(Table& table) {
  constexpr std::string_view kSorted = "sorted by key; Go's order is random";
  table.add("dict", dict);
  table.add("get", get);
  table.add("set", set);
  table.add("unset", unset);
  table.add("hasKey", has_key);
  table.add("pluck", pluck);
  table.add("keys", keys).deviates(kSorted);
  table.add("values", values).deviates(kSorted);
  table.add("pick", pick);
  table.add("omit", omit);
  table.add("merge", merge).alias("mustMerge");
  table.add("mergeOverwrite", merge_overwrite).alias("mustMergeOverwrite");
  table.add("deepCopy", deep_copy).alias("mustDeepCopy");
  table.add("dig", dig);
}

}  // namespace chartwright::helm::funcs
