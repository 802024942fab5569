// SPDX-License-Identifier: Apache-2.0
#include "tmpl/written_dicts.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>

namespace chartwright::tmpl {
namespace {

using value::Value;

/// A Go struct that refers to one value.
class Holder final : public value::Native {
 public:
  explicit Holder(Value held) : held_(std::move(held)) {}
  std::string_view go_type() const override { return "test.Holder"; }
  std::string_view go_kind() const override { return "struct"; }
  std::optional<Value> field(std::string_view /*name*/) const override { return held_; }
  std::string to_string() const override { return "{}"; }
  base::Result<Value> to_json_value() const override { return Value::dict(); }
  std::vector<Member> members() const override { return {{"held", held_}}; }

 private:
  Value held_;
};

/// Simulates the writes of a render, and counts the dicts that have not been freed.
struct Render {
  std::optional<WrittenDicts> written{std::in_place};
  std::vector<std::weak_ptr<value::Dict>> made;

  Value dict() {
    Value v = Value::dict();
    made.push_back(v.shared_dict());
    return v;
  }
  void write(const Value& dict, std::string_view key, const Value& member) {
    written->note(dict, member);
    dict.mutable_dict().set(key, member);
  }
  void end() { written.reset(); }
  size_t alive() const {
    size_t count = 0;
    for (const auto& one : made) {
      count += one.expired() ? 0U : 1U;
    }
    return count;
  }
};

TEST_CASE("A dict that holds itself is freed at the end of the render") {
  Render render;
  SECTION("at once") {
    const Value d = render.dict();
    render.write(d, "self", d);
  }
  SECTION("by two ways") {
    const Value d = render.dict();
    render.write(d, "a", d);
    render.write(d, "b", d);
  }
  SECTION("through another dict") {
    const Value d = render.dict();
    const Value e = render.dict();
    render.write(d, "e", e);
    render.write(e, "d", d);
  }
  SECTION("through a list, beside other things") {
    const Value d = render.dict();
    render.write(d, "l", Value::list({Value::integer(1), Value::list({d}), render.dict()}));
  }
  SECTION("through a native") {
    const Value d = render.dict();
    render.write(d, "n", Value::native(std::make_shared<Holder>(Value::list({d}))));
  }
  SECTION("below what nobody wrote into") {
    const Value outer = render.dict();
    const Value d = render.dict();
    outer.mutable_dict().set("d", d);  // Not noted: functions build new dicts like this.
    render.write(d, "up", outer);
  }
  SECTION("in two circles that touch") {
    const Value d = render.dict();
    const Value e = render.dict();
    const Value f = render.dict();
    render.write(d, "e", e);
    render.write(e, "d", d);
    render.write(e, "f", f);
    render.write(f, "e", e);
    render.write(f, "d", d);
  }
  SECTION("in a circle of a hundred thousand") {
    const Value first = render.dict();
    Value last = first;
    for (int i = 0; i < 100'000; ++i) {
      Value next = render.dict();
      next.mutable_dict().set("previous", last);
      last = std::move(next);
    }
    render.write(first, "previous", last);
  }
  CHECK(render.alive() == render.made.size());
  render.end();
  CHECK(render.alive() == 0);
}

TEST_CASE("A dict without a cycle is left as it is") {
  Render render;
  const Value d = render.dict();
  const Value shared = render.dict();
  shared.mutable_dict().set("x", Value::integer(7));
  render.write(d, "a", shared);
  render.write(d, "b", shared);
  render.write(d, "l", Value::list({shared, shared}));
  render.end();
  CHECK(d.find_path({"a", "x"})->as_int() == 7);
  CHECK(d.find_path({"b", "x"})->as_int() == 7);
  CHECK(d.find("l")->as_list().items.size() == 2);
}

TEST_CASE("Of what outlives the render, only the entry that closes a cycle is taken out") {
  Render render;
  const Value d = render.dict();
  d.mutable_dict().set("text", Value::string("stays"));
  render.write(d, "self", d);
  render.end();
  CHECK(d.string_at({"text"}) == "stays");
  CHECK(d.find("self")->is_nil());
}

TEST_CASE("Dicts that are gone are not remembered for the whole render") {
  Render render;
  const Value kept = render.dict();
  render.write(kept, "self", kept);
  for (int i = 0; i < 10'000; ++i) {
    render.write(Value::dict(), "d", Value::dict());
  }
  render.end();
  CHECK(kept.find("self")->is_nil());
}

}  // namespace
}  // namespace chartwright::tmpl
