// SPDX-License-Identifier: Apache-2.0
#include "subject/news.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "base/unicode.h"
#include "go/quote.h"
#include "health/conditions.h"
#include "health/holds.h"
#include "resource/field_text.h"
#include "value/json.h"

namespace chartwright::op {
namespace {

using release::Reason;
using value::Value;

// The fields of one repair that are logged, and told in its Event.
constexpr size_t kLoggedFieldsMax = 20;
constexpr size_t kToldFieldsMax = 5;
constexpr size_t kChildKindsMax = 100;

std::string text_of(const kube::ObjectRef& child) {
  return child.gvk.kind + " " + (child.ns.empty() ? "" : child.ns + "/") + child.name;
}

void tell_as_it_is(const Subject& subject, NoticeType type, std::string_view reason,
                   std::string message) {
  const release::Owner& owner = subject.owner;
  subject.services.notices.tell({owner.ref(), owner.uid,
                                 std::string(kube::resource_version_of(subject.cr)),
                                 base::to_lower_ascii(owner.gvk.kind) + "-controller", type,
                                 std::string(reason), std::move(message)});
}

// A spec can hold templates for a chart that passes it through tpl.
bool hides_values(const Subject& subject) {
  if (subject.watch.bundle.may_look_up) {
    return true;
  }
  const Value* spec = subject.cr.find("spec");
  const auto mentions = [](const std::string& text) {
    return text.find("lookup") != std::string::npos;
  };
  return (spec != nullptr &&
          mentions(value::to_json(*spec, value::JsonEscape::kNone).value_or("lookup"))) ||
         std::ranges::any_of(subject.watch.override_values,
                             [&mentions](const auto& item) { return mentions(item.second); });
}

FieldChanges changes_of(const Subject& subject, const release::Repair& repair) {
  if (repair.before.is_nil()) {
    return {};
  }
  FieldChanges changes =
      compare_fields(repair.before, repair.after, release::field_manager_of(subject.owner));
  const bool hides_all = hides_values(subject);
  const auto is_override = [&subject](const std::optional<Value>& value) {
    return value && subject.overrides.covers(*value);
  };
  for (FieldChange& field : changes.kept) {
    field.secret =
        field.secret || hides_all || is_override(field.before) || is_override(field.after);
  }
  return changes;
}

/// A field of a repair, as texts.
struct FieldNews {
  std::string path;
  std::string from;
  std::string to;
  std::string managers;

  explicit FieldNews(const FieldChange& field)
      : path(shown_path(field)), managers(shown_managers(field)) {
    const ShownValues values = shown_values(field, {});
    from = values.before.value_or("nothing");
    to = values.after.value_or("nothing");
  }
  std::string text() const {
    return path + ": " + from + " → " + to +
           (managers.empty() ? "" : " (managed by " + managers + ")");
  }
  std::string as_drift() const {
    return path + ": " + from + " instead of " + to +
           (managers.empty() ? "" : " (managed by " + managers + ")");
  }
};

void log_fields(const Subject& subject, const release::Repair& repair,
                const FieldChanges& changes) {
  const size_t shown = std::min(changes.kept.size(), kLoggedFieldsMax);
  for (size_t i = 0; i < shown; ++i) {
    const FieldNews field(changes.kept[i]);
    subject.context.log.info("Repaired field", {{"object", repair.ref.to_string()},
                                                {"field", field.path},
                                                {"from", field.from},
                                                {"to", field.to},
                                                {"managers", field.managers}});
  }
  if (const size_t more = changes.kept.size() + changes.left_out - shown; more > 0) {
    subject.context.log.info("Repaired more fields",
                             {{"object", repair.ref.to_string()}, {"fields", more}});
  }
}

// "spec.replicas: 5 → 3 (managed by scaler); spec.paused: true → nothing; and 2 more", as `text`
// has each.
std::string join_fields(const FieldChanges& changes, std::string (FieldNews::*text)() const) {
  std::vector<std::string> parts;
  const size_t shown = std::min(changes.kept.size(), kToldFieldsMax);
  for (size_t i = 0; i < shown; ++i) {
    parts.push_back((FieldNews(changes.kept[i]).*text)());
  }
  const size_t more = changes.kept.size() + changes.left_out - shown;
  return base::join(parts, "; ") + (more > 0 ? "; and " + std::to_string(more) + " more" : "");
}

std::string message_of(const release::Repair& repair, const FieldChanges& changes) {
  std::string text = text_of(repair.ref);
  if (repair.reason == Reason::kMissing) {
    return text + " was missing, and is created again";
  }
  if (changes.kept.empty()) {
    return text + (repair.reason == Reason::kOrphaned ? " had lost its owner" : " had changed");
  }
  return text + ": " + join_fields(changes, &FieldNews::text);
}

// A volume that exists, or a copy of one, is not empty.
bool is_empty_claim(const release::Desired& one) {
  const auto names = [&one](std::string_view member) {
    const Value* source = one.body.find_path({"spec", member});
    return source != nullptr && !source->is_nil();
  };
  return release::holds_data(one.ref.group_kind()) && !names("volumeName") &&
         !names("dataSource") && !names("dataSourceRef");
}

// "a, b, c and 2 more", of those that `counts` chooses.
std::string names_of(const std::vector<const release::Desired*>& objects,
                     const std::function<bool(const release::Desired&)>& counts) {
  constexpr size_t kNamedMax = 3;
  constexpr size_t kTextBytesMax = 80;
  std::vector<std::string> names;
  size_t more = 0;
  for (const release::Desired* one : objects) {
    if (counts(*one) && names.size() < kNamedMax) {
      names.push_back(base::shortened(one->ref.name, kTextBytesMax));
    } else if (counts(*one)) {
      ++more;
    }
  }
  return base::join(names, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

// "foo, bar"
std::string managers_of(const FieldChanges& changes) {
  std::set<std::string> names;
  for (const FieldChange& field : changes.kept) {
    names.insert(field.managers.begin(), field.managers.end());
  }
  FieldChange all;
  all.managers.assign(names.begin(), names.end());
  return shown_managers(all);
}

/// "reason: message" of the failure that a status reports; "" if it reports none. A chart that
/// cannot be rendered may leave Ready as it is.
struct FailureNews {
  std::string reason;
  std::string message;

  explicit FailureNews(const Value& status) {
    const Value* conditions = status.find("conditions");
    const Value* found = health::error_condition(conditions);
    if (found == nullptr) {
      return;
    }
    message = found->string_at({"message"});
    // helm-operator's word for a chart that never rendered is another than ours.
    const bool is_release = found->string_at({"type"}) == "ReleaseFailed";
    const Value* named = is_release ? health::find_condition(conditions, "Ready") : found;
    reason = (named != nullptr ? named : found)->string_at({"reason"});
  }
  std::string text() const { return reason + ": " + message; }
};

struct Told {
  std::string failure;  ///< The failure in the last Event; empty: none since one converged.
  /// Why the attempt that goes on has begun; unknown after a restart.
  std::optional<GoalReason> reason;
};

}  // namespace

base::Counter& RepairCounter::series(const std::string& kind, const std::string& child,
                                     std::string_view reason) {
  return metrics_.counter(
      {"chartwright_repairs_total", "Children that others had changed or deleted, set back"},
      {{"kind", kind}, {"child", child}, {"reason", std::string(reason)}});
}

base::Counter& RepairCounter::drifts(const std::string& kind, const std::string& child) {
  return metrics_.counter({"chartwright_drift_warnings_total",
                           "Changes of children by others that were told, and not set back"},
                          {{"kind", kind}, {"child", child}});
}

void RepairCounter::begin(const std::string& kind) {
  series(kind, "ConfigMap", release::to_string(Reason::kDrifted));
  drifts(kind, "ConfigMap");
}

void RepairCounter::count(const std::string& kind, const release::Repair& repair) {
  series(kind, label_of(repair.ref), release::to_string(repair.reason)).increment();
}

void RepairCounter::count_drift(const std::string& kind, const kube::ObjectRef& child) {
  drifts(kind, label_of(child)).increment();
}

std::string RepairCounter::label_of(const kube::ObjectRef& child) {
  std::string label = child.group_kind().to_string();
  base::MutexLock lock(mutex_);
  if (children_.size() < kChildKindsMax) {
    children_.insert(label);
  }
  return children_.contains(label) ? label : "other";
}

void tell(const Subject& subject, NoticeType type, std::string_view reason,
          const std::string& message) {
  tell_as_it_is(subject, type, reason, subject.overrides.texts().masked(message));
}

void tell_decision(const Subject& subject, const Decision& decision) {
  subject.context.log.debug(
      "Chose a goal", {{"goal", to_string(decision.goal)}, {"reason", to_string(decision.reason)}});
  if (decision.reason != GoalReason::kAttemptGoesOn) {
    subject.memories.of<Told>().reason = decision.reason;
  }
  if (subject.services.on_decision) {
    subject.services.on_decision(decision);
  }
}

void tell_override(const Subject& subject, const std::string& path, const std::string& text) {
  const std::string shown = subject.services.suppress_override_values ? "****" : text;
  tell_as_it_is(subject, NoticeType::kWarning, "OverrideValuesInUse",
                "Chart value " + go::quote(path) + " overridden to " + go::quote(shown) +
                    " by operator's watches.yaml");
}

std::string tell_repair(const Subject& subject, const release::Repair& repair) {
  const FieldChanges changes = changes_of(subject, repair);
  const bool is_known = !repair.before.is_nil() && repair.reason == Reason::kDrifted;
  if (is_known && changes.kept.empty()) {
    return {};  // Another manager had taken a field over, and left its value.
  }
  if (subject.services.repairs != nullptr) {
    subject.services.repairs->count(subject.owner.gvk.kind, repair);
  }
  log_fields(subject, repair, changes);
  tell(subject, NoticeType::kNormal, "Repaired", message_of(repair, changes));
  return managers_of(changes);
}

std::string describe_drift(const Subject& subject, const release::Repair& drift) {
  const FieldChanges changes = changes_of(subject, drift);
  return subject.overrides.texts().masked(join_fields(changes, &FieldNews::as_drift));
}

void tell_drift(const Subject& subject, const kube::ObjectRef& ref, const std::string& change) {
  if (subject.services.repairs != nullptr) {
    subject.services.repairs->count_drift(subject.owner.gvk.kind, ref);
  }
  subject.context.log.warn("A child has drifted, and stays so",
                           {{"object", ref.to_string()}, {"change", change}});
  tell(subject, NoticeType::kWarning, "Drifted",
       text_of(ref) + ": " + change + "; it stays so, because the policy for drift is warn");
}

void tell_contest(const Subject& subject, const kube::ObjectRef& ref, const std::string& managers) {
  subject.context.log.warn("Repairs wait from now on: others change the object again and again",
                           {{"object", ref.to_string()}, {"managers", managers}});
  tell(subject, NoticeType::kWarning, "Contested",
       text_of(ref) + " is changed again soon after each repair" +
           (managers.empty() ? "" : " (managed by " + managers + ")") +
           ": repairs wait longer each time, at most 5 minutes");
}

void tell_made_anew(const Subject& subject, const std::vector<const release::Desired*>& created) {
  const std::string claims = names_of(created, is_empty_claim);
  const std::string secrets =
      names_of(created, [](const release::Desired& one) { return kube::is_secret(one.ref.gvk); });
  const bool has_data = std::ranges::any_of(subject.state.inventory, [](const auto& item) {
    return release::holds_data(item.first.group_kind());
  });
  if (claims.empty() && (secrets.empty() || !has_data)) {
    return;
  }
  subject.context.log.warn(
      "Made children anew of a custom resource that seems to come from a backup",
      {{"claims", claims}, {"secrets", secrets}});
  std::string message =
      "This custom resource seems to come from a backup: it came with a "
      "finalizer, and without a status. ";
  if (!claims.empty()) {
    message += "It had no PersistentVolumeClaim " + claims + ", made anew and empty. ";
  }
  if (!secrets.empty()) {
    message += "It had no Secret " + secrets + ", made anew: a generated password is another one. ";
  }
  tell(subject, NoticeType::kWarning, claims.empty() ? "CreatedAnew" : "CreatedEmpty",
       message + "See docs/operate/backup.md");
}

void tell_deployed(const Subject& subject, std::string_view reason, int revision,
                   const std::string& chart) {
  const std::optional<GoalReason> why = subject.memories.of<Told>().reason;
  tell(subject, NoticeType::kNormal, reason,
       "Revision " + std::to_string(revision) + " of release " + subject.owner.name +
           " is deployed, by chart " + chart +
           (why && !is_usual(*why) ? ", because " + std::string(explanation(*why)) : ""));
}

void forget_failure(const Subject& subject) { subject.memories.of<Told>().failure.clear(); }

void tell_failure(const Subject& subject, const Value& previous, const Value& status) {
  FailureNews now(status);
  std::string& told = subject.memories.of<Told>().failure;
  if (now.reason.empty() || told == now.text()) {
    return;
  }
  const bool is_known = told.empty() && FailureNews(previous).text() == now.text();
  told = now.text();
  if (!is_known) {
    tell(subject, NoticeType::kWarning, now.reason, now.message);
  }
}

}  // namespace chartwright::op
