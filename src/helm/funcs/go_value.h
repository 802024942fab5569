// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/funcs/bind.h"
#include "value/value.h"

// Functions that inspect arguments as Sprig does with Go's reflect and fmt packages.
namespace chartwright::helm::funcs {

/// Returns the error of a function that fails with this message; the executor adds name and
/// position.
base::Error failure(std::string message);
/// Returns the error of a method call on a nil interface.
base::Error nil_dereference();

/// Returns the dict or list inside a value of a named map or slice type, and any other value
/// unchanged.
const Value& beneath(const Value& v);

/// Returns the name of the reflect.Kind: "invalid" for nil, "map", "slice", "float64", "struct",
/// ... .
std::string_view kind_name(const Value& v);

/// Reports whether Sprig considers a value unset: nil, false, 0, "", an empty list or map. A struct
/// is never empty. Source: Masterminds/sprig defaults.go empty.
bool is_empty(const Value& given);

/// Converts a value to a string: strings and bytes unchanged, others with String() if they have it,
/// else with %v. Charges the budget for the result; error: kBudget. Source: Masterminds/sprig
/// strings.go strval.
Result<std::string> to_text(CallContext& ctx, const Value& v);

/// The elements of a slice of any Go type ([]interface{}, []string, []byte, ...); not copied if the
/// value is stored as a list. Refers to the value it was made from.
class Slice {
 public:
  /// Error: "<complaint><kind>" if `given` is not a slice, a nil dereference if it is nil.
  static Result<Slice> of(const Value& given, std::string_view complaint);
  Args items() const { return list_ != nullptr ? Args(list_->items) : Args(owned_); }
  value::ListType type() const { return list_ != nullptr ? list_->type : value::kAnyList; }

 private:
  const value::List* list_ = nullptr;
  std::vector<Value> owned_;
};

/// Returns a new []interface{}.
Value any_list(Args items);
Value string_list(std::vector<std::string> items);

/// Charges the budget for `count` values that a function is about to put into lists.
base::Status charge_items(CallContext& ctx, size_t count);
/// Charges the budget for traversing all of `v`. Fails if `v` is nested too deeply for recursion,
/// since a dict may contain itself.
base::Status charge_walk(CallContext& ctx, const Value& v);
/// Like charge_walk, and charges for a copy of every string in `v`: one long string may be shared
/// by many members.
base::Status charge_texts(CallContext& ctx, const Value& v);
/// Cost of decoding one byte of JSON, in bytes for base::Budget::charge_work.
inline constexpr size_t kJsonDecodeWork = 4;

/// Returns the position of the first `part` in `text` at or after `from`, or npos. Unlike
/// std::string_view::find, takes time linear in the text for every `part`.
size_t find_part(std::string_view text, std::string_view part, size_t from = 0);

}  // namespace chartwright::helm::funcs
