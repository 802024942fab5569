// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "kube/object.h"
#include "value/value.h"

namespace chartwright::release {

/// The events of a release at which hooks run, as the annotation helm.sh/hook names them. Tests are
/// no event of a release.
enum class HookEvent : uint8_t {
  kPreInstall,
  kPostInstall,
  kPreUpgrade,
  kPostUpgrade,
  kPreRollback,
  kPostRollback,
  kPreDelete,
  kPostDelete,
};

std::string_view to_string(HookEvent event);  ///< "pre-install", ...

/// When the object of a hook is deleted.
enum class HookDeletion : uint8_t {
  kBeforeCreation,  ///< An earlier one, before the hook runs again.
  kSucceeded,
  kFailed,
};

/// An object that is created at an event of a release and waited for. It is not a child: nothing
/// repairs or prunes it.
struct Hook {
  std::string path;  ///< The template file: "chart/templates/x.yaml".
  std::string text;  ///< The rendered document.
  std::string kind;
  std::string name;
  std::vector<std::string> events;  ///< "pre-install", ..., "test".
  int weight = 0;
  std::vector<std::string> delete_policies;
  std::vector<std::string> output_log_policies;

  bool has_event(HookEvent event) const;
  /// A hook that names no policy has kBeforeCreation.
  bool has_policy(HookDeletion policy) const;
  bool operator==(const Hook&) const = default;
};

/// Returns the hooks of an event in the order in which they run: by weight, then by name. Those
/// that are equal keep their order.
/// Source: helm/helm v3 pkg/action/hooks.go, hookByWeight.
std::vector<Hook> hooks_of(const std::vector<Hook>& hooks, HookEvent event);

/// Returns one text that says all that a release does, for its digest: without hooks, the manifest.
/// Hooks that run at no event of a release, which are tests, are left out: their names are often
/// random. Errors: those of value::to_json.
base::Result<std::string> text_of_release(std::string manifest, std::vector<Hook> hooks);

/// Returns the same with all hooks: the text of which earlier versions made the digest.
base::Result<std::string> former_text_of_release(std::string manifest, std::vector<Hook> hooks);

/// Returns the list `hooks` of a Helm release record.
/// Source: helm/helm v3 pkg/release/hook.go.
value::Value hooks_to_record(const std::vector<Hook>& hooks);
/// Reads that list. Items that are not hooks are left out: their digest tells who wrote a record.
std::vector<Hook> hooks_from_record(const value::Value& list);

/// How far the hooks of an attempt have come. It is stored, so that no hook that has finished runs
/// again.
struct HookProgress {
  int done = 0;     ///< Hook objects that have finished, of all events so far.
  std::string uid;  ///< The uid of the hook that was created next; empty: it is not known.
  /// When that was created, or the wait for the end of an earlier one began, for people; the epoch:
  /// neither.
  base::WallTime started_at{};
  /// Since when this process waits for it. Not stored.
  std::optional<base::MonotonicTime> waits_since = {};
  bool operator==(const HookProgress&) const = default;
};

enum class HookState : uint8_t { kRunning, kSucceeded, kFailed };

/// The state of a run, as the live object of its hook has it.
struct HookVerdict {
  HookState state = HookState::kSucceeded;
  /// The last state of the hook: "BackoffLimitExceeded: Job has reached ..."; may be empty.
  std::string message;
};

/// Reports whether hooks of that kind run to an end; others are done as soon as they exist.
bool is_waited_for(const kube::GroupKind& kind);

/// Judges the live object of a hook: a Job or Pod runs until it has completed, any other object has
/// succeeded when it exists.
/// Source: helm/helm v3 pkg/kube/client.go, watchUntilReady.
HookVerdict judge_hook(const value::Value& object);

}  // namespace chartwright::release
