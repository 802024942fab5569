// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "kube/transport.h"
#include "value/path.h"

namespace chartwright::external {

/// Whether a call may be sent again when its result is not known.
enum class Repeat : uint8_t {
  kNever,
  kSafe,
  kRead,  ///< It may: the call changes nothing.
};

/// The limits on what a server may answer.
inline constexpr size_t kReplyBytesMax = size_t{4} << 20;
inline constexpr size_t kReplyItemsMax = 10'000;

struct Request {
  std::string call;  ///< "PUT /pets/7", "petstore.PetStore/AddPets"
  std::string body;  ///< JSON; empty: none.
  Repeat repeat = Repeat::kNever;
  /// The same for all attempts to create one object, for servers that act once on a key; empty:
  /// none. Source: draft-ietf-httpapi-idempotency-key-header.
  std::string key = {};
};

struct Reply {
  bool found = true;  ///< False: the server says that what the call names is not there.
  std::string text;   ///< JSON; empty: none. Not checked yet.
};

/// Returns what an error says of the reply to a call that a server has refused: its size or, if
/// `field` names one, a text in it, in one line of at most 256 bytes. Never more: who may choose
/// the server could read with our eyes what is not for them.
std::string reply_in_short(std::string_view body, const std::optional<value::Path>& field);

/// Sends calls to one server. Thread-safe.
class Driver {
 public:
  virtual ~Driver() = default;
  /// Sends a call once, and waits for its reply. Errors, by what the server said: kUnauthorized,
  /// kForbidden, kTooManyRequests, kTimeout, kUnavailable, and kInvalid for what it refused, all
  /// with http_status; kInvalidArgument for a call that cannot be sent; kBudget for a reply that is
  /// too large; kUnavailable and kTimeout for none. The reason is kube::kNotSent if nothing was
  /// sent.
  virtual base::Result<Reply> call(const Request& request, const kube::Call& limits) = 0;
};

/// Returns a key in the form in which both protocols send it, as "idempotency-key": quoted; empty:
/// none.
std::string key_header(const std::string& key);

/// Reports whether an error proves that the server has not acted on the call. It proves nothing of
/// an earlier call with the same key.
bool was_refused(const base::Error& error);
/// Reports whether an error may mean that the server still works on an earlier call with the same
/// key. Source: draft-ietf-httpapi-idempotency-key-header, section 2.6; RFC 8470, section 5.2.
bool may_be_under_way(const base::Error& error);

/// How to reach and authenticate to an HTTP server.
struct HttpEndpoint {
  std::string base_url;
  std::string authorization;  ///< Value of the header; empty: none.
  std::string ca;             ///< PEM; empty: the system's trust store.
  std::string certificate;    ///< PEM, of us as client; empty: none.
  std::string key;
  std::string server_name;  ///< To verify; empty: that of the URL.
  bool plaintext = false;   ///< The header may be sent over http:// to other hosts, too.
  std::optional<value::Path> error_field = {};  ///< See HttpDriver.
};

/// How to reach and authenticate to a gRPC server.
struct GrpcEndpoint {
  std::string address;        ///< "host:port"
  std::string authorization;  ///< Metadata of each call; empty: none.
  std::string ca;             ///< The same as of HttpEndpoint.
  std::string certificate;
  std::string key;
  std::string server_name;
  std::string descriptors;  ///< A FileDescriptorSet; empty: the server's reflection.
  bool plaintext = false;
  bool shows_messages = false;  ///< See GrpcDriver.
};

/// Makes a driver over gRPC, which converts messages from and to JSON. The first one opens the
/// library. Errors: kInvalidArgument without an address, kInternal if the library is not there.
base::Result<std::unique_ptr<Driver>> make_grpc_driver(const GrpcEndpoint& endpoint);

/// Makes a driver that sends JSON over HTTP. `clock` must outlive it. Errors: kInvalidArgument for
/// a URL that cannot be used, also where it would send credentials in the clear, and those of
/// kube::make_transport.
base::Result<std::unique_ptr<Driver>> make_http_driver(const HttpEndpoint& endpoint,
                                                       base::Clock& clock);

}  // namespace chartwright::external
