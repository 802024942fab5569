// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "value/path.h"
#include "value/value.h"

namespace chartwright::release {

/// Selects the rendered objects that a rule applies to. An empty member matches everything.
struct ChildMatch {
  std::string api_version;
  std::string kind;
  std::string name;  ///< Glob with `*` and `?`.
  std::vector<std::pair<std::string, std::string>> labels;

  bool matches(const value::Value& object) const;
};

/// How a change of a child is brought about.
enum class Update : uint8_t {
  kApply,                ///< Applies it; a change of an immutable field is an error.
  kRecreate,             ///< Deletes the child and creates it anew.
  kRecreateIfImmutable,  ///< Applies it, or as kRecreate if a field that changes is immutable.
  kOrphanRecreate,       ///< Like kRecreateIfImmutable, but objects that the child owns stay.
  kOnDelete,             ///< Not until somebody deletes the child.
};

/// How a child ends that is no longer rendered, or whose custom resource is deleted.
enum class OnDelete : uint8_t {
  kCascade,  ///< It is deleted, with what it owns.
  kOrphan,   ///< It is deleted; what it owns stays.
  kKeep,     ///< It stays, as with `helm.sh/resource-policy: keep`.
};

/// How a change of a child by others is answered.
enum class DriftPolicy : uint8_t {
  kRepair,  ///< The child is set back.
  kWarn,    ///< The child stays as it is, and the change is told.
  kIgnore,  ///< The child stays as it is.
};

/// When an object that was written or deleted lets the next one begin.
enum class Until : uint8_t {
  kObserved,  ///< The watch has shown that it was written, or is being deleted.
  kReady,     ///< Like kObserved; a child that was written is also ready.
  kGone,      ///< Like kReady; a child that was deleted is also gone.
};

/// How many children of a rule may change at a time.
struct Pace {
  int max = 1;
  Until until = Until::kObserved;
};

/// A rule for children, declared by the author in operator/operator.yaml.
struct ChildRule {
  ChildMatch match;
  /// Fields whose live value is sent instead of ours once the object exists.
  std::vector<value::Path> freeze;
  /// Fields that are left to others once the object exists.
  std::vector<value::Path> ignore;
  /// Quantities that may grow but not shrink.
  std::vector<value::Path> grow_only;
  Update update = Update::kApply;
  OnDelete on_delete = OnDelete::kCascade;
  DriftPolicy drift = DriftPolicy::kRepair;
  std::optional<Pace> pace;  ///< None: all at once.

  /// Reports whether the rule needs the live object's body.
  bool needs_live() const { return !freeze.empty() || !ignore.empty() || !grow_only.empty(); }
  /// Reports whether a child is created anew if a field that changes is immutable.
  bool recreates() const {
    return update == Update::kRecreate || update == Update::kRecreateIfImmutable ||
           update == Update::kOrphanRecreate;
  }
};

/// Returns the first rule that matches; nullptr if none does.
const ChildRule* find_rule(const std::vector<ChildRule>& rules, const value::Value& object);

/// A growOnly field that keeps its live value because the desired one is smaller.
struct HeldField {
  std::string path;
  std::string live;
  std::string wanted;
};

/// Returns a text about such fields, for people.
std::string describe(const std::vector<HeldField>& shrinking);

/// The fields that a rule has kept from an apply, for people.
struct Held {
  std::vector<HeldField> shrinking;
  std::vector<std::string> frozen;  ///< Frozen fields of which another value was desired.

  bool empty() const { return shrinking.empty() && frozen.empty(); }
};

/// Rewrites `desired`, an unshared copy, so that applying it over `live` obeys `rule`: frozen
/// fields take the live value (or are removed if `live` has none), ignored fields are removed, or
/// take the live value while nobody else has written it, and growOnly quantities do not shrink.
Held hold_fields(const ChildRule& rule, const value::Value& live, std::string_view manager,
                 value::Value& desired);

/// Reports whether all of `text` matches the shell-style `pattern` with `*` and `?`.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace chartwright::release
