// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "chart/bundle.h"
#include "operator/related.h"
#include "release/rules.h"

namespace chartwright::op {

/// One entry of `related:` in operator/operator.yaml.
struct RelatedConfig {
  struct Label {
    std::string key;
    std::string value;  ///< May be a template over .CR.
    bool templated = false;
  };
  std::string name;
  kube::Gvk gvk;
  std::vector<Label> selector;
};

/// What operator/operator.yaml says.
struct OperatorRules {
  std::vector<RelatedConfig> related;
  std::vector<release::ChildRule> children;
  bool allow_empty = false;  ///< A chart that renders nothing prunes everything without asking.
};

/// A chart with its operator/ folder: everything about a kind that is the same for all its custom
/// resources. Immutable, shared by all workers.
struct Bundle {
  std::shared_ptr<const chart::Bundle> chart;
  OperatorRules rules;
  bool reads_live = false;  ///< Some operator/ template mentions .Live.
};

/// Reads operator/operator.yaml. `file` names it in errors. Errors: kParse and kInvalidArgument with
/// file:line:column, what is wrong and, for a misspelt key, what was probably meant.
base::Result<OperatorRules> parse_operator_rules(const std::string& text, const std::string& file);

}  // namespace chartwright::op
