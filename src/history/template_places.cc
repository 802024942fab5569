// SPDX-License-Identifier: Apache-2.0
#include "history/template_places.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "fields/misfits.h"
#include "helm/render/stored_manifest.h"
#include "host/cluster_lookup.h"
#include "release/desired.h"
#include "release/document_search.h"
#include "yaml/locate.h"
#include "yaml/yaml.h"

namespace chartwright::op {

using value::Path;
using value::Value;
using Steps = std::vector<Path::Step>;

std::string template_of(const Value& object, const std::string& manifest) {
  for (const std::string_view stored : helm::split_stored(manifest)) {
    const auto document = yaml::parse_yaml(helm::without_source(stored), value::Numbers::kInt64);
    const auto found = document.ok() ? release::expand_lists(*document)
                                     : base::Result<std::vector<Value>>(std::vector<Value>());
    const bool is_it = found.ok() && std::ranges::any_of(*found, [&object](const Value& one) {
                         return kube::gvk_of(one) == kube::gvk_of(object) &&
                                kube::name_of(one) == kube::name_of(object) &&
                                kube::namespace_of(one) == kube::namespace_of(object);
                       });
    if (is_it) {
      return std::string(helm::source_of(stored));
    }
  }
  return "";
}

void TemplatePlaces::name() {
  open_.clear();
  for (auto& [ref, entry] : inventory_) {
    if (!entry.left_out.empty()) {
      entry.left_out = fields::with_places(entry.left_out, nullptr);
      open_.insert(ref);
    }
  }
  // Under a pin, what is in force was not made from these inputs.
  if (!open_.empty() && !subject_.progress.is_pinned()) {
    host::ClusterLookup lookup(subject_.services.client, subject_.call);
    static_cast<void>(renders_.run(host::Source::kChart, [this, &lookup] {
      return subject_.services.renderer.trace(
          subject_.watch.bundle, inputs_.release, &lookup,
          [this](const helm::TracedDocument& document) {
            name_in(document.text(), document.path(), [&document](const Path& field) {
              const auto at = yaml::locate_in_yaml(document.text(), field.steps());
              const auto pos = at ? document.writer_of(*at) : std::nullopt;
              return pos ? pos->file + ":" + std::to_string(pos->line) : document.path();
            });
          });
    }));
  }
  if (!open_.empty() && subject_.progress.revision() > 0) {
    name_by_record();
  }
}

void TemplatePlaces::name_by_record() {
  const auto revision = records_.load(subject_.progress.revision());
  if (!revision.ok()) {
    return;
  }
  static_cast<void>(renders_.run(host::Source::kManifest, [this, &revision]() -> base::Status {
    for (const std::string_view stored : helm::split_stored(revision->manifest)) {
      std::string path(helm::source_of(stored));
      name_in(helm::without_source(stored), path, [&path](const Path&) { return path; });
    }
    return {};
  }));
}

void TemplatePlaces::name_in(std::string_view document, const std::string& path,
                             const Lines& line_of) {
  const auto parsed = open_.empty() ? base::Result<Value>(Value())
                                    : yaml::parse_yaml(document, value::Numbers::kInt64);
  if (!parsed.ok() || parsed->is_nil()) {
    return;
  }
  std::erase_if(open_, [&](const kube::ObjectRef& ref) {
    release::InventoryEntry& entry = inventory_.at(ref);
    const release::DocumentSearch search(release::slot_of(ref, entry),
                                         subject_.owner.release_namespace());
    const std::optional<Steps> object = search.in(*parsed);
    if (!object) {
      return false;
    }
    const Value* body = Path(*object).get(*parsed);
    entry.left_out = fields::with_places(entry.left_out, [&](std::string_view part) {
      const auto field = fields::place_of_left_out(part, *body);
      if (!field) {
        return path;
      }
      Steps steps = *object;
      steps.insert(steps.end(), field->steps().begin(), field->steps().end());
      return line_of(Path(std::move(steps)));
    });
    return true;
  });
}

}  // namespace chartwright::op
