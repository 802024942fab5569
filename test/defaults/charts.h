// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "helm/render/renderable_chart.h"

namespace chartwright::defaults::testing {

/// Returns a chart named "shop", unless the files have a Chart.yaml.
inline std::shared_ptr<const helm::RenderableChart> chart_with(std::vector<helm::File> files) {
  files.insert(files.begin(), {"Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.2.3\n"});
  if (std::ranges::count(files, "Chart.yaml", &helm::File::name) > 1) {
    files.erase(files.begin());
  }
  auto chart = helm::RenderableChart::from_files(std::move(files));
  INFO((chart.ok() ? "" : chart.error().to_string()));
  REQUIRE(chart.ok());
  return *chart;
}

}  // namespace chartwright::defaults::testing
