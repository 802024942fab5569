// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "subject/records.h"
#include "subject/render_queue.h"

namespace chartwright::op {

/// Asks the rules of the bundle about each recorded child that the caches have, and keeps the
/// answers. Reports whether it found one that does not count, or that counts again. Without rules
/// that judge children it does nothing. Errors: those of bundle::Renderer::judge.
base::Result<bool> judge_children(const Subject& subject, RenderQueue& renders);

/// Returns how long the next replacement of a child that does not count has to wait; nullopt if
/// none waits.
std::optional<base::Duration> next_replacement(const Subject& subject);

/// Returns an object as the API server had it, if no cache shows it (children.h), else as the
/// caches have it.
std::optional<release::Observed> live_of(const Subject& subject, const kube::ObjectRef& ref);

/// Returns the version up to which it is known what became of an object: for one that no cache
/// shows, and that was not asked for since the last write, one that is older than any.
std::string seen_version_of(const Subject& subject, const kube::ObjectRef& ref);

/// Returns live_of(), with the verdict of its rule, if that was asked. A child that does not count
/// still does until it may be replaced: at once the first time, then after 10 s and twice as long
/// each time, at most 5 min. It starts over after 10 min without.
std::optional<release::Observed> judged_live(const Subject& subject, const kube::ObjectRef& ref);

}  // namespace chartwright::op
