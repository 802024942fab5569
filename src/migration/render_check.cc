// SPDX-License-Identifier: Apache-2.0
#include "migration/render_check.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bundle/bundle.h"
#include "bundle/override_values.h"
#include "bundle/renderer.h"
#include "helm/render/capabilities.h"
#include "helm/version/profile.h"
#include "kube/object.h"
#include "release/hook.h"

namespace chartwright::cmd {
namespace {

using value::Value;

/// The version that helm-operator embeds.
constexpr std::string_view kTheirHelm = "3.18";
constexpr std::string_view kCheck = "render";

const helm::Profile& their_profile() {
  const auto all = helm::profiles();
  const auto found = std::ranges::find(all, kTheirHelm, &helm::Profile::name);
  return helm::embedded_profile(found == all.end() ? helm::default_profile() : *found);
}

/// The documents of a render, and whether another one gives the same.
struct Outcome {
  std::string text;
  bool repeatable = true;
};

base::Result<Outcome> rendered(const bundle::Bundle& bundle, const bundle::Watch& watch,
                               const Value& cr, base::Clock& clock) {
  const bundle::Renderer renderer(helm::Capabilities::offline(their_profile()), clock);
  bundle::ReleaseInputs inputs;
  inputs.name = kube::name_of(cr);
  inputs.ns = kube::namespace_of(cr).empty() ? "default" : kube::namespace_of(cr);
  const Value* spec = cr.find("spec");
  const bool has_spec = spec != nullptr && spec->is_dict();
  CW_TRY(inputs.config, bundle::with_overrides(has_spec ? value::deep_copy(*spec) : Value::dict(),
                                               watch.override_values));
  inputs.overrides = watch.override_values;
  CW_TRY(const bundle::RenderedRelease release, renderer.render(bundle, inputs, nullptr));
  CW_TRY(std::string text, release::text_of_release(release.manifest, release.hooks));
  return Outcome{std::move(text), release.repeatable};
}

Finding compare(const bundle::Watch& watch, const bundle::Bundle& theirs, const Value& cr,
                base::Clock& clock) {
  const std::string subject = watch.gvk.kind + " " + std::string(kube::name_of(cr));
  const std::string_view ours_name = watch.bundle.chart->profile().name;
  const auto ours = rendered(watch.bundle, watch, cr, clock);
  const auto other = rendered(theirs, watch, cr, clock);
  const std::string check(kCheck);
  if (!ours.ok() && !other.ok()) {
    return {Grade::kWarn, check, subject + " renders with no version: " + ours.error().message(),
            "give a sample that renders in config/samples"};
  }
  const std::string stay = "set helmVersion: \"" + std::string(kTheirHelm) + "\" in watches.yaml";
  if (!ours.ok()) {
    return {Grade::kFail, check, subject + " does not render: " + ours.error().message(), stay};
  }
  if (!ours->repeatable) {
    return {Grade::kOk, check,
            subject + " renders; chance or the clock has a part in it, so that it is not compared"};
  }
  if (!other.ok() || ours->text != other->text) {
    return {Grade::kWarn, check,
            subject + " renders otherwise as Helm " + std::string(ours_name) + " than as Helm " +
                std::string(kTheirHelm),
            stay};
  }
  return {Grade::kOk, check, subject + " renders the same as in helm-operator"};
}

}  // namespace

std::vector<Finding> check_renders(const bundle::Watch& watch, const std::vector<Value>& samples,
                                   base::Clock& clock) {
  const auto theirs = bundle::load_bundle(watch.chart_path, their_profile());
  if (!theirs.ok()) {
    return {
        {Grade::kWarn, std::string(kCheck),
         watch.chart_path + " loads here, but not as in helm-operator: " + theirs.error().message(),
         ""}};
  }
  std::vector<Finding> findings;
  for (const Value& cr : samples) {
    if (kube::gvk_of(cr).group_kind() == watch.gvk.group_kind()) {
      findings.push_back(compare(watch, *theirs, cr, clock));
    }
  }
  if (findings.empty()) {
    const Value metadata = Value::dict({{"name", Value::string("sample")}});
    findings.push_back(compare(watch, *theirs, Value::dict({{"metadata", metadata}}), clock));
  }
  return findings;
}

}  // namespace chartwright::cmd
