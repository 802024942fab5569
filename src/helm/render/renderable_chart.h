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
#include "helm/funcs/caches.h"
#include "helm/render/chart_schemas.h"
#include "helm/schema/schema.h"
#include "helm/version/profile.h"
#include "tmpl/template.h"

namespace chartwright::helm {

/// The full path and the text of one template file of a chart tree.
struct TemplateSource {
  std::string path;  ///< "chart/charts/sub/templates/x.yaml"
  const std::string* text;
};

/// A loaded chart with the files of its operator/ folder, ready to be rendered any number of times.
/// Logically immutable and thread-safe: parsed templates, compiled schemas and results of functions
/// are made on first use and shared.
class RenderableChart {
 public:
  /// Loads a chart folder or .tgz. The documents that its schemas refer to are loaded from
  /// `schemas` when those are compiled. Errors: as load_chart.
  static base::Result<std::shared_ptr<const RenderableChart>> load(
      const std::string& path, const Profile& profile = default_profile(),
      SchemaSources schemas = {});
  /// Loads a chart from files in memory. Errors: as load_chart_files.
  static base::Result<std::shared_ptr<const RenderableChart>> from_files(
      std::vector<File> files, const Profile& profile = default_profile(),
      SchemaSources schemas = {});

  /// The version of Helm that renders the chart.
  const Profile& profile() const { return *profile_; }
  const Chart& chart() const { return chart_; }
  /// Returns the SHA-256, in lower-case hex, of the version of Helm and the names and contents of
  /// all files. Charts with equal digests render alike. Computed on the first call.
  std::string digest() const CW_EXCLUDES(mutex_);
  /// Files below operator/, by their path in that folder: "operator.yaml", "patches/claims.yaml".
  const std::map<std::string, std::string>& operator_files() const { return operator_files_; }
  /// The warnings of loading the chart.
  const Warnings& warnings() const { return warnings_; }

  /// Returns the namespace of templates made by parsing `sources` in order, cached for later
  /// renders. Error: kParse in Helm's words ("parse error at (F:1): ...").
  base::Result<std::shared_ptr<const tmpl::Template>> templates(
      const std::vector<TemplateSource>& sources) const CW_EXCLUDES(mutex_);
  /// Returns the compiled values.schema.json of a chart, which must have one, cached for later
  /// renders. May block. Errors: as Schema::compile.
  base::Result<std::shared_ptr<const Schema>> schema(const ChartContent& content) const
      CW_EXCLUDES(mutex_);
  /// The caches of the functions that its templates call, kept for later renders.
  funcs::Caches& caches() const { return caches_; }

 private:
  RenderableChart(const Profile& profile, SchemaSources schemas)
      : profile_(&profile), schema_sources_(std::move(schemas)) {}
  static std::shared_ptr<const RenderableChart> from_loaded(LoadedChart loaded,
                                                            const Profile& profile,
                                                            SchemaSources schemas);
  const Profile* profile_;
  const SchemaSources schema_sources_;
  Chart chart_;
  std::map<std::string, std::string> operator_files_;
  Warnings warnings_;

  mutable funcs::Caches caches_;
  mutable base::Mutex mutex_;
  mutable std::string digest_ CW_GUARDED_BY(mutex_);
  /// The input of the digest, until it is computed.
  mutable std::vector<File> all_files_ CW_GUARDED_BY(mutex_);
  /// The key is the paths and texts parsed, which depend on the subcharts that conditions and tags
  /// enable.
  mutable std::map<std::string, std::shared_ptr<const tmpl::Template>> parsed_
      CW_GUARDED_BY(mutex_);
  mutable std::map<const ChartContent*, std::shared_ptr<const Schema>> schemas_
      CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::helm
