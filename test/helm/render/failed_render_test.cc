// SPDX-License-Identifier: Apache-2.0
#include "helm/render/failed_render.h"

#include <catch2/catch.hpp>

#include "base/clock.h"
#include "base/thread.h"
#include "helm/render/engine.h"

namespace chartwright::helm {
namespace {

class CountingHost final : public tmpl::Host {
 public:
  base::WallTime now() override { return {}; }
  base::Status random(std::span<uint8_t> out) override {
    for (uint8_t& byte : out) {
      byte = ++last_;  // Never the same twice, like real random data.
    }
    return {};
  }

 private:
  uint8_t last_ = 0;
};

std::shared_ptr<const RenderableChart> tiny_chart(std::vector<File> files) {
  files.push_back({"Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n"});
  return CW_MUST(RenderableChart::from_files(std::move(files)));
}

template <typename F>
void with_request(const RenderableChart& loaded, F f) {
  CountingHost host;
  const base::SystemClock clock;
  const RenderInputs inputs;
  const RenderContext context{host, clock, nullptr, {}};
  base::Thread("render", base::kRenderStackBytes, [&] {
    f(RenderRequest{loaded, inputs, context});
  }).join();
}

std::vector<std::string> messages_of(std::vector<File> files) {
  const auto loaded = tiny_chart(std::move(files));
  std::vector<std::string> messages;
  with_request(*loaded, [&](const RenderRequest& request) {
    for (const base::Error& error : all_errors(request)) {
      messages.push_back(error.message());
    }
  });
  return messages;
}

}  // namespace

TEST_CASE("A chart that renders has no errors") {
  CHECK(messages_of({{"templates/a.yaml", "a: 1\n"}}).empty());
}

TEST_CASE("Every failing file is told, in the order in which Helm comes to them") {
  const auto messages =
      messages_of({{"templates/a.yaml", "{{ fail \"first\" }}{{ fail \"no\" }}\n"},
                   {"templates/b.yaml", "a: 1\n"},
                   {"templates/c.yaml", "{{ .Values.x.y }}\n"},
                   {"templates/d.yaml", "a: b: c\n"}});
  REQUIRE(messages.size() == 3);
  CHECK(messages[0].starts_with("template: c/templates/c.yaml:1:10: executing"));
  CHECK(messages[1] == "execution error at (c/templates/a.yaml:1:3): first");
  CHECK(messages[2].starts_with("YAML parse error on c/templates/d.yaml: "));
}

TEST_CASE("Every value that is required is told") {
  const auto messages = messages_of(
      {{"templates/a.yaml",
        "a: {{ required \"need a\" .Values.a }}\nb: {{ required \"need b\" .Values.b }}\n"
        "c: {{ (required \"need c\" .Values.c).d.e }}\n"}});
  // A failure caused by the missing c is not an error of its own.
  CHECK(messages == std::vector<std::string>{
                        "execution error at (c/templates/a.yaml:1:6): need a",
                        "execution error at (c/templates/a.yaml:2:6): need b",
                        "execution error at (c/templates/a.yaml:3:7): need c",
                    });
}

TEST_CASE("A failure in a partial is reported once for all its callers") {
  const auto loaded = tiny_chart(
      {{"templates/_h.tpl", "{{ define \"h\" }}{{ required \"need x\" .Values.x }}{{ end }}"},
       {"templates/a.yaml", "{{ include \"h\" . }}"},
       {"templates/b.yaml", "{{ include \"h\" . }}"},
       {"templates/c.yaml", "{{ include \"h\" . }}"}});
  with_request(*loaded, [](const RenderRequest& request) {
    const auto errors = all_errors(request);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].message() == "execution error at (c/templates/c.yaml:1:3): need x");
    CHECK(errors[0].help().ends_with("\nnote: 2 other calls fail at the same place"));
  });
}

TEST_CASE("Every template that does not parse is told") {
  const auto messages = messages_of({{"templates/a.yaml", "{{ nope }}"},
                                     {"templates/b.yaml", "{{ if }}"},
                                     {"templates/c.yaml", "{{ fail \"never run\" }}"}});
  CHECK(messages == std::vector<std::string>{
                        "parse error at (c/templates/b.yaml:1): missing value for if",
                        "parse error at (c/templates/a.yaml:1): function \"nope\" not defined",
                    });
}

TEST_CASE("Templates are tried though the values violate their schema") {
  const auto messages =
      messages_of({{"values.schema.json", "{\"required\": [\"a\"]}"},
                   {"templates/a.yaml", "{{ required \"need a\" .Values.a }}\n"}});
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].starts_with("values don't meet the specifications of the schema(s)"));
  CHECK(messages[1] == "execution error at (c/templates/a.yaml:1:3): need a");
}

TEST_CASE("Errors are counted to a limit") {
  std::vector<File> files;
  for (int i = 0; i < 150; ++i) {
    files.push_back({"templates/" + std::to_string(i) + ".yaml", "{{ fail \"no\" }}"});
  }
  CHECK(messages_of(files).size() == kErrorsMax);
}

TEST_CASE("A line of YAML is traced though random text differs") {
  const auto loaded =
      tiny_chart({{"templates/a.yaml",
                   "a: {{ randAlphaNum 8 | quote }}\nb:\n{{ toYaml (dict \"x\" 1) }}\n"
                   "c: d: e\n"}});
  with_request(*loaded, [](const RenderRequest& request) {
    auto rendered = render(request.loaded, request.inputs, request.context);
    REQUIRE_FALSE(rendered.ok());
    CHECK(rendered.error().help().starts_with(
        "line 4 of the rendered c/templates/a.yaml is written by\nc/templates/a.yaml:4:"));
    REQUIRE(rendered.error().pos());
    CHECK(rendered.error().pos()->line == 4);
  });
}

TEST_CASE("A render that failed because of its YAML can be printed") {
  const auto loaded =
      tiny_chart({{"templates/NOTES.txt", "notes"},
                  {"templates/a.yaml", "kind: A\nmetadata: {annotations: {helm.sh/hook: test}}\n"},
                  {"templates/b.yaml", "a: b: c\n"},
                  {"templates/c.yaml", " \n"}});
  with_request(*loaded, [](const RenderRequest& request) {
    const UnsortedText text = unsorted_text(request);
    CHECK(text.files ==
          "---\n# Source: c/templates/a.yaml\nkind: A\nmetadata: {annotations: {helm.sh/hook: "
          "test}}\n\n---\n# Source: c/templates/b.yaml\na: b: c\n\n");
    REQUIRE(text.hooks.size() == 1);
    CHECK(text.hooks[0].path == "c/templates/a.yaml");
  });
}

TEST_CASE("A render without text has none to print") {
  const auto loaded = tiny_chart({{"templates/a.yaml", "{{ fail \"no\" }}"}});
  with_request(*loaded,
               [](const RenderRequest& request) { CHECK(unsorted_text(request).files.empty()); });
}

}  // namespace chartwright::helm
