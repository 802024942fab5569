// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "helm/lint/ci_values.h"
#include "helm/lint/helm.h"
#include "helm/objects/object_faults.h"

namespace chartwright::helm::lint {

/// Renders a chart with its defaults and with each of its ci/ files, and checks the output. Reports
/// each fault once, for the first values that show it. Not thread-safe.
class VariantLint {
 public:
  /// The references must outlive the object.
  VariantLint(const ChartSource& source, const helm::RenderableChart& loaded,
              const LintInputs& inputs, const LintContext& context);
  Messages run(const std::vector<CiValues>& ci);

 private:
  struct Document {
    std::string path;  ///< "templates/x.yaml"
    std::string text;
    value::Value object;
  };

  void lint(const CiValues& variant);
  bool check_values(const CiValues& variant, const helm::PreparedChart& prepared);
  void read_documents(const std::map<std::string, std::string>& files, const CiValues& variant,
                      std::vector<Document>& into);
  void check_document(const Document& document, const CiValues& variant, bool is_complete);
  void check_names(const std::vector<Document>& documents, const CiValues& variant);
  void add_crds(const std::vector<Document>& documents);
  void note(Severity severity, const std::string& path, const std::string& text,
            const CiValues& variant);

  const ChartSource& source_;
  const helm::RenderableChart& loaded_;
  const LintInputs& inputs_;
  const LintContext& context_;
  ObjectTypes types_;
  Messages messages_;
  std::set<std::string> seen_;
};

}  // namespace chartwright::helm::lint
