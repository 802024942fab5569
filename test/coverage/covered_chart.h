// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/thread.h"
#include "coverage/recorder.h"
#include "helm/render/engine.h"
#include "test/tmpl/fixture.h"
#include "value/json.h"

namespace chartwright::coverage::testing {

/// Renders a chart once for each of the values, which are JSON, and returns what that covers.
/// Renders may fail.
inline ChartCoverage covered(std::vector<helm::File> files, const std::vector<std::string>& values,
                             Subcharts subcharts = Subcharts::kInclude) {
  files.push_back({"Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n"});
  const auto loaded = CW_MUST(helm::RenderableChart::from_files(std::move(files)));
  ChartCoverage coverage;
  base::Thread("render", base::kRenderStackBytes, [&] {
    Recorder recorder(*loaded, subcharts);
    for (const std::string& each : values) {
      tmpl::StillHost host;
      const base::SystemClock clock;
      Recording recording = recorder.begin();
      helm::RenderInputs inputs;
      inputs.values = CW_MUST(value::parse_json(each, value::Numbers::kInt64));
      recording.values.note(inputs.values);
      const helm::RenderContext context{.host = host, .clock = clock, .counts = &recording.counts};
      static_cast<void>(helm::render(*loaded, inputs, context).ok());
      recorder.add(recording);
    }
    coverage = recorder.coverage("charts/c");
  }).join();
  return coverage;
}

}  // namespace chartwright::coverage::testing
