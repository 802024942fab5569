// SPDX-License-Identifier: Apache-2.0
#include "helm/schema/assertions.h"

#include <algorithm>

#include "base/strings.h"
#include "base/unicode.h"
#include "helm/schema/error.h"

namespace chartwright::helm {
namespace {

using value::Value;
using Faults = std::vector<std::string>;

bool has_type(const SchemaNode& node, const Value& v) {
  const JsonType type = json_type_of(v);
  return (node.types & type) != 0 ||
         ((node.types & kIntegerType) != 0 && type == kNumberType && is_json_integer(v));
}

std::string wanted_types(const SchemaNode& node) {
  std::vector<std::string> wanted;
  for (int bit = kNullType; bit <= kObjectType; bit *= 2) {
    if ((node.types & bit) != 0) {
      wanted.emplace_back(json_type_name(static_cast<JsonType>(bit)));
    }
  }
  return base::join(wanted, " or ");
}

std::string enumeration_text(const std::vector<Value>& enumeration) {
  std::vector<std::string> allowed;
  for (const Value& v : enumeration) {
    if (v.is_list() || v.is_dict()) {
      return "'enum' failed";
    }
    allowed.push_back(fault_value(v));
  }
  return (allowed.size() == 1 ? "value must be " : "value must be one of ") +
         base::join(allowed, ", ");
}

std::vector<std::string> missing_names(const std::vector<std::string>& names, const Value& v) {
  std::vector<std::string> absent;
  for (const std::string& name : names) {
    if (v.find(name) == nullptr) {
      absent.push_back(name);
    }
  }
  return absent;
}

void object_faults(const SchemaNode& node, const Value& v, Faults& into) {
  const auto size = static_cast<int64_t>(v.as_dict().size());
  if (node.min_properties && size < *node.min_properties) {
    into.push_back(limit_fault("minProperties", size, *node.min_properties));
  }
  if (node.max_properties && size > *node.max_properties) {
    into.push_back(limit_fault("maxProperties", size, *node.max_properties));
  }
  if (const auto absent = missing_names(node.required, v); !absent.empty()) {
    into.push_back((absent.size() == 1 ? "missing property " : "missing properties ") +
                   quoted_names(absent));
  }
}

void array_faults(const SchemaNode& node, const Value& v, Faults& into) {
  const auto size = static_cast<int64_t>(v.as_list().items.size());
  if (node.min_items && size < *node.min_items) {
    into.push_back(limit_fault("minItems", size, *node.min_items));
  }
  if (node.max_items && size > *node.max_items) {
    into.push_back(limit_fault("maxItems", size, *node.max_items));
  }
}

void string_faults(const SchemaNode& node, const std::string& text, Faults& into) {
  if (node.min_length || node.max_length) {
    const auto length = static_cast<int64_t>(base::rune_count(text));
    if (node.min_length && length < *node.min_length) {
      into.push_back(limit_fault("minLength", length, *node.min_length));
    }
    if (node.max_length && length > *node.max_length) {
      into.push_back(limit_fault("maxLength", length, *node.max_length));
    }
  }
  if (node.pattern != nullptr && !node.pattern->matches(text)) {
    into.push_back(single_quoted(text) + " does not match pattern " +
                   single_quoted(node.pattern->pattern()));
  }
}

void number_faults(const SchemaNode& node, const Value& v, Faults& into) {
  if (node.minimum && compare_json_numbers(v, *node.minimum) < 0) {
    into.push_back(limit_fault("minimum", v, *node.minimum));
  }
  if (node.maximum && compare_json_numbers(v, *node.maximum) > 0) {
    into.push_back(limit_fault("maximum", v, *node.maximum));
  }
  if (node.exclusive_minimum && compare_json_numbers(v, *node.exclusive_minimum) <= 0) {
    into.push_back(limit_fault("exclusiveMinimum", v, *node.exclusive_minimum));
  }
  if (node.exclusive_maximum && compare_json_numbers(v, *node.exclusive_maximum) >= 0) {
    into.push_back(limit_fault("exclusiveMaximum", v, *node.exclusive_maximum));
  }
  if (node.multiple_of && !is_multiple_of(v, *node.multiple_of)) {
    into.push_back(limit_fault("multipleOf", v, *node.multiple_of));
  }
}

}  // namespace

std::optional<std::string> value_fault(const SchemaNode& node, const Value& v, int64_t& steps) {
  const auto equals_v = [&](const Value& other) { return json_order(v, other, steps) == 0; };
  if (node.types != 0 && !has_type(node, v)) {
    return "got " + std::string(json_type_name(json_type_of(v))) + ", want " + wanted_types(node);
  }
  if (node.constant && !equals_v(*node.constant) && !is_loosely_constant(node, v, steps)) {
    const bool scalar = !node.constant->is_list() && !node.constant->is_dict();
    return scalar ? "value must be " + fault_value(*node.constant) : "'const' failed";
  }
  if (node.enumeration &&
      std::none_of(node.enumeration->begin(), node.enumeration->end(), equals_v) &&
      !is_loosely_enumerated(node, v, steps)) {
    return enumeration_text(*node.enumeration);
  }
  if (!node.format.empty()) {
    if (const auto why = format_fault(node.format, v, node.release)) {
      return fault_value(v) + " is not valid " + node.format + ": " + *why;
    }
  }
  return std::nullopt;
}

std::vector<std::string> limit_faults(const SchemaNode& node, const Value& v) {
  Faults faults;
  switch (json_type_of(v)) {
    case kObjectType:
      object_faults(node, v, faults);
      break;
    case kArrayType:
      array_faults(node, v, faults);
      break;
    case kStringType:
      string_faults(node, v.as_string(), faults);
      break;
    case kNumberType:
      number_faults(node, v, faults);
      break;
    default:
      break;
  }
  return faults;
}

std::optional<std::string> missing_beside(const std::string& name,
                                          const std::vector<std::string>& names, const Value& v) {
  const auto absent = missing_names(names, v);
  return absent.empty() ? std::nullopt
                        : std::optional("properties " + quoted_names(absent) + " required, if " +
                                        single_quoted(name) + " exists");
}

}  // namespace chartwright::helm
