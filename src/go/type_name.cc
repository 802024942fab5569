// SPDX-License-Identifier: Apache-2.0
#include "go/type_name.h"

namespace chartwright::go {
namespace {

using value::IntType;
using value::Kind;
using value::Value;

std::string_view int_type_name(IntType type) {
  switch (type) {
    case IntType::kInt64:
      return "int64";
    case IntType::kInt:
      return "int";
    case IntType::kInt32:
      return "int32";
    case IntType::kUint8:
      return "uint8";
    case IntType::kUint64:
      return "uint64";
  }
  return "";
}

}  // namespace

std::string_view type_name_view(const Value& value) {
  switch (value.kind()) {
    case Kind::kNil:
    case Kind::kNoValue:
      return "<nil>";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return int_type_name(value.int_type());
    case Kind::kFloat:
      return "float64";
    case Kind::kString:
      return "string";
    case Kind::kBytes:
      return "[]uint8";
    case Kind::kList:
      return value.as_list().type->name;
    case Kind::kDict:
      return value.dict_type()->name;
    case Kind::kNative:
      return value.as_native().go_type();
  }
  return "";
}

std::string type_name(const Value& value) { return std::string(type_name_view(value)); }

std::string dynamic_type_name(const Value& value) {
  return value.is_nothing() ? "nil" : type_name(value);
}

}  // namespace chartwright::go
