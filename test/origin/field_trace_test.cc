// SPDX-License-Identifier: Apache-2.0
#include "origin/field_trace.h"

#include <algorithm>
#include <functional>
#include <span>

#include <catch2/catch.hpp>

#include "base/clock.h"
#include "base/thread.h"

namespace chartwright::origin {
namespace {

using value::Path;

class SilentHost final : public tmpl::Host {
 public:
  base::WallTime now() override { return {}; }
  base::Status random(std::span<uint8_t> out) override {
    std::ranges::fill(out, uint8_t{1});
    return {};
  }
};

/// Calls `work` with a render of a chart that has this template and these values.yaml.
void with_render(const std::string& text, const std::string& values,
                 const std::function<void(const helm::RenderRequest&)>& work) {
  const auto loaded = CW_MUST(helm::RenderableChart::from_files(
      {{"Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n"},
       {"values.yaml", values},
       {"templates/a.yaml", text}}));
  SilentHost host;
  const base::SystemClock clock;
  const helm::RenderInputs inputs;
  const helm::RenderContext context{host, clock, nullptr, {}};
  base::Thread("render", base::kRenderStackBytes, [&] { work({*loaded, inputs, context}); }).join();
}

release::DocumentSearch settings() { return {{{"", "v1", "ConfigMap"}, "team", "a"}, "team"}; }

constexpr std::string_view kHead = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n";

std::optional<TemplateLine> line_of(const std::string& data, const std::string& values,
                                    std::string_view field) {
  std::optional<TemplateLine> line;
  with_render(std::string(kHead) + data, values, [&](const helm::RenderRequest& request) {
    line = CW_MUST(trace_field(request, settings(), CW_MUST(op::FieldPath::parse(field))));
  });
  return line;
}

}  // namespace

TEST_CASE("The place of a default is its line in values.yaml") {
  const auto line = line_of("  x: {{ .Values.a.b }}\n", "a:\n  b: 1\n", "data.x");
  REQUIRE(line);
  CHECK(line->places == std::vector<std::string>{"c/templates/a.yaml:5"});
  REQUIRE(line->reads.size() == 1);
  CHECK(line->reads.front().name == ".Values.a.b");
  REQUIRE(line->reads.front().origins.size() == 1);
  CHECK(line->reads.front().origins.front().place == "c/values.yaml:2:3");
}

TEST_CASE("A value that is not set is read all the same") {
  const auto line = line_of("  x: {{ .Values.gone | default \"y\" }}\n", "", "data.x");
  REQUIRE(line);
  REQUIRE(line->reads.size() == 1);
  CHECK_FALSE(line->reads.front().value);
}

TEST_CASE("Several values in one line are all read, text between them is not") {
  const auto line = line_of("  x: \"{{ .Values.a }}:{{ .Values.b }}\"\n", "a: 1\nb: 2\n", "data.x");
  REQUIRE(line);
  REQUIRE(line->reads.size() == 2);
  CHECK(line->reads.back().name == ".Values.b");
}

TEST_CASE("A field that no template writes has no line") {
  CHECK_FALSE(line_of("  x: y\n", "", "data.z"));
}

TEST_CASE("Very many fields are not all looked at") {
  std::string objects;
  for (int i = 0; i < 2; ++i) {
    objects += "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a" + std::to_string(i) +
               "}\ndata:\n";
    for (int j = 0; j < 900; ++j) {
      objects += "  k" + std::to_string(j) + ": 0123456789\n";
    }
  }
  with_render(objects, "", [](const helm::RenderRequest& request) {
    CHECK_FALSE(CW_MUST(trace_value(request, {Path::Step("a")})).is_complete);
  });
}

}  // namespace chartwright::origin
