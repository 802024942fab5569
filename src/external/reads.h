// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "helm/analysis/usage.h"
#include "helm/render/operator_template.h"
#include "helm/render/renderable_chart.h"

namespace chartwright::external {

/// The externals whose captures a template reads.
struct Reads {
  /// A name, and for one that is read as a value that operator/values.yaml writes: ".Values.zone".
  struct Name {
    std::string name;
    std::string value;
  };
  std::vector<Name> names;
  bool any = false;  ///< It reads others, too, whose names are not known before it is rendered.
};

/// Finds the externals that templates of a chart's operator/ folder read: themselves, through
/// variables and `with`, by the chart's named templates, and through the values that
/// operator/values.yaml makes of captures. Texts that `tpl` gets from values are not looked at. Not
/// thread-safe.
class ReadFinder {
 public:
  /// `values`: operator/values.yaml; may be null. The chart must outlive the object.
  ReadFinder(const helm::RenderableChart& chart, const helm::OperatorTemplate* values);
  /// Error: kParse for a template that does not parse.
  base::Result<Reads> reads_of(const helm::OperatorTemplate& text) const;
  /// Returns the values that a template reads, also through the chart's named templates. Error: as
  /// reads_of.
  base::Result<helm::analysis::KeyUsage> values_read_by(const helm::OperatorTemplate& text) const;

 private:
  /// A value that operator/values.yaml makes of a capture.
  struct WrittenValue {
    helm::analysis::Steps path;
    std::string name;
  };
  helm::analysis::Usage usage_of(const tmpl::Tree& tree) const;
  void add_values(const tmpl::Tree& tree);

  std::vector<helm::analysis::ScopeOfChart> scopes_;
  std::vector<tmpl::TreeMap> named_;
  std::vector<WrittenValue> values_;
};

/// Returns the keys that lead to the line of a YAML template in which `offset` is: {"store", "id"}.
/// Empty where this cannot be told by the indentation.
helm::analysis::Steps keys_around(std::string_view source, size_t offset);

}  // namespace chartwright::external
