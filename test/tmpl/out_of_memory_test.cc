// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "base/memory_limit.h"
#include "tmpl/template.h"
#include "tmpl/written_dicts.h"

namespace chartwright::tmpl {

using value::Value;

TEST_CASE("Templates are freed where no memory is left") {
  std::string text;
  for (int i = 0; i < 500; ++i) {
    text += "{{ if (print ((1 | print).x)) }}";
  }
  for (int i = 0; i < 500; ++i) {
    text += "{{ else }}{{ end }}";
  }
  auto templates = std::make_unique<Template>(std::make_shared<FunctionMap>());
  REQUIRE(templates->parse("t", text).ok());
  const base::MemoryLimit none(0);
  templates.reset();
}

TEST_CASE("Dicts that hold themselves are freed where no memory is left for the search") {
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
    const base::MemoryLimit none(0);
    written.reset();
  }
  CHECK(watched.expired());
}

}  // namespace chartwright::tmpl
