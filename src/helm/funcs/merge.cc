// SPDX-License-Identifier: Apache-2.0
#include "helm/funcs/merge.h"

#include <string>

#include "helm/funcs/go_value.h"
#include "tmpl/written_dicts.h"

namespace chartwright::helm::funcs {
namespace {

// Limits recursion, since a dict may contain itself.
constexpr int kMergeDepthMax = 10000;

class Merger {
 public:
  Merger(CallContext& ctx, MergeMode mode) : ctx_(ctx), mode_(mode) {}
  base::Status merge(const Value& destination, const Value& from, int depth);

 private:
  // The entry being merged, the type of the map that contains it, and the depth of that map.
  struct Source {
    const value::Dict::Entry& entry;
    value::DictType type;
    int depth;
  };
  base::Status merge_entry(const Value& destination, const Source& source);
  base::Status assign(const Value& destination, const Source& source);
  bool overwrites() const { return mode_ == MergeMode::kOverwrite; }

  CallContext& ctx_;
  MergeMode mode_;
};

// A map[string]string accepts only members of another map[string]string.
base::Status Merger::assign(const Value& destination, const Source& source) {
  if (destination.dict_type() == value::kStringDict && source.type != value::kStringDict) {
    return failure(
        "reflect.Value.SetMapIndex: value of type interface {} is not assignable to type string");
  }
  write_member(ctx_, destination, source.entry.first, source.entry.second);
  return {};
}

base::Status Merger::merge(const Value& destination, const Value& from, int depth) {
  const value::Dict& source = from.as_dict();
  if (&destination.as_dict() == &source) {
    return {};
  }
  if (depth > kMergeDepthMax) {
    return base::Error(base::ErrorCode::kBudget, "dict is nested too deeply, or contains itself");
  }
  // Copies each entry and looks for the next: the source may be part of the destination and change.
  for (auto at = source.begin(); at != source.end();) {
    CW_TRY_VOID(ctx_.budget.charge_step());
    CW_TRY_VOID(ctx_.budget.charge_alloc(sizeof(value::Dict::Entry)));
    const value::Dict::Entry entry = *at;
    CW_TRY_VOID(merge_entry(destination, {entry, from.dict_type(), depth}));
    at = source.after(entry.first);
  }
  return {};
}

base::Status Merger::merge_entry(const Value& destination, const Source& source) {
  const auto& [key, from] = source.entry;
  if (from.is_nothing()) {
    if (!overwrites()) {
      return {};
    }
    return assign(destination, source);
  }
  const Value* at = destination.find(key);
  const Value old = at != nullptr ? *at : Value::nil();
  if (from.is_dict() && old.is_dict() && !old.is_nil_dict()) {
    CW_TRY_VOID(merge(old, from, source.depth + 1));
    if (!old.as_dict().empty()) {
      return {};
    }
  }
  if (!overwrites() && !is_empty(old)) {
    return {};
  }
  return assign(destination, source);
}

}  // namespace

void write_member(CallContext& ctx, const Value& dict, std::string_view key, const Value& member) {
  ctx.written.note(dict, member);
  dict.mutable_dict().set(key, member);
}

base::Status merge_dicts(CallContext& ctx, const Value& destination, const Value& source,
                         MergeMode mode) {
  return Merger(ctx, mode).merge(destination, source, 0);
}

}  // namespace chartwright::helm::funcs
