// SPDX-License-Identifier: Apache-2.0
#include "resource/annotations.h"

#include <array>

#include "base/unicode.h"
#include "go/parse_bool.h"
#include "go/quote.h"

namespace chartwright::op {
namespace {

constexpr std::array<AnnotationHelp, 14> kAnnotations = {{
    {kRollbackTo, "a revision, or previous", "Rolls back to that revision."},
    {kReconcileRequestedAt, "any new value", "Reconciles once, now."},
    {kPaused, "a reason",
     "Pauses: children, patches and externals stay as they are, whatever happens to them."},
    {kPausedUntil, "a time, as in RFC 3339", "Ends the pause at that time."},
    {kAdopt, "\"true\"",
     "Takes over existing objects that have no owner and consent (chartwright.io/adoptable-by)."},
    {kAllowEmptyRender, "\"true\"", "Allows a chart that renders no object to prune all children."},
    {kDisableHooks, "\"true\"",
     "Runs no hooks of the chart, also when the custom resource is deleted."},
    {kDrift, "repair, warn or ignore",
     "Sets what follows when others change or delete a child, whatever its rule says: it is set "
     "back; it stays, and the condition Drifted tells of it; it stays."},
    {kOnInstallFailure, "hold or uninstall",
     "Sets onInstallFailure of this custom resource: what follows a failed install."},
    {kOnUpgradeFailure, "hold or rollback",
     "Sets onUpgradeFailure of this custom resource: what follows a failed upgrade."},
    {kDeletionPolicy, "Orphan",
     "Leaves the objects outside the cluster when the custom resource is deleted."},
    {kExternalId, "an id, or none",
     "With .NAME at the end of the key: the id of that external, where an interrupted create left "
     "it unknown, one of those that the condition AmbiguousCreate names. none: nothing was made."},
    {kReconcilePeriod, "a Go duration",
     "Sets reconcilePeriod of this custom resource; 0s: no periodic reconcile."},
    {kUninstallWait, "\"true\"", "Keeps the finalizer until all children are gone."},
}};

template <typename Choice>
base::Status read_policy(const value::Value& cr, std::string_view key,
                         const bundle::Choices<Choice, 2>& names, Choice& policy) {
  const auto annotation = kube::annotation_of(cr, key);
  if (!annotation) {
    return {};
  }
  auto choice = bundle::find_choice<Choice, 2>(*annotation, names);
  if (!choice.ok()) {
    return base::Error(base::ErrorCode::kInvalidArgument,
                       std::string(key) + ": " + choice.error().message());
  }
  policy = *choice;
  return {};
}

}  // namespace

std::optional<Pause> requested_pause(const value::Value& cr, base::WallTime now) {
  const auto reason = kube::annotation_of(cr, kPaused);
  if (!reason || reason->empty() || *reason == "false") {
    return std::nullopt;
  }
  Pause pause{std::string(*reason), {}};
  const auto until = kube::annotation_of(cr, kPausedUntil);
  if (!until) {
    return pause;
  }
  const auto end = base::parse_rfc3339(*until);
  if (!end.ok()) {
    pause.until_is_valid = false;
    return pause;
  }
  pause.until = *end;
  return *end > now ? std::optional(pause) : std::nullopt;
}

base::Result<FailurePolicy> failure_policy(const value::Value& cr, const bundle::Watch& watch) {
  FailurePolicy policy{watch.on_install_failure, watch.on_upgrade_failure};
  CW_TRY_VOID(read_policy(cr, kOnInstallFailure, bundle::kInstallFailures, policy.install));
  CW_TRY_VOID(read_policy(cr, kOnUpgradeFailure, bundle::kUpgradeFailures, policy.upgrade));
  return policy;
}

std::optional<release::DriftPolicy> requested_drift(const value::Value& cr) {
  const auto text = kube::annotation_of(cr, kDrift);
  const auto policy =
      bundle::find_choice<release::DriftPolicy, 3>(text.value_or(""), bundle::kDriftPolicies);
  return policy.ok() ? std::optional(*policy) : std::nullopt;
}

bool is_requested(const value::Value& cr, std::string_view key) {
  const auto text = kube::annotation_of(cr, key);
  return text && go::parse_bool(*text).value_or(false);
}

// A value that asks for nothing needs no answer: helm-operator's default of the one is false, of
// the other true. An empty value asks for nothing in helm-operator, too.
std::vector<std::string> unused_annotations(const value::Value& cr) {
  constexpr size_t kShownBytesMax = 100;
  constexpr std::array<std::pair<std::string_view, bool>, 2> kForce = {
      {{kUpgradeForce, false}, {kRollbackForce, true}}};
  std::vector<std::string> unused;
  if (const auto text = kube::annotation_of(cr, kDrift); text && !requested_drift(cr)) {
    unused.push_back(std::string(kDrift) + ": " +
                     go::quote(base::shortened(std::string(*text), kShownBytesMax)) +
                     " is not repair, warn or ignore, and has no effect");
  }
  for (const std::string_view key :
       {kUninstallWait, kAdopt, kAllowEmptyRender, kDisableHooks, kUpgradeForce, kRollbackForce}) {
    const auto text = kube::annotation_of(cr, key);
    if (text && !text->empty() && !go::parse_bool(*text)) {
      unused.push_back(std::string(key) + ": " +
                       go::quote(base::shortened(std::string(*text), kShownBytesMax)) +
                       " is not a boolean, such as \"true\" or \"false\", and has no effect");
    }
  }
  for (const auto& [key, default_value] : kForce) {
    const auto text = kube::annotation_of(cr, key);
    const auto value = text ? go::parse_bool(*text) : std::nullopt;
    if (value && *value != default_value) {
      unused.push_back(std::string(key) + ": " + std::string(*text) +
                       " has no effect: every change is applied by force, and an object that "
                       "cannot be changed is replaced by the rule update: recreateIfImmutable");
    }
  }
  return unused;
}

std::span<const AnnotationHelp> annotations() { return kAnnotations; }

}  // namespace chartwright::op
