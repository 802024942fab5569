// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "helm/chart/chart.h"
#include "helm/chart/files.h"
#include "helm/chart/loader.h"
#include "helm/schema/schema.h"
#include "helm/version/profile.h"
#include "tmpl/template.h"

namespace chartwright::helm {

/// One template file of a chart tree as it is parsed: its full path and its text.
struct TemplateSource {
  std::string path;  ///< "chart/charts/sub/templates/x.yaml"
  const std::string* text;
};

/// A chart, loaded and ready to render any number of times, with the files of its operator/ folder.
/// Immutable as callers see it and thread-safe: parsed templates and schemas are made on first use
/// and shared.
class Bundle {
 public:
  /// Reads a chart folder or .tgz. Errors: as load_chart.
  static base::Result<std::shared_ptr<const Bundle>> load(
      const std::string& path, const Profile& profile = default_profile());
  /// The same from files in memory. Errors: as load_chart_files.
  static base::Result<std::shared_ptr<const Bundle>> from_files(
      std::vector<File> files, const Profile& profile = default_profile());

  /// The version of Helm that renders it.
  const Profile& profile() const { return *profile_; }
  const Chart& chart() const { return chart_; }
  /// Lower-case hex SHA-256 over the version of Helm and the names and contents of all files: equal
  /// for bundles that render alike. Computed when first asked for.
  std::string digest() const CW_EXCLUDES(mutex_);
  /// Files below operator/ by their path there: "operator.yaml", "patches/claims.yaml".
  const std::map<std::string, std::string>& operator_files() const { return operator_files_; }
  /// What was noticed while loading.
  const Warnings& warnings() const { return warnings_; }

  /// The namespace made by parsing `sources` in order; kept for the next render. Error: kParse in
  /// Helm's words ("parse error at (F:1): ...").
  base::Result<std::shared_ptr<const tmpl::Template>> templates(
      const std::vector<TemplateSource>& sources) const CW_EXCLUDES(mutex_);
  /// A chart's compiled values.schema.json, which must be there; kept for the next render. Errors:
  /// as Schema::compile.
  base::Result<std::shared_ptr<const Schema>> schema(const ChartContent& content) const
      CW_EXCLUDES(mutex_);

 private:
  explicit Bundle(const Profile& profile) : profile_(&profile) {}
  static std::shared_ptr<const Bundle> from_loaded(LoadedChart loaded, const Profile& profile);
  const Profile* profile_;
  Chart chart_;
  std::map<std::string, std::string> operator_files_;
  Warnings warnings_;

  mutable base::Mutex mutex_;
  mutable std::string digest_ CW_GUARDED_BY(mutex_);
  /// What the digest is of, until it is known.
  mutable std::vector<File> all_files_ CW_GUARDED_BY(mutex_);
  /// By the paths and texts parsed: conditions and tags decide which subcharts take part.
  mutable std::map<std::string, std::shared_ptr<const tmpl::Template>> parsed_
      CW_GUARDED_BY(mutex_);
  mutable std::map<const ChartContent*, std::shared_ptr<const Schema>> schemas_
      CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::helm
