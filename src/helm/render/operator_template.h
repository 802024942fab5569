// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "helm/render/inputs.h"
#include "helm/render/operator_template.h"

namespace chartwright::helm {

/// A text beside the templates of a chart (one of its operator/ folder), with the functions and the
/// named templates of the chart. What it defines is seen by nobody else. Parsed on first use and
/// once, as the chart itself. Immutable as callers see it, cheap to copy, thread-safe.
class OperatorTemplate {
 public:
  /// `name` stands for it in errors.
  OperatorTemplate(std::shared_ptr<const Bundle> bundle, std::string name, std::string text);
  const std::string& name() const;
  const std::string& text() const;
  /// Evaluates it with `data` as dot. Errors: as the render of a chart.
  base::Result<std::string> render(const value::Value& data, const RenderContext& context) const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace chartwright::helm
