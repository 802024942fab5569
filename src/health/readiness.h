// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "value/value.h"

namespace chartwright::health {

/// The states that kstatus distinguishes.
enum class ReadyState : uint8_t { kReady, kProgressing, kFailed, kTerminating };

std::string_view to_string(ReadyState state);  ///< "Ready", "Progressing", "Failed", "Terminating".

/// The message of an object that is being deleted.
inline constexpr std::string_view kBeingDeleted = "being deleted";

struct Readiness {
  ReadyState state = ReadyState::kReady;
  /// Why it is not ready, without volatile numbers or names; empty when ready.
  std::string message;
};

/// Determines whether a live object is ready, from its own status alone: by rules for those
/// built-in kinds that need them, otherwise by the `Ready` condition. An object without any such
/// sign is ready.
/// Source of the rules: sigs.k8s.io/cli-utils pkg/kstatus/status, but for Services of the type
/// LoadBalancer, which are those of Helm and Argo CD. docs/operate/readiness.md has them all.
Readiness readiness_of(const value::Value& object);

}  // namespace chartwright::health
