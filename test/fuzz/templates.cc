// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "base/clock.h"
#include "helm/funcs/registry.h"
#include "helm/render/engine.h"
#include "helm/render/renderable_chart.h"
#include "test/fuzz/targets.h"
#include "test/helm/funcs/fixed_host.h"
#include "tmpl/template.h"

namespace chartwright::fuzz {
namespace {

// Far below the limits of a real render, to keep the fuzzer fast.
base::BudgetLimits small_limits() {
  base::BudgetLimits limits;
  limits.steps_max = 20'000;
  limits.output_bytes_max = size_t{1} << 20;
  limits.memory_bytes_max = size_t{16} << 20;
  limits.depth_max = 50;
  limits.cpu_max = std::chrono::seconds(5);
  return limits;
}

}  // namespace

void template_text(std::string_view text) {
  static const auto functions = [] {
    auto map = std::make_shared<tmpl::FunctionMap>();
    helm::funcs::register_sprig(*map);
    return map;
  }();
  tmpl::Template parsed(functions, "fuzz");
  (void)parsed.parse("fuzz", std::string(text));
}

void chart_render(std::string_view template_and_values) {
  const auto [text, values] = split(template_and_values, '\0');
  const auto loaded = helm::RenderableChart::from_files(
      {{"Chart.yaml", "apiVersion: v2\nname: fuzz\nversion: 0.1.0\n"},
       {"values.yaml", std::string(values)},
       {"templates/_helpers.tpl", "{{ define \"name\" }}{{ .Chart.Name }}{{ end }}"},
       {"templates/fuzz.yaml", std::string(text)}});
  if (!loaded.ok()) {
    return;
  }
  helm::funcs::FixedHost host;
  const base::SystemClock clock;
  (void)helm::render(**loaded, helm::RenderInputs{}, {host, clock, nullptr, small_limits()});
}

}  // namespace chartwright::fuzz
