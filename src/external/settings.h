// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "kube/transport.h"

namespace chartwright::external {

/// The fate of the object outside when the custom resource is deleted.
enum class DeletionPolicy : uint8_t { kDelete, kOrphan };

// Each parses a rendered setting. Error: kInvalidArgument, with what would be right.

/// How often the object outside is looked at: a Go duration from 1s to 24h.
base::Result<base::Duration> parse_resync(std::string_view text);
/// How long one call may take, with its retries: a Go duration from 10ms to 60s.
base::Result<base::Duration> parse_timeout(std::string_view text);
base::Result<DeletionPolicy> parse_policy(std::string_view text);

/// Reports whether a character is printable ASCII and not a space, as all of a URL are.
bool is_graphic(char c);
// Each checks a text for which a template may stand: it is rendered when it is checked. Error:
// kInvalidArgument, with what would be right, and never with the text: it may have a password.

/// Checks the address of an HTTP server.
base::Status check_base_url(std::string_view url);
/// Checks that nobody can read on the way what is sent to a URL: credentials.
base::Status check_for_credentials(std::string_view url);
/// Checks the address of a gRPC server: "host:port", or a name that gRPC resolves by itself.
base::Status check_grpc_address(std::string_view address);

/// Returns the method of that name, in upper case; nullopt if there is none.
std::optional<kube::Method> http_method(std::string_view name);
/// Reports whether `text` is "package.Service/Method".
bool is_grpc_method(std::string_view text);

}  // namespace chartwright::external
