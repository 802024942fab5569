// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bundle/watch.h"
#include "generate/role.h"
#include "generate/view_rules.h"
#include "helm/render/renderable_chart.h"
#include "test/bundle/chart_folder.h"
#include "views/view_file.h"

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
  INFO((loaded.ok() ? "" : loaded.error().to_string()));
  REQUIRE(loaded.ok());
  watch.bundle = *std::move(loaded);
  return watch;
}

inline std::vector<bundle::Watch> only(bundle::Watch watch) {
  std::vector<bundle::Watch> watches;
  watches.push_back(std::move(watch));
  return watches;
}

/// Returns one view, with the given lines and source, that a Service ops/views leads to.
inline ServedViews served_views(const std::string& lines, const std::string& api_version = "v1",
                                const std::string& kind = "Pod") {
  auto view = views::parse_view(
      "group: farm.example.com\nversion: v1\nresource: {kind: Animal, plural: animals}\n"
      "source: {apiVersion: " +
          api_version + ", kind: " + kind + "}\nproject: |\n  spec: {}\n" + lines + "\n",
      "views/animals.yaml");
  REQUIRE(view.ok());
  ServedViews served;
  served.views.push_back(*std::move(view));
  served.folder = "views";
  served.service = {"ops", "views"};
  return served;
}

}  // namespace chartwright::generate::testing
