// SPDX-License-Identifier: Apache-2.0
#include "helm/render/renderable_chart.h"

#include <algorithm>

#include "base/digest.h"
#include "helm/render/functions.h"
#include "helm/render/template_error.h"

namespace chartwright::helm {
namespace {

constexpr std::string_view kOperatorFolder = "operator/";
/// Maximum number of sets of enabled subcharts whose parsed templates are cached.
constexpr size_t kParsedSetsMax = 32;

/// Returns the digest of files. Their names and lengths make the hashed text unambiguous.
std::string digest_of(const std::vector<File>& files, const Profile& profile) {
  std::vector<const File*> sorted;
  sorted.reserve(files.size());
  for (const File& file : files) {
    sorted.push_back(&file);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const File* a, const File* b) { return a->name < b->name; });
  std::string all(profile.name);
  for (const File* file : sorted) {
    all += std::to_string(file->name.size()) + ":" + file->name;
    all += std::to_string(file->data.size()) + ":" + file->data;
  }
  return base::sha256_hex(all);
}

std::string key_of(const std::vector<TemplateSource>& sources) {
  std::string key;
  for (const TemplateSource& source : sources) {
    key += source.path;
    key += '\n';
    key += std::to_string(reinterpret_cast<uintptr_t>(source.text));
    key += '\n';
  }
  return key;
}

}  // namespace

base::Result<std::shared_ptr<const RenderableChart>> RenderableChart::load(const std::string& path,
                                                                           const Profile& profile,
                                                                           SchemaSources schemas) {
  CW_TRY(LoadedChart loaded, load_chart(path, profile));
  return from_loaded(std::move(loaded), profile, std::move(schemas));
}

base::Result<std::shared_ptr<const RenderableChart>> RenderableChart::from_files(
    std::vector<File> files, const Profile& profile, SchemaSources schemas) {
  CW_TRY(LoadedChart loaded, load_chart_files(std::move(files), profile));
  return from_loaded(std::move(loaded), profile, std::move(schemas));
}

std::shared_ptr<const RenderableChart> RenderableChart::from_loaded(LoadedChart loaded,
                                                                    const Profile& profile,
                                                                    SchemaSources schemas) {
  std::shared_ptr<RenderableChart> renderable(new RenderableChart(profile, std::move(schemas)));
  renderable->chart_ = std::move(loaded.chart);
  renderable->warnings_ = std::move(loaded.warnings);
  for (const File& file : loaded.all_files) {
    if (file.name.starts_with(kOperatorFolder)) {
      renderable->operator_files_.emplace(file.name.substr(kOperatorFolder.size()), file.data);
    }
  }
  const base::MutexLock lock(renderable->mutex_);
  renderable->all_files_ = std::move(loaded.all_files);
  return renderable;
}

std::string RenderableChart::digest() const {
  const base::MutexLock lock(mutex_);
  if (digest_.empty()) {
    digest_ = digest_of(all_files_, *profile_);
    all_files_ = {};
  }
  return digest_;
}

base::Result<std::shared_ptr<const tmpl::Template>> RenderableChart::templates(
    const std::vector<TemplateSource>& sources) const {
  const std::string key = key_of(sources);
  {
    const base::MutexLock lock(mutex_);
    if (const auto found = parsed_.find(key); found != parsed_.end()) {
      return found->second;
    }
  }
  auto parsed =
      std::make_shared<tmpl::Template>(helm_functions(*profile_), std::string(kRootTemplateName));
  for (const TemplateSource& source : sources) {
    if (auto status = parsed->parse(source.path, *source.text); !status.ok()) {
      return clean_parse_error(std::move(status).error(), *source.text);
    }
  }
  const base::MutexLock lock(mutex_);
  if (parsed_.size() >= kParsedSetsMax) {
    parsed_.clear();
  }
  return parsed_.try_emplace(key, std::move(parsed)).first->second;
}

base::Result<std::shared_ptr<const Schema>> RenderableChart::schema(
    const ChartContent& content) const {
  {
    const base::MutexLock lock(mutex_);
    if (const auto found = schemas_.find(&content); found != schemas_.end()) {
      return found->second;
    }
  }
  const ChartSchemas source(operator_files_, schema_sources_);
  CW_TRY(Schema compiled, Schema::compile(*content.schema, profile_->schemas, &source));
  const base::MutexLock lock(mutex_);
  return schemas_.try_emplace(&content, std::make_shared<const Schema>(std::move(compiled)))
      .first->second;
}

}  // namespace chartwright::helm
