// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "base/thread.h"
#include "test/helm/funcs/fixed_host.h"
#include "test/helm/funcs/render.h"

namespace chartwright::helm::funcs {
namespace {

// Each of these would use up memory, CPU time or the stack.
constexpr const char* kHostile[] = {
    "{{ until 9223372036854775807 }}",
    "{{ untilStep 0 100000000000 1 }}",
    "{{ seq 100000000000 }}",
    "{{ repeat 100000000000 \"x\" }}",
    "{{ indent 100000000000 \"x\" }}",
    "{{ nindent 100000000000 \"x\" }}",
    "{{ repeat 1000000 \"x\" | replace \"\" (repeat 1000000 \"y\") }}",
    "{{ repeat 1000000 \"x \" | wrapWith 1 (repeat 1000000 \"y\") }}",
    "{{ repeat 1000000 \"x\" | splitList \"\" | join (repeat 1000000 \"y\") }}",
    "{{ repeat 1000000 \"y\" | regexReplaceAll \"x\" (repeat 1000000 \"x\") }}",
    "{{ randAlphaNum 100000000000 }}",
    "{{ randAscii 9223372036854775807 }}",
    "{{ randBytes 100000000000 }}",
    "{{ $d := dict }}{{ $_ := set $d \"self\" $d }}{{ toJson $d }}",
    "{{ $d := dict }}{{ $_ := set $d \"self\" $d }}{{ deepCopy $d }}",
    "{{ $d := dict }}{{ $_ := set $d \"self\" $d }}{{ toString $d }}",
    "{{ $d := dict }}{{ $_ := set $d \"self\" (list $d) }}{{ quote $d }}",
    "{{ $d := dict }}{{ $_ := set $d \"self\" $d }}{{ $e := dict }}{{ $_ := set $e \"self\" $e }}"
    "{{ deepEqual $d $e }}",
    "{{ $d := dict }}{{ $_ := set $d \"a\" $d }}{{ $e := dict }}{{ $_ := set $e \"a\" $e }}"
    "{{ $_ := set $e \"b\" 1 }}{{ merge $d $e }}",
    "{{ $d := dict \"a\" 1 }}{{ range until 60 }}{{ $d = dict \"l\" $d \"r\" $d }}{{ end }}"
    "{{ toJson $d }}",
    "{{ $l := list (repeat 100000 \"x\") }}{{ range until 20 }}{{ $l = concat $l $l }}{{ end }}"
    "{{ join \"\" $l }}",
    "{{ $l := list (repeat 100000 \"x\") }}{{ range until 20 }}{{ $l = concat $l $l }}{{ end }}"
    "{{ sortAlpha $l }}",
    "{{ $l := list (repeat 100000 \"x\") }}{{ range until 20 }}{{ $l = concat $l $l }}{{ end }}"
    "{{ quote $l }}",
    "{{ $l := list (repeat 100000 \"x\") }}{{ range until 20 }}{{ $l = concat $l $l }}{{ end }}"
    "{{ toJson $l }}",
    "{{ regexFindAll \"\" (repeat 10000000 \"x\") -1 }}",
    "{{ range until 100000 }}{{ $x := genPrivateKey \"rsa\" }}{{ end }}",
};

bool is_refused(const std::string& out) {
  return out.starts_with("error: ") && (out.find("render budget exceeded") != std::string::npos ||
                                        out.find("nested too deeply") != std::string::npos);
}

}  // namespace

TEST_CASE("Whatever an argument makes large is refused before it is built") {
  for (const char* text : kHostile) {
    INFO(text);
    Rendering rendering{text};
    rendering.limits.steps_max = 3'000'000;
    rendering.limits.memory_bytes_max = size_t{32} << 20;
    FixedHost host;
    std::string out;
    // Use a stack as large as that of a render: some templates nest values to the limit.
    base::Thread("render", base::kRenderStackBytes, [&] { out = render(rendering, host); }).join();
    CHECK((is_refused(out) ? std::string("refused") : out.substr(0, 200)) == "refused");
  }
}

TEST_CASE("Text that fits the budget is built") {
  CHECK(render("{{ until 1000 | len }} {{ repeat 100000 \"xy\" | len }} {{ seq 100 | len }}") ==
        "1000 200000 291");
}

TEST_CASE("Looking for text takes time linear in the text") {
  // Comparing at every position would take 10^11 steps.
  CHECK(
      render(
          "{{ $a := repeat 400000 \"a\" }}{{ $b := printf \"%sb\" $a }}"
          "{{ contains $b (repeat 800000 \"a\") }} {{ splitList $b (repeat 800000 \"a\") | len }} "
          "{{ repeat 800000 \"a\" | replace $b \"\" | len }}") == "false 1 800000");
  CHECK(
      render("{{ trimAll (printf \"%sb\" (repeat 400000 \"a\")) (repeat 400000 \"b\") | len }}") ==
      "0");
}

}  // namespace chartwright::helm::funcs
