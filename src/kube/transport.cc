// SPDX-License-Identifier: Apache-2.0
#include "kube/transport.h"

namespace chartwright::kube {

Call rest_of(const Call& call, base::MonotonicTime began, const base::Clock& clock) {
  return {call.stop, call.timeout, call.spent + (clock.monotonic() - began)};
}

base::MonotonicTime deadline_of(const Call& call, const base::Clock& clock) {
  return base::after(clock.monotonic(), call.timeout - call.spent);
}

std::string_view to_string(Method method) {
  switch (method) {
    case Method::kGet:
      return "GET";
    case Method::kPost:
      return "POST";
    case Method::kPut:
      return "PUT";
    case Method::kPatch:
      return "PATCH";
    case Method::kDelete:
      return "DELETE";
  }
  return "GET";
}

}  // namespace chartwright::kube
