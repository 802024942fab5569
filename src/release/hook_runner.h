// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "kube/client.h"
#include "release/desired.h"
#include "release/hook.h"

namespace chartwright::release {

/// The annotation that names the run for which the object of a hook was created.
inline constexpr std::string_view kHookRunAnnotation = "chartwright.io/hook-run";

/// One object of a hook, ready to be created.
struct HookObject {
  Hook hook;
  Desired desired;
  std::string run;  ///< Names the attempt, the event and the object.
};

/// Where the hooks of an event are.
struct HookOutcome {
  HookState state = HookState::kSucceeded;
  std::string message;  ///< Which hook runs or failed, and its last state.
};

/// Runs the hooks of one event, one after another, in steps: a call returns as soon as it would
/// have to wait. An object that exists is recognised by its run, so that a crash between a write
/// and its record creates no hook twice. Blocks. For one thread. Source: helm/helm v3
/// pkg/action/hooks.go.
class HookRunner {
 public:
  struct Options {
    base::Duration timeout{};
    /// Called before each creation. Its error ends the call.
    std::function<base::Status()> may_create;
  };
  /// The references must outlive it.
  HookRunner(kube::Client& client, const kube::Call& call, const base::Clock& clock,
             const Owner& owner, Options options);

  /// Goes on with `hooks`, of which the first has number `first` among those of the attempt.
  /// Errors: kOwnership where an object of that name is not ours, those of the client and of
  /// may_create.
  base::Result<HookOutcome> run(const std::vector<HookObject>& hooks, int first,
                                HookProgress& progress);
  /// Deletes an object that has failed, if it has the policy hook-failed. The failure must be
  /// stored before. Errors: those of the client.
  base::Status delete_failed(const HookObject& hook);
  /// Deletes the objects with the policy hook-succeeded, the last one first. The progress must be
  /// stored before. Errors: those of the client.
  base::Status delete_succeeded(const std::vector<HookObject>& hooks);

 private:
  base::Result<HookOutcome> step(const HookObject& hook, HookProgress& progress);
  base::Result<HookOutcome> begin(const HookObject& hook, HookProgress& progress);
  base::Result<HookOutcome> meet(const HookObject& hook, HookProgress& progress);
  base::Result<HookOutcome> follow(const HookObject& hook, const HookProgress& progress);
  bool is_late(const HookProgress& progress) const;
  base::Status remove(const HookObject& hook);
  base::Status remove(const kube::ObjectRef& ref, const value::Value& live);

  kube::Client& client_;
  const kube::Call& call_;
  const base::Clock& clock_;
  const Owner& owner_;
  const Options options_;
};

}  // namespace chartwright::release
