// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "base/thread.h"
#include "value/value.h"

namespace {

thread_local size_t allocations = 0;

}  // namespace

// Not inlined: the compiler would see malloc and free where it expects new and delete.
[[gnu::noinline]] void* operator new(size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) {
    return memory;
  }
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t /*size*/) noexcept {
  std::free(memory);
}

namespace chartwright::value {
namespace {

// Lists and dicts in turn, each the member at `at` of three.
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

// Lets go of `v` on a small stack; how often memory was asked for.
size_t allocations_of_release(Value v) {
  size_t counted = 0;
  base::Thread("release", size_t{128} << 10, [&v, &counted] {
    const size_t before = allocations;
    v = Value();
    counted = allocations - before;
  }).join();
  return counted;
}

}  // namespace

TEST_CASE("a value is released without memory, and without a stack as deep as it is") {
  const size_t at = GENERATE(0U, 1U, 2U);
  CHECK(allocations_of_release(deep(Value::string("x"), 300'000, at)) == 0);
}

TEST_CASE("so is one that branches far down") {
  Value tree = Value::string("x");
  for (int i = 0; i < 10; ++i) {
    tree = deep(Value::list({deep_copy(tree), Value::dict({{"k", deep_copy(tree)}}), tree}), 40, 1);
  }
  CHECK(allocations_of_release(std::move(tree)) == 0);
}

TEST_CASE("what others refer to outlives the value around it") {
  const Value kept = deep(Value::string("innermost"), 100, 0);
  CHECK(allocations_of_release(deep(kept, 1001, 0)) == 0);
  const Value* v = &kept;
  int depth = 0;
  for (; v->is_list() || v->is_dict(); ++depth) {
    v = v->is_list() ? v->as_list().items.data() : v->find("0");
  }
  CHECK(depth == 100);
  CHECK(v->as_string() == "innermost");
}

}  // namespace chartwright::value
