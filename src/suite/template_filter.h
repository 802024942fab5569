// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "go/regexp.h"
#include "helm/chart/chart.h"
#include "suite/suite.h"

namespace chartwright::suite {

/// Returns the path of a template of a suite as its chart has it: "templates/" is added unless it
/// is there. Source: helm-unittest pkg/unittest/deep_copy.go getTemplateFileName.
std::string template_file(const std::string& name);

/// The templates that a suite renders: those that it names, and all partials. Not thread-safe.
class TemplateFilter {
 public:
  /// `route` is the path of the suite's chart: "parent/charts/child".
  TemplateFilter(const Suite& suite, const std::string& route);
  /// Leaves in a chart and its dependencies the templates to render.
  void apply(helm::Chart& chart);

 private:
  void apply(helm::Chart& chart, const std::string& route);
  std::shared_ptr<const helm::ChartContent> filtered(const helm::ChartContent& content,
                                                     const std::string& route) const;

  std::vector<go::Regexp> wanted_;
  std::vector<go::Regexp> unwanted_;
  /// The keys are content and path of a chart: all jobs of a suite have the same.
  std::map<std::pair<const helm::ChartContent*, std::string>,
           std::shared_ptr<const helm::ChartContent>>
      filtered_;
};

}  // namespace chartwright::suite
