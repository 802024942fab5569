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
  base::Status merge_entry(value::Dict& destination, const value::Dict::Entry& entry, int depth);
  bool overwrites() const { return mode_ == MergeMode::kOverwrite; }

  CallContext& ctx_;
  MergeMode mode_;
};

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
    CW_TRY_VOID(merge_entry(destination, entry, depth));
  }
  return {};
}

base::Status Merger::merge_entry(value::Dict& destination, const value::Dict::Entry& entry,
                                 int depth) {
  const auto& [key, from] = entry;
  if (is_nothing(from)) {
    if (overwrites()) {
      destination.set(key, from);
    }
    return {};
  }
  const Value* at = destination.find(key);
  const Value old = at != nullptr ? *at : Value::nil();
  if (from.is_dict() && old.is_dict()) {
    CW_TRY_VOID(merge(old.mutable_dict(), from.as_dict(), depth + 1));
    if (!old.as_dict().empty()) {
      return {};
    }
  }
  if (overwrites() || is_empty(old)) {
    destination.set(key, from);
  }
  return {};
}

}  // namespace

base::Status merge_dicts(CallContext& ctx, value::Dict& destination, const value::Dict& source,
                         MergeMode mode) {
  return Merger(ctx, mode).merge(destination, source, 0);
}

}  // namespace chartwright::funcs
