// SPDX-License-Identifier: Apache-2.0
#include "value/packed.h"

#include <catch2/catch.hpp>

#include "base/thread.h"
#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::value {
namespace {

using testing::json;

std::string text(const Value& v) { return CW_MUST(to_json(v)); }

TEST_CASE("A packed value comes out as it went in") {
  for (const char* document :
       {"null", "true", "false", "0", "-1", "127", "128", "9223372036854775807",
        "-9223372036854775808", "0.5", "-1e300", R"("")", R"("a\"b\u0000ä")", "[]", "{}", "[[]]",
        R"({"a":{}})", R"([null,true,[1,[2,{"b":[],"c":null}]],"x"])",
        R"({"metadata":{"labels":{"a.b/c":"d"},"name":"n"},"status":{"replicas":3}})"}) {
    CAPTURE(document);
    const Value back = Packed(json(document)).unpack();
    CHECK(text(back) == text(json(document)));
    CHECK(back.kind() == json(document).kind());
  }
}

TEST_CASE("A whole number stays apart from the float of the same size") {
  CHECK(Packed(Value::integer(1)).unpack().is_int());
  CHECK(Packed(Value::number(1)).unpack().is_float());
  CHECK_FALSE(Packed(Value::integer(1)) == Packed(Value::number(1)));
  CHECK(Packed(json(R"({"b":1,"a":2})")) == Packed(json(R"({"a":2,"b":1})")));
}

TEST_CASE("Nil is the default, and an empty dict is not nil") {
  CHECK(Packed().is_nil());
  CHECK(Packed().unpack().is_nil());
  CHECK(Packed(Value()) == Packed());
  CHECK_FALSE(Packed(Value::dict()).is_nil());
}

TEST_CASE("Nothing is shared with the original") {
  Value original = json(R"({"a":{"b":1}})");
  const Packed packed(original);
  original.mutable_dict().set("a", Value::string("changed"));
  Value first = packed.unpack();
  first.find("a")->mutable_dict().set("b", Value::integer(2));
  CHECK(text(packed.unpack()) == R"({"a":{"b":1}})");
}

TEST_CASE("Bytes inside another value come back") {
  const Value holder = Value::dict({{"body", Packed(json("[1,2]")).to_bytes()}});
  CHECK(text(Packed::unpack_bytes(*holder.find("body"))) == "[1,2]");
}

TEST_CASE("Depth does not use the stack") {
  constexpr int kDepth = 9000;
  const std::string document = std::string(kDepth, '[') + std::string(kDepth, ']');
  base::Thread("small", base::kDefaultStackBytes / 4, [&document] {
    CHECK_FALSE(Packed(json(document)).is_nil());
    CHECK(Packed(json(document)).unpack().is_list());
  }).join();
}

}  // namespace
}  // namespace chartwright::value
