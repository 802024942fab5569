// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "kube/client.h"

namespace chartwright::sim {

/// Something that happened in a run. Every oracle judges these alone.
struct Row {
  enum class What : uint8_t {
    kCall,    ///< A process sent a request: `call`, with `body` or the preconditions.
    kCommit,  ///< The server carried it out and `after` replaced `before` (nil: there is none).
    kAnswer,  ///< The process got an answer; `error` is its text, empty for a success.
    kUser,    ///< Somebody else changed the object from `before` to `after`: `call` is the step.
    kStart,   ///< A process started,
    kCrash,   ///< or ended, and nobody had asked it to.
    kRest,    ///< From here on, nothing is left to do and nothing more goes wrong.
  };
  What what{};
  base::MonotonicTime at = {};
  std::string process = {};  ///< "a" or "b", or empty for others.
  std::string thread = {};
  std::string call = {};  ///< The name of the call: MemoryServer::Call::what.
  kube::ObjectRef ref = {};
  value::Value body = {};
  kube::DeleteOptions preconditions = {};
  value::Value before = {};
  value::Value after = {};
  std::string error = {};
};

using Journal = std::vector<Row>;

/// Reports whether a call changes the server.
bool is_write(std::string_view call);
/// Reports whether a write replaced one object by another: nil for one that is not there.
bool has_changed(const value::Value& before, const value::Value& after);
/// Returns the journal as text, a line for each row: "12.500s a worker:0 call apply ConfigMap
/// shop/w".
std::string to_text(const Journal& journal);

}  // namespace chartwright::sim
