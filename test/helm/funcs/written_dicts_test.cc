// SPDX-License-Identifier: Apache-2.0
// Dicts that templates put into themselves are freed.
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "base/thread.h"
#include "test/helm/funcs/fixed_host.h"
#include "test/helm/funcs/render.h"

namespace chartwright::helm::funcs {
namespace {

/// Renders with .Values.d set to a dict with members "a" and "b", both dicts. Returns the output,
/// followed by "freed" or "leaked" for .Values.d.
std::string fate(const std::string& text) {
  std::weak_ptr<value::Dict> watched;
  std::string out;
  {
    const value::Value d =
        value::Value::dict({{"a", value::Value::dict()},
                            {"b", value::Value::dict({{"x", value::Value::integer(1)}})}});
    watched = d.shared_dict();
    Rendering rendering{text};
    rendering.values = value::Value::dict({{"d", d}});
    FixedHost host;
    // Use a stack as large as that of a render: a cycle is traversed up to the depth limit.
    base::Thread("render", base::kRenderStackBytes, [&] { out = render(rendering, host); }).join();
  }
  return out + (watched.expired() ? " freed" : " leaked");
}

}  // namespace

TEST_CASE("A dict that a template puts into itself is freed") {
  CHECK(fate("{{ $d := .Values.d }}{{ $_ := set $d \"self\" $d }}{{ $d.self.self.b.x }}") ==
        "1 freed");
  CHECK(fate("{{ $d := .Values.d }}{{ $_ := set $d \"l\" (list 1 $d) }}{{ len $d.l }}") ==
        "2 freed");
  CHECK(fate("{{ $_ := set .Values.d.a \"up\" .Values }}{{ .Values.d.a.up.d.b.x }}") == "1 freed");
  CHECK(fate("{{ $_ := set .Values.d.a \"up\" . }}{{ .Values.d.a.up.Values.d.b.x }}") == "1 freed");
  CHECK(fate("{{ $_ := merge .Values.d (dict \"m\" .Values.d) }}{{ .Values.d.m.b.x }}") ==
        "1 freed");
  CHECK(fate("{{ $_ := merge .Values.d (dict \"a\" (dict \"m\" .Values.d)) }}"
             "{{ .Values.d.a.m.b.x }}") == "1 freed");
  CHECK(fate("{{ $_ := mergeOverwrite .Values.d (dict \"b\" (dict \"m\" .Values)) }}"
             "{{ .Values.d.b.m.d.b.x }}") == "1 freed");
  // Also if the render fails.
  CHECK(fate("{{ $d := .Values.d }}{{ $_ := set $d \"self\" $d }}{{ toJson $d }}")
            .ends_with(" freed"));
}

TEST_CASE("Data that a template wrote without a cycle is there after the render") {
  Rendering rendering{"{{ $_ := set .Values \"x\" (dict \"y\" (list .Values.z)) }}"};
  const value::Value z = value::Value::dict({{"k", value::Value::integer(1)}});
  rendering.values = value::Value::dict({{"z", z}});
  FixedHost host;
  CHECK(render(rendering, host).empty());
  CHECK(rendering.values.find_path({"x", "y"})->as_list().items[0].find("k")->as_int() == 1);
}

}  // namespace chartwright::helm::funcs
