// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "helm/lint/ci_values.h"
#include "helm/lint/helm.h"
#include "helm/render/traced_render.h"

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
  /// A fault in a document.
  struct Fault {
    const Document* document;
    Severity severity;
    std::string text;
    std::vector<value::Path::Step> steps;
  };
  std::vector<Fault> faults_of(const Document& document, bool is_complete);
  void note_faults(const std::vector<Fault>& faults, const CiValues& variant,
                   const helm::RenderRequest& request);
  void check_names(const std::vector<Document>& documents, const CiValues& variant);
  void add_crds(const std::vector<Document>& documents);
  void note(Severity severity, const std::string& path, const std::string& text,
            const CiValues& variant);
  bool is_new(const std::string& path, const std::string& text);
  void report(Severity severity, const std::string& path, const std::string& text,
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
