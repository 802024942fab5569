// SPDX-License-Identifier: Apache-2.0
#include "origin/recorded.h"

#include <utility>
#include <vector>

#include "fields/projection.h"
#include "helm/render/stored_manifest.h"
#include "kube/object.h"
#include "record/packed_chart.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::origin {
namespace {

using base::Error;
using base::ErrorCode;
using value::Path;
using value::Value;

constexpr std::string_view kTemplates = "templates/";

base::Result<helm::File> json_file(const std::string& name, const Value& content) {
  CW_TRY(std::string text,
         value::to_json(content.is_nil() ? Value::dict() : content, value::JsonEscape::kNone));
  return helm::File{name, std::move(text)};
}

/// Adds the Secrets of a document, which may be a list.
void add_secrets(const Value& document, host::SecretMask& secrets) {
  if (kube::is_secret(kube::gvk_of(document))) {
    secrets.add(document);
  }
  for (const Value& item : document.items_at({"items"})) {
    if (kube::is_secret(kube::gvk_of(item))) {
      secrets.add(item);
    }
  }
}

}  // namespace

std::optional<RecordedObject> recorded_object(const std::string& manifest,
                                              const release::DocumentSearch& search) {
  for (const std::string_view stored : helm::split_stored(manifest)) {
    const auto document = yaml::parse_yaml(helm::without_source(stored), value::Numbers::kInt64);
    const auto steps = document.ok() ? search.in(*document) : std::nullopt;
    if (steps) {
      return RecordedObject{*Path(*steps).get(*document), std::string(helm::source_of(stored))};
    }
  }
  return std::nullopt;
}

host::SecretMask secrets_in(const std::string& manifest) {
  host::SecretMask secrets;
  for (const std::string_view stored : helm::split_stored(manifest)) {
    const auto document = yaml::parse_yaml(helm::without_source(stored), value::Numbers::kInt64);
    if (document.ok()) {
      add_secrets(*document, secrets);
    }
  }
  return secrets;
}

base::Result<std::shared_ptr<const helm::RenderableChart>> recorded_chart(
    const release::Revision& revision) {
  record::UnpackedChart unpacked;
  if (revision.chart_files != nullptr) {
    CW_TRY(unpacked, record::unpack_chart(*revision.chart_files));
  }
  if (unpacked.templates.empty()) {
    return Error(ErrorCode::kNotFound, "the record of revision " + std::to_string(revision.number) +
                                           " does not have the templates of the chart");
  }
  std::vector<helm::File> files;
  CW_TRY(files.emplace_back(), json_file("Chart.yaml", revision.chart_metadata));
  CW_TRY(files.emplace_back(), json_file("values.yaml", with_integers(revision.chart_values)));
  for (record::UnpackedChart::File& file : unpacked.templates) {
    if (file.name.starts_with(kTemplates)) {
      files.push_back({std::move(file.name), std::move(file.data)});
    }
  }
  for (record::UnpackedChart::File& file : unpacked.files) {
    if (!file.name.starts_with(kTemplates) && file.name != "Chart.yaml" &&
        file.name != "values.yaml") {
      files.push_back({std::move(file.name), std::move(file.data)});
    }
  }
  return helm::RenderableChart::from_files(std::move(files));
}

Value with_integers(const Value& decoded) {
  const auto json = value::to_json(decoded, value::JsonEscape::kNone);
  auto read = json.ok() ? value::parse_json(*json, value::Numbers::kInt64)
                        : base::Result<Value>(json.error());
  return read.ok() ? *std::move(read) : decoded;
}

std::optional<Value> SinceSearch::value_in(const release::Revision& revision) const {
  const auto found = object_ ? recorded_object(revision.manifest, *object_)
                             : std::optional(RecordedObject{
                                   Value::dict({{"spec", with_integers(revision.config)}}), ""});
  const auto path = found ? field_.in(found->body) : std::nullopt;
  return path ? std::optional(*path->get(found->body)) : std::nullopt;
}

bool SinceSearch::add(const release::Revision& revision) {
  const auto value = value_in(revision);
  if (!since_ && !value) {
    return false;
  }
  const bool is_same = value && (!since_ || fields::already_holds(value_, *value));
  if (!is_same) {
    since_->is_certain = true;
    return false;
  }
  value_ = *value;
  since_ = Since{revision.number, revision.last_deployed, revision.description,
                 revision.spec.manager, revision.number == 1};
  return revision.number > 1;
}

}  // namespace chartwright::origin
