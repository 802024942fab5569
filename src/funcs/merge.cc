// SPDX-License-Identifier: Apache-2.0
#include "funcs/merge.h"

#include <string>

#include "funcs/go_value.h"

namespace chartwright::funcs {
namespace {

// A dict may contain itself.
constexpr int kMergeDepthMax = 10000;

class Merger {
 public:
  Merger(CallContext& ctx, MergeMode mode) : ctx_(ctx), mode_(mode) {}
  base::Status merge(value::Dict& destination, const value::Dict& source, int depth);

 private:
  // What is being merged: the entry comes from a map of this type, so many dicts down.
  struct Source {
    const value::Dict::Entry& entry;
    value::DictType type;
    int depth;
  };
  base::Status merge_entry(value::Dict& destination, const Source& source);
  bool overwrites() const { return mode_ == MergeMode::kOverwrite; }

  CallContext& ctx_;
  MergeMode mode_;
};

// A Go map of texts takes members of another map of texts only.
base::Status assign(value::Dict& destination, const value::Dict::Entry& entry,
                    value::DictType source_type) {
  if (destination.type() == value::DictType::kString && source_type != value::DictType::kString) {
    return failure(
        "reflect.Value.SetMapIndex: value of type interface {} is not assignable to type string");
  }
  destination.set(entry.first, entry.second);
  return {};
}

base::Status Merger::merge(value::Dict& destination, const value::Dict& source, int depth) {
  if (&destination == &source) {
    return {};
  }
  if (depth > kMergeDepthMax) {
    return base::Error(base::ErrorCode::kBudget, "dict is nested too deeply, or contains itself");
  }
  // By index and copy: below, the source may turn out to be part of the destination.
  for (size_t i = 0; i < source.size(); ++i) {
    CW_TRY_VOID(ctx_.budget.charge_step());
    CW_TRY_VOID(ctx_.budget.charge_alloc(sizeof(value::Dict::Entry)));
    const value::Dict::Entry entry = source.begin()[static_cast<std::ptrdiff_t>(i)];
    CW_TRY_VOID(merge_entry(destination, {entry, source.type(), depth}));
  }
  return {};
}

base::Status Merger::merge_entry(value::Dict& destination, const Source& source) {
  const auto& [key, from] = source.entry;
  if (is_nothing(from)) {
    return overwrites() ? assign(destination, source.entry, source.type) : base::Status();
  }
  const Value* at = destination.find(key);
  const Value old = at != nullptr ? *at : Value::nil();
  if (from.is_dict() && old.is_dict()) {
    CW_TRY_VOID(merge(old.mutable_dict(), from.as_dict(), source.depth + 1));
    if (!old.as_dict().empty()) {
      return {};
    }
  }
  const bool writes = overwrites() || is_empty(old);
  return writes ? assign(destination, source.entry, source.type) : base::Status();
}

}  // namespace

base::Status merge_dicts(CallContext& ctx, value::Dict& destination, const value::Dict& source,
                         MergeMode mode) {
  return Merger(ctx, mode).merge(destination, source, 0);
}

}  // namespace chartwright::funcs
