// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace chartwright::health {

/// The states that kstatus distinguishes.
enum class ReadyState : uint8_t { kReady, kProgressing, kFailed, kTerminating };

std::string_view to_string(ReadyState state);  ///< "Ready", "Progressing", "Failed", "Terminating".

/// The message of an object that is being deleted.
inline constexpr std::string_view kBeingDeleted = "being deleted";

struct Readiness {
  static constexpr size_t kMessageBytesMax = 200;

  ReadyState state = ReadyState::kReady;
  /// Why it is not ready; empty when ready. One printable line of at most kMessageBytesMax bytes,
  /// which ends in "..." where it was cut. Our own words have no volatile numbers or names. Words
  /// that the object's controller has written into its status may have some, and may quote what its
  /// author set.
  std::string message;
};

}  // namespace chartwright::health
