// SPDX-License-Identifier: Apache-2.0
#include "helm/render/traced_render.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "base/clock.h"
#include "base/thread.h"

namespace chartwright::helm {
namespace {

using Lines = std::vector<std::string>;

class ConstantHost final : public tmpl::Host {
 public:
  base::WallTime now() override { return {}; }
  base::Status random(std::span<uint8_t> out) override {
    std::ranges::fill(out, uint8_t{7});
    return {};
  }
};

/// Returns the writers of the first two lines of each document, each after the path.
Lines writers(std::vector<File> files) {
  files.push_back({"Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n"});
  const auto loaded = CW_MUST(RenderableChart::from_files(std::move(files)));
  ConstantHost host;
  const base::SystemClock clock;
  const RenderInputs inputs;
  const RenderContext context{host, clock, nullptr, {}};
  Lines lines;
  base::Thread("render", base::kRenderStackBytes, [&] {
    const base::Status traced =
        trace_documents({*loaded, inputs, context}, [&](const TracedDocument& document) {
          for (const int line : {1, 2}) {
            const auto pos = document.writer_of({"", line, 0});
            lines.push_back(document.path() + " " + (pos ? pos->to_string() : "-"));
          }
        });
    if (!traced.ok()) {
      lines.push_back(traced.error().message());
    }
  }).join();
  return lines;
}

}  // namespace

TEST_CASE("Each line of a rendered document leads back to the line that wrote it") {
  CHECK(writers({{"templates/_p.tpl", "{{ define \"p\" }}x: 1\ny: 2{{ end }}"},
                 {"templates/a.yaml",
                  "\n{{/* no text */}}\na: 1\n\nb: 2\n---\na: 1\n---\n{{ include \"p\" . }}\n"},
                 {"templates/NOTES.txt", "no document\n"}}) ==
        Lines{"c/templates/a.yaml c/templates/a.yaml:3:1",
              "c/templates/a.yaml c/templates/a.yaml:4:1",
              "c/templates/a.yaml c/templates/a.yaml:7:1",
              "c/templates/a.yaml c/templates/a.yaml:8:1",
              "c/templates/a.yaml c/templates/_p.tpl:1:17",
              "c/templates/a.yaml c/templates/_p.tpl:2:1"});
}

TEST_CASE("A render that fails the second time ends with its error") {
  const Lines lines = writers({{"templates/a.yaml", "{{ fail \"no\" }}"}});
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].ends_with("no"));
}

}  // namespace chartwright::helm
