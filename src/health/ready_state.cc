// SPDX-License-Identifier: Apache-2.0
#include "health/ready_state.h"

namespace chartwright::health {

std::string_view to_string(ReadyState state) {
  switch (state) {
    case ReadyState::kReady:
      return "Ready";
    case ReadyState::kProgressing:
      return "Progressing";
    case ReadyState::kFailed:
      return "Failed";
    case ReadyState::kTerminating:
      return "Terminating";
  }
  return "";
}

}  // namespace chartwright::health
