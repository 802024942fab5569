// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "helm/render/inputs.h"
#include "helm/render/operator_template.h"

namespace chartwright::tmpl {
struct Tree;  // tmpl/ast.h
}  // namespace chartwright::tmpl

namespace chartwright::helm {

/// A template of a chart's operator/ folder, which may use the functions and the named templates of
/// the chart and its dependencies, enabled or not. Its own definitions are visible only to itself.
/// Parsed once, on first use. Logically immutable, cheap to copy, thread-safe.
class OperatorTemplate {
 public:
  /// `name` identifies the template in errors.
  OperatorTemplate(std::shared_ptr<const RenderableChart> loaded, std::string name,
                   std::string text);
  const std::string& name() const;
  const std::string& text() const;
  /// Parses the template. Error: kParse in Helm's words.
  base::Status parse() const;
  /// Returns the parsed text, for checks without data. Error: as parse.
  base::Result<std::shared_ptr<const tmpl::Tree>> tree() const;
  /// Returns the named templates that it may call. Error: as parse.
  base::Result<std::vector<std::string>> callable() const;
  /// Evaluates the template with `data` as dot. Errors: as the render of a chart.
  base::Result<std::string> render(const value::Value& data, const RenderContext& context) const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace chartwright::helm
