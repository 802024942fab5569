// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bundle/watch.h"
#include "helm/render/renderable_chart.h"
#include "test/bundle/chart_folder.h"

namespace chartwright::generate::testing {

using bundle::testing::Files;
using bundle::testing::Folder;

/// Returns the watch of a chart named "shop" with the given files.
inline bundle::Watch shop_watch(Files files) {
  const Folder folder(bundle::testing::with(
      {{"Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.2.3\n"}}, files));
  bundle::Watch watch;
  watch.gvk = {"apps.example.com", "v1alpha1", "WebShop"};
  watch.chart_path = "shop";
  auto loaded = bundle::load_bundle(folder.path());
  REQUIRE(loaded.ok());
  watch.bundle = *std::move(loaded);
  return watch;
}

inline std::vector<bundle::Watch> only(bundle::Watch watch) {
  std::vector<bundle::Watch> watches;
  watches.push_back(std::move(watch));
  return watches;
}

}  // namespace chartwright::generate::testing
