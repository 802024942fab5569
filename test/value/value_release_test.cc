// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "base/memory_limit.h"
#include "base/thread.h"
#include "value/value.h"

namespace chartwright::value {
namespace {

// Returns alternating lists and dicts of three members, each the member at `at` of the next.
Value deep(Value innermost, int depth, size_t at) {
  Value v = std::move(innermost);
  for (int i = 0; i < depth; ++i) {
    if (i % 2 == 0) {
      std::vector<Value> items(3);
      items[at] = std::move(v);
      v = Value::list(std::move(items));
    } else {
      Value dict = Value::dict({{"0", Value()}, {"1", Value::string("x")}, {"2", Value()}});
      dict.mutable_dict().set(std::to_string(at), std::move(v));
      v = std::move(dict);
    }
  }
  return v;
}

// Releases `v` on a small stack, where any allocation ends the process.
void release(Value v) {
  base::Thread("release", size_t{128} << 10, [&v] {
    const base::MemoryLimit none(0);
    v = Value();
  }).join();
  CHECK(v.is_nil());
}

}  // namespace

TEST_CASE("A value is released without memory, and without a stack as deep as it is") {
  const size_t at = GENERATE(0U, 1U, 2U);
  release(deep(Value::string("x"), 300'000, at));
}

TEST_CASE("A deep value with many branches is released without a deep stack") {
  Value tree = Value::string("x");
  for (int i = 0; i < 7; ++i) {
    tree = deep(Value::list({deep_copy(tree), Value::dict({{"k", deep_copy(tree)}}), tree}), 60, 1);
  }
  release(std::move(tree));
}

TEST_CASE("A part that others refer to outlives the value around it") {
  const Value kept = deep(Value::string("innermost"), 100, 0);
  release(deep(kept, 1001, 0));
  const Value* v = &kept;
  int depth = 0;
  for (; v->is_list() || v->is_dict(); ++depth) {
    v = v->is_list() ? v->as_list().items.data() : v->find("0");
  }
  CHECK(depth == 100);
  CHECK(v->as_string() == "innermost");
}

}  // namespace chartwright::value
