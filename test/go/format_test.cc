// SPDX-License-Identifier: Apache-2.0
#include "go/format.h"
#include "go/format_float.h"
#include "go/type_name.h"
#include "test/value/named_types.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

// Tests the parts of fmt that templates cannot reach; test/cases/tmpl/printf.txt tests the rest.
namespace chartwright::go {
namespace {

using value::DictType;
using value::IntType;
using value::kIntList;
using value::kStringDict;
using value::kStringList;
using value::Value;

std::string printed(std::string_view format, std::vector<Value> operands) {
  return sprintf(format, operands);
}

}  // namespace

TEST_CASE("Bytes print as numbers, and as text under the verbs for text") {
  const Value bytes = Value::bytes("hi");
  CHECK(printed("%v %d %s %q %x %#v %T %o %c", std::vector<Value>(9, bytes)) ==
        "[104 105] [104 105] hi \"hi\" 6869 []byte{0x68, 0x69} []uint8 [150 151] [h i]");
  CHECK(printed("%v %#v %s", std::vector<Value>(3, Value::list({bytes}))) ==
        "[[104 105]] []interface {}{[]uint8{0x68, 0x69}} [hi]");
  CHECK(printed("%t", {bytes}) == "[%!t(uint8=104) %!t(uint8=105)]");
}

TEST_CASE("Lists and dicts know their types") {
  CHECK(printed("%T %#v", std::vector<Value>(2, Value::nil_list())) ==
        "[]interface {} []interface {}(nil)");
  CHECK(printed("%v %T", std::vector<Value>(2, Value::list({Value::string("a")}, kStringList))) ==
        "[a] []string");
  CHECK(go::type_name(Value::list({}, kIntList)) == "[]int");
  CHECK(printed("%T %v %#v", std::vector<Value>(3, Value::dict(value::kValuesDict))) ==
        "chartutil.Values map[] chartutil.Values{}");
  CHECK(go::type_name(Value::dict(kStringDict)) == "map[string]string");
  CHECK(go::type_name(Value::dict(value::kFilesDict)) == "engine.files");
}

TEST_CASE("Unsigned integers print their full range") {
  const Value top = Value::integer(-1, IntType::kUint64);
  CHECK(printed("%v %d %x %#v %T", std::vector<Value>(5, top)) ==
        "18446744073709551615 18446744073709551615 ffffffffffffffff 0xffffffffffffffff uint64");
  CHECK(printed("%T %d", std::vector<Value>(2, Value::integer(-5, IntType::kInt32))) == "int32 -5");
}

TEST_CASE("Infinities and NaN") {
  const Value inf = Value::number(std::numeric_limits<double>::infinity());
  const Value minus = Value::number(-std::numeric_limits<double>::infinity());
  const Value nan = Value::number(std::numeric_limits<double>::quiet_NaN());
  CHECK(printed("%v|%v|%v|%f|%e|%x", {inf, minus, nan, inf, nan, minus}) ==
        "+Inf|-Inf|NaN|+Inf|NaN|-Inf");
  CHECK(printed("%+v|%+f|% f|%08f|%-8f|", {nan, nan, nan, nan, inf}) ==
        "NaN|+NaN| NaN|     NaN|+Inf    |");
}

TEST_CASE("Nil and no value print alike") {
  CHECK(format_value(Value::nil()) == "<nil>");
  CHECK(format_value(Value::no_value()) == "<nil>");
  CHECK(format_value(Value::list({Value::nil(), Value::no_value()})) == "[<nil> <nil>]");
}

TEST_CASE("A long format of opening brackets is read once") {
  std::string format;
  for (int i = 0; i < 200'000; ++i) {
    format += "%[";
  }
  CHECK(printed(format, {}).size() == 200'000);
  CHECK(printed("%[%[", {}) == "%[");
  CHECK(printed("%[%[%[", {}) == "%[%!(NOVERB)");
}

TEST_CASE("A long number of digits is exact") {
  CHECK(format_float(0.1, 'f', 55) == "0.1000000000000000055511151231257827021181583404541015625");
  CHECK(format_float(1e23, 'f', -1) == "100000000000000000000000");
  CHECK(format_float(1e23, 'g', 23) == "99999999999999991611392");
  CHECK(format_float(5e-324, 'g', -1) == "5e-324");
  CHECK(format_float(1.7976931348623157e308, 'e', -1) == "1.7976931348623157e+308");
}

}  // namespace chartwright::go
