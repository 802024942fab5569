// SPDX-License-Identifier: Apache-2.0
#include "subject/input_digests.h"

#include <utility>

#include "bundle/override_values.h"
#include "external/runner.h"
#include "revision/keyed_digest.h"
#include "value/json.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

// Begins a digest without a key.
constexpr std::string_view kPlainPrefix = "sha256:";

/// Names a render that sees the ids of externals, too.
std::string with_ids(const std::string& key, const Value& external) {
  return external.is_nil()
             ? key
             : host::with_lookups(key,
                                  value::to_json(external, value::JsonEscape::kNone).value_or(""));
}

// The part of a custom resource that operator/values.yaml may read: identity and wishes.
Value mappable(const Value& cr) {
  Value metadata = Value::dict();
  for (std::string_view key :
       {"name", "namespace", "uid", "creationTimestamp", "labels", "annotations"}) {
    if (const Value* member = cr.find_path({"metadata", key})) {
      metadata.mutable_dict().set(key, *member);
    }
  }
  Value source = Value::dict({{"metadata", metadata}});
  for (std::string_view key : {"apiVersion", "kind", "spec"}) {
    if (const Value* member = cr.find(key)) {
      source.mutable_dict().set(key, *member);
    }
  }
  return source;
}

}  // namespace

base::Result<Value> release_config(const Value& cr, const bundle::Watch& watch) {
  const Value* spec = cr.find("spec");
  if (spec != nullptr && !spec->is_nil() && !spec->is_dict()) {
    return Error(ErrorCode::kInvalidArgument, "failed to get spec: expected a map");
  }
  Value config = spec != nullptr && spec->is_dict() ? value::deep_copy(*spec) : Value::dict();
  return bundle::with_overrides(std::move(config), watch.override_values);
}

base::Result<Value> InputDigests::config() {
  if (!subject_.watch.bundle.values_template) {
    return release_config(subject_.cr, subject_.watch);
  }
  CW_TRY(Value values, mapped_values());
  return bundle::with_overrides(std::move(values), subject_.watch.override_values);
}

// Rendered anew only for another custom resource or other ids, not for another status.
base::Result<Value> InputDigests::mapped_values() {
  const bundle::Bundle& bundle = subject_.watch.bundle;
  const bundle::Renderer& renderer = subject_.services.renderer;
  bundle::ReleaseInputs source = inputs_.release;
  source.config = mappable(subject_.cr);
  MappedValues& mapped = subject_.memories.of<MappedValues>();
  inputs_.spec_key = renderer.inputs_key(bundle, source);  // Marks the render.
  const std::string key = with_ids(inputs_.spec_key, source.external);
  if (mapped.key != key) {
    CW_TRY(const Value values, renders_.run(host::Source::kOperatorFolder, [&] {
      return renderer.render_values(bundle, {source.config, source.external});
    }));
    mapped = {key, value::Packed(values)};
  }
  return mapped.values.unpack();
}

base::Status InputDigests::prepare() {
  const bundle::Watch& watch = subject_.watch;
  bundle::ReleaseInputs& release = inputs_.release;
  release.name = subject_.owner.name;
  release.ns = subject_.owner.release_namespace();
  if (release.ns.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 "a cluster-scoped custom resource has its revisions, and the objects whose "
                 "template names no namespace, in the operator's own: that is not known (set "
                 "POD_NAMESPACE), or WATCH_NAMESPACE leaves it out");
  }
  release.revision = subject_.progress.revision() + 1;
  release.capabilities = subject_.services.renderer.capabilities();
  release.mapped = watch.bundle.values_template.has_value();
  release.external = external::captures(watch.bundle.externals, subject_.state.externals);
  CW_TRY(release.config, config());
  release.overrides = watch.override_values;
  inputs_.spec_key = subject_.services.renderer.inputs_key(watch.bundle, release);
  if (watch.bundle.has_crds && watch.crds == release::DefinitionPolicy::kCreateOrUpdate) {
    // So that the policy takes effect when it is chosen.
    inputs_.spec_key = host::with_lookups(inputs_.spec_key, "crds: createOrUpdate");
  }
  inputs_.chart_key = with_ids(inputs_.spec_key, release.external);
  inputs_.key = inputs_.chart_key;
  if (watch.dry_run == bundle::DryRunMode::kServer) {
    CW_TRY_VOID(add_lookups());
  }
  inputs_.attempt = inputs_.key + retry_requests(subject_.cr);
  return set_digests();
}

// A chart that may read the cluster depends on the objects it found, so their versions are inputs.
// The lookups of a render before our start are not known: the "?" makes the next render find out.
base::Status InputDigests::add_lookups() {
  const auto& lookups = subject_.state.lookups;
  if (!lookups) {
    inputs_.key += "?";
    return {};
  }
  CW_TRY(const std::string versions,
         host::current_versions(*lookups, subject_.services.client, subject_.call,
                                subject_.services.clock));
  inputs_.key = host::with_lookups(inputs_.key, versions);
  return {};
}

base::Status InputDigests::set_digests() {
  if (!subject_.watch.override_values.empty()) {
    CW_TRY_VOID(ensure_key());
  }
  CW_TRY(inputs_.spec_digest, digest_of(inputs_.spec_key));
  CW_TRY(inputs_.digest, digest_of(inputs_.key));
  CW_TRY(inputs_.attempt_digest,
         digest_of(host::with_lookups(inputs_.chart_key, retry_requests(subject_.cr))));
  return {};
}

// Without overrides the inputs reveal nothing but the spec, which is in the same object. Then no
// key is needed, and a new process with nothing to do sends no request.
base::Result<std::string> InputDigests::digest_of(const std::string& key) const {
  if (subject_.watch.override_values.empty()) {
    return std::string(kPlainPrefix) + key;
  }
  return release::keyed_digest(subject_.state.key, key);
}

// Under a new key every digest changes, so the release in force is recorded once more.
base::Status InputDigests::ensure_key() {
  if (!key_.empty()) {
    return {};
  }
  if (subject_.progress.revision() > 0) {
    auto searched = records_.find(subject_.progress.revision());
    if (!searched.ok()) {
      return std::move(searched).error().wrap("read the key of digests");
    }
    if (searched->found()) {
      key_ = std::move(searched->thing().key);
      return {};
    }
  }
  CW_TRY(key_, release::make_key());
  return {};
}

}  // namespace chartwright::op
