// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>

#include "tmpl/template.h"
#include "tmpl/written_dicts.h"

namespace {

thread_local bool has_memory = true;

}  // namespace

// Not inlined: the compiler would see malloc and free where it expects new and delete.
[[gnu::noinline]] void* operator new(size_t size) {
  if (void* const memory = has_memory ? std::malloc(size) : nullptr) {
    return memory;
  }
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t /*size*/) noexcept {
  std::free(memory);
}

namespace chartwright::tmpl {
namespace {

using value::Value;

// Until the end of its life nothing on this thread is given memory.
class NoMemory {
 public:
  NoMemory() { has_memory = false; }
  ~NoMemory() { has_memory = true; }
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;
};

}  // namespace

TEST_CASE("templates are freed where no memory is left") {
  std::string text;
  for (int i = 0; i < 500; ++i) {
    text += "{{ if (print ((1 | print).x)) }}";
  }
  for (int i = 0; i < 500; ++i) {
    text += "{{ else }}{{ end }}";
  }
  auto templates = std::make_unique<Template>(std::make_shared<FunctionMap>());
  REQUIRE(templates->parse("t", text).ok());
  const NoMemory none;
  templates.reset();
}

TEST_CASE("dicts that hold themselves are freed where no memory is left for the search") {
  const auto dict = [] { return Value::dict({{"k", Value::string("v")}}); };
  Value one = dict();
  Value two = dict();
  const std::weak_ptr<value::Dict> watched = one.shared_dict();
  {
    auto written = std::make_unique<WrittenDicts>();
    written->note(one, two);
    one.mutable_dict().set("two", two);
    written->note(two, one);
    two.mutable_dict().set("one", std::move(one));
    two = Value();
    CHECK_FALSE(watched.expired());
    const NoMemory none;
    written.reset();
  }
  CHECK(watched.expired());
}

}  // namespace chartwright::tmpl
