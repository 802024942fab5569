// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/funcs/bind.h"
#include "value/value.h"

// What Sprig learns of its arguments through Go's reflect and fmt packages.
namespace chartwright::helm::funcs {

/// The error of a function that fails with this message; the executor adds name and position.
base::Error failure(std::string message);
/// What a method call on a nil interface panics with.
base::Error nil_dereference();

/// True for a nil interface. A field that is not there arrives as one.
inline bool is_nothing(const Value& v) { return v.is_nil() || v.is_no_value(); }

/// The value that Go sees beneath a named map or slice type: the dict or list itself, else `v`.
const Value& beneath(const Value& v);

/// reflect.Kind's name: "invalid" for nil, "map", "slice", "float64", "struct", ... .
std::string_view kind_name(const Value& v);

/// Whether Sprig counts it as not set: nil, false, 0, "", empty list or map; a struct never is.
/// Source: Masterminds/sprig defaults.go empty.
bool is_empty(const Value& v);

/// A value as text: strings and bytes as they are, String() where there is one, else %v. Charges
/// the budget for the text; error: kBudget. Source: Masterminds/sprig strings.go strval.
Result<std::string> to_text(CallContext& ctx, const Value& v);

/// Elements of a slice value of any Go type ([]interface{}, []string, []byte, ...), without copying
/// where the list is stored as one. Holds a reference to the value given.
class Slice {
 public:
  /// Error: "<complaint><kind>" when `v` is no slice, a nil dereference when it is nil.
  static Result<Slice> of(const Value& v, std::string_view complaint);
  Args items() const { return list_ != nullptr ? Args(list_->items) : Args(owned_); }
  value::ListType type() const { return list_ != nullptr ? list_->type : value::ListType::kAny; }

 private:
  const value::List* list_ = nullptr;
  std::vector<Value> owned_;
};

/// A new []interface{}.
Value any_list(Args items);
Value string_list(std::vector<std::string> items);

/// Charges the budget for `count` values that a function is about to put into lists.
base::Status charge_items(CallContext& ctx, size_t count);
/// Charges the budget for walking all of `v`, and fails where nesting passes what recursion can
/// bear: a dict may contain itself.
base::Status charge_walk(CallContext& ctx, const Value& v);
/// The same, and charges for a copy of every text in `v`: one long text may be in many places.
base::Status charge_texts(CallContext& ctx, const Value& v);
/// Decoding a byte of JSON takes as long as looking at so many.
inline constexpr size_t kJsonDecodeWork = 4;

/// Where `part` is first found in `text` from `from` on; npos when it is not. Takes time linear in
/// the text whatever the part, which std::string_view::find does not.
size_t find_part(std::string_view text, std::string_view part, size_t from = 0);

}  // namespace chartwright::helm::funcs
