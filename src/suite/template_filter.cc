// SPDX-License-Identifier: Apache-2.0
#include "suite/template_filter.h"

#include <algorithm>

#include "go/path.h"

namespace chartwright::suite {
namespace {

/// Source: helm-unittest pkg/unittest/deep_copy.go getTemplateFileNamePattern.
std::string pattern_of(std::string_view name) {
  std::string pattern;
  for (size_t at = 0; at < name.size(); ++at) {
    if (name.substr(at).starts_with("**")) {
      pattern += R"([0-9a-zA-Z_\-/\.]+)";
      ++at;
    } else if (name[at] == '*') {
      pattern += R"([0-9a-zA-Z_\-_/\.]*)";
    } else {
      pattern += go::Regexp::literal(name.substr(at, 1));
    }
  }
  return pattern;
}

std::vector<go::Regexp> patterns_of(const std::vector<std::string>& names,
                                    const std::string& route) {
  std::vector<go::Regexp> patterns;
  for (const std::string& name : names) {
    // A pattern that is too large matches nothing, as in the original.
    if (auto compiled = go::Regexp::compile(pattern_of(go::join_path(route, template_file(name))));
        compiled.ok()) {
      patterns.push_back(*std::move(compiled));
    }
  }
  return patterns;
}

}  // namespace

std::string template_file(const std::string& name) {
  for (std::string_view prefix : {"templates", "charts", "crds", "**"}) {
    if (name.starts_with(prefix)) {
      return name;
    }
  }
  return go::join_path("templates", name);
}

TemplateFilter::TemplateFilter(const Suite& suite, const std::string& route)
    : wanted_(patterns_of(suite.settings.templates.empty() ? std::vector<std::string>{"**"}
                                                           : suite.settings.templates,
                          route)),
      unwanted_(patterns_of(suite.exclude_templates, route)) {}

void TemplateFilter::apply(helm::Chart& chart) { apply(chart, chart.name()); }

// NOLINTNEXTLINE(misc-no-recursion): as deep as charts nest, which loading limits.
void TemplateFilter::apply(helm::Chart& chart, const std::string& route) {
  auto& known = filtered_[{chart.content.get(), route}];
  if (known == nullptr) {
    known = filtered(*chart.content, route);
  }
  chart.content = known;
  for (helm::Chart& dependency : chart.dependencies) {
    apply(dependency, route + "/charts/" + dependency.name());
  }
}

std::shared_ptr<const helm::ChartContent> TemplateFilter::filtered(
    const helm::ChartContent& content, const std::string& route) const {
  const auto is_among = [&](const std::vector<go::Regexp>& patterns, const helm::File& file) {
    const std::string path = go::join_path(route, file.name);
    return std::ranges::any_of(patterns, [&](const go::Regexp& p) { return p.matches(path); });
  };
  auto copy = std::make_shared<helm::ChartContent>(content);
  std::erase_if(copy->templates, [&](const helm::File& file) {
    const bool is_partial = go::base_name(file.name).starts_with('_');
    return !is_partial && (!is_among(wanted_, file) || is_among(unwanted_, file));
  });
  return copy;
}

}  // namespace chartwright::suite
