// SPDX-License-Identifier: Apache-2.0
#include "value/value.h"

#include <catch2/catch.hpp>

#include "base/thread.h"
#include "test/value/named_types.h"

namespace chartwright::value {
namespace {

std::string keys_of(const Dict& dict) {
  std::string out;
  for (const auto& [key, member] : dict) {
    out += key + " ";
  }
  return out;
}

TEST_CASE("A value knows its kind and content") {
  CHECK(Value().is_nil());
  CHECK(Value::no_value().is_no_value());
  CHECK_FALSE(Value::no_value().is_nil());
  CHECK(Value::boolean(true).as_bool());
  CHECK(Value::integer(-3).as_int() == -3);
  CHECK(Value::integer(3).int_type() == IntType::kInt64);
  CHECK(Value::integer(3, IntType::kInt).int_type() == IntType::kInt);
  CHECK(Value::number(1.5).as_float() == 1.5);
  CHECK(Value::string("text").as_string() == "text");
  CHECK(Value::bytes("text").is_bytes());
  CHECK_FALSE(Value::bytes("text").is_string());
  CHECK(Value::bytes("text").as_string() == "text");
  CHECK(Value::list({Value::integer(1)}).as_list().items.size() == 1);
  CHECK_FALSE(Value::list().as_list().is_nil);
  CHECK(Value::nil_list(kStringList).as_list().is_nil);
  CHECK(Value::dict(kValuesDict).dict_type() == kValuesDict);
}

TEST_CASE("A value is small") { CHECK(sizeof(Value) <= 32); }

TEST_CASE("A list of strings has them in order") {
  CHECK(list_of({}).as_list().items.empty());
  const Value list = list_of({"b", "a"});
  REQUIRE(list.as_list().items.size() == 2);
  CHECK(list.as_list().items[0].as_string() == "b");
  CHECK(list.as_list().items[1].as_string() == "a");
}

TEST_CASE("A moved-from value is nil") {
  Value from = Value::list({Value::integer(1)});
  const Value to = std::move(from);
  CHECK(from.is_nil());  // NOLINT(bugprone-use-after-move): the state left behind is the claim.
  CHECK(to.is_list());
}

TEST_CASE("A value can be assigned to itself and to its own member") {
  Value v = Value::list({Value::string("inner")});
  const Value& same = v;
  v = same;
  CHECK(v.as_list().items.size() == 1);
  v = v.as_list().items[0];
  CHECK(v.as_string() == "inner");
}

TEST_CASE("A dict is seen through every value that refers to it") {
  const Value a = Value::dict();
  const Value b = a;
  const Value holder = Value::list({b});
  a.mutable_dict().set("k", Value::integer(1));
  CHECK(b.find("k")->as_int() == 1);
  CHECK(holder.as_list().items[0].find("k")->as_int() == 1);
  CHECK(a.shared_dict() == b.shared_dict());
}

TEST_CASE("A deep copy shares no dict with its origin") {
  const Value inner = Value::dict({{"k", Value::integer(1)}});
  const Value origin = Value::dict({{"inner", inner}, {"list", Value::list({inner})}});
  const Value copy = deep_copy(origin);
  inner.mutable_dict().set("k", Value::integer(2));
  origin.mutable_dict().set("new", Value());
  CHECK(copy.find_path({"inner", "k"})->as_int() == 1);
  CHECK(copy.find("list")->as_list().items[0].find("k")->as_int() == 1);
  CHECK(copy.find("new") == nullptr);
}

TEST_CASE("A deep copy keeps Go types") {
  const Value origin = Value::dict(kValuesDict);
  origin.mutable_dict().set("nil", Value::nil_list(kStringList));
  origin.mutable_dict().set("list", Value::list({Value::dict()}, kIntList));
  const Value copy = deep_copy(origin);
  CHECK(copy.dict_type() == kValuesDict);
  CHECK(copy.find("nil")->as_list().is_nil);
  CHECK(copy.find("nil")->as_list().type == kStringList);
  CHECK(copy.find("list")->as_list().type == kIntList);
}

TEST_CASE("A list without dicts is shared by a deep copy") {
  const Value origin = Value::list({Value::list({Value::integer(1)})});
  CHECK(&deep_copy(origin).as_list() == &origin.as_list());
}

TEST_CASE("A deep copy of a dict that contains itself ends") {
  const Value origin = Value::dict({{"k", Value::integer(1)}});
  origin.mutable_dict().set("self", Value::list({origin}));
  const Value copy = deep_copy(origin);
  origin.mutable_dict().erase("self");
  Value at = copy;
  for (int i = 0; i < 3000; ++i) {
    at = Value(at.find("self")->as_list().items[0]);
    REQUIRE(at.find("k")->as_int() == 1);
    REQUIRE(&at.as_dict() != &origin.as_dict());
  }
  // Breaks the copy's cycle, which would leak otherwise.
  at.mutable_dict().erase("self");
}

TEST_CASE("A deep copy needs no more stack for a deeper value") {
  constexpr int kDepth = 6000;
  Value deep = Value::dict({{"k", Value::integer(1)}});
  for (int i = 0; i < kDepth; ++i) {
    deep = i % 2 == 0 ? Value::list({std::move(deep)}) : Value::dict({{"d", std::move(deep)}});
  }
  Value copy;
  base::Thread("copy", size_t{256} << 10, [&] { copy = deep_copy(deep); }).join();
  const Value* at = &copy;
  for (int i = 0; i < kDepth; ++i) {
    at = at->is_list() ? &at->as_list().items[0] : at->find("d");
  }
  CHECK(at->find("k")->as_int() == 1);
}

TEST_CASE("A dict is walked in bytewise key order") {
  Dict dict;
  for (const char* key : {"b", "a", "\xc3\xa9", "Z", "", "a0", "10", "9"}) {
    dict.set(key, Value());
  }
  CHECK(keys_of(dict) == " 10 9 Z a a0 b \xc3\xa9 ");
}

TEST_CASE("Members are set, found, replaced and erased") {
  Dict dict;
  dict.set("k", Value::integer(1));
  dict.set("k", Value::integer(2));
  CHECK(dict.size() == 1);
  CHECK(dict.find("k")->as_int() == 2);
  CHECK(dict.at_or_insert("new").is_nil());
  CHECK(dict.contains("new"));
  CHECK(dict.erase("k"));
  CHECK_FALSE(dict.erase("k"));
  CHECK(dict.find("k") == nullptr);
}

TEST_CASE("A dict made of many entries keeps the last of equal keys") {
  std::vector<Dict::Entry> entries;
  for (int i = 0; i < 1000; ++i) {
    entries.emplace_back(std::to_string((i * 7919) % 100), Value::integer(i));
  }
  const Dict dict(std::move(entries));
  CHECK(dict.size() == 100);
  std::string_view before;
  for (const auto& [key, member] : dict) {
    CHECK((before.empty() || before < key));
    CHECK(member.as_int() >= 900);
    before = key;
  }
  CHECK(Dict(std::vector<Dict::Entry>{}).empty());
}

TEST_CASE("Lookups through anything but dicts find nothing") {
  const Value v =
      Value::dict({{"a", Value::dict({{"b", Value::string("x")}})}, {"n", Value::integer(1)}});
  CHECK(v.find_path({"a", "b"})->as_string() == "x");
  CHECK(v.find_path({}) == &v);
  CHECK(v.find_path({"a", "c"}) == nullptr);
  CHECK(v.find_path({"n", "b"}) == nullptr);
  CHECK(v.string_at({"a", "b"}) == "x");
  CHECK(v.string_at({"n"}).empty());
  CHECK_FALSE(v.bool_at({"n"}));
  CHECK_FALSE(v.bool_at({"a", "c"}));
  CHECK(v.items_at({"n"}).empty());
  CHECK(v.items_at({"a", "c"}).empty());
  CHECK(Value().find("a") == nullptr);
}

TEST_CASE("A flag or list is found where its path leads") {
  const Value v = Value::dict({{"yes", Value::boolean(true)},
                               {"no", Value::boolean(false)},
                               {"in", Value::dict({{"list", Value::list({Value::nil()})}})}});
  CHECK(v.bool_at({"yes"}));
  CHECK_FALSE(v.bool_at({"no"}));
  CHECK(v.items_at({"in", "list"}).size() == 1);
}

TEST_CASE("Documents of any depth are destroyed on a small stack") {
  // Room for the levels that are destroyed by recursion, also under AddressSanitizer.
  base::Thread thread("small", size_t{256} << 10, [] {
    Value lists;
    Value dicts;
    for (int i = 0; i < 200'000; ++i) {
      lists = Value::list({std::move(lists)});
      dicts = Value::dict({{"k", std::move(dicts)}, {"list", lists}});
      if (i % 1000 == 0) {
        dicts = Value();
      }
    }
  });
  thread.join();
  SUCCEED("did not overflow");
}

class ChartVersion final : public Native {
 public:
  std::string_view go_type() const override { return "*semver.Version"; }
  std::string_view go_kind() const override { return "ptr"; }
  std::optional<Value> field(std::string_view /*name*/) const override { return std::nullopt; }
  std::string to_string() const override { return "1.2.3"; }
  base::Result<Value> to_json_value() const override { return Value::string("1.2.3"); }
};

TEST_CASE("A native without methods refuses calls") {
  const Value v = Value::native(std::make_shared<ChartVersion>());
  CHECK(v.as_native().go_type() == "*semver.Version");
  CHECK(v.as_native().method_arity("Major") == -1);
  CHECK(v.as_native().call("Major", {}).error().code() == base::ErrorCode::kNotFound);
  CHECK(v.as_native().truth());
  CHECK(v.shared_native()->to_string() == "1.2.3");
}

}  // namespace
}  // namespace chartwright::value
