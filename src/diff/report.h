// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/override_mask.h"
#include "diff/rehearsal.h"
#include "resource/field_changes.h"

namespace chartwright::diff {

using op::compare_fields;
using op::FieldChange;
using op::FieldChanges;

/// The future of an object.
enum class Fate : uint8_t {
  kCreate,
  kApply,
  kRecreate,  ///< Deleted, and created anew when it is gone.
  kDelete,
  kHook,       ///< The object of a hook is created and waited for.
  kHold,       ///< A change waits, or an object stays, because a rule says so.
  kOwnership,  ///< Only the managers of its fields change, or nothing.
  kUnchanged,
};

std::string_view to_string(Fate fate);  ///< "create", "apply", ...

/// Reports whether the object would be another one afterwards.
bool is_change(Fate fate);

/// Begins the consequence that pods are restarted.
inline constexpr std::string_view kRestartsMark = "restarts ";

struct ObjectChange {
  kube::ObjectRef ref;
  Fate fate = Fate::kUnchanged;
  std::string why;  ///< "spec.selector is immutable", "drifted", ...; may be empty.
  FieldChanges fields;
  std::vector<std::string> consequences;  ///< "restarts the pods of this workload", ...
};

/// The effects of a reconcile, for people and machines.
struct Report {
  std::vector<ObjectChange> objects;  ///< In the order in which they would be written.
  bool changes_externals = false;
  std::vector<std::string> notes;        ///< "the custom resource is paused: ...", ...
  std::optional<int> revision;           ///< The revision that would be recorded.
  std::optional<op::Decision> decision;  ///< The goal of the reconcile, and why.
  std::optional<base::Error> failure;
  host::SecretMask secrets;
};

/// Pure.
Report report_of(Rehearsal rehearsal);

/// Hides the values of overrideValues, also of fields that have one.
void hide_overrides(Report& report, const bundle::OverrideMask& overrides);

/// Reports whether an object or an external would be another one afterwards.
bool has_changes(const Report& report);

/// Returns what the change of one live object into another has as a consequence. Nil: there is no
/// such object. Pure.
std::vector<std::string> consequences_of(Fate fate, const value::Value& before,
                                         const value::Value& after);

}  // namespace chartwright::diff
