// SPDX-License-Identifier: Apache-2.0
#include "external/grpc_status.h"

#include <string_view>

namespace chartwright::external {
namespace {

using base::Error;
using base::ErrorCode;

struct Meaning {
  int status;
  ErrorCode code;
  std::string_view name;
};

// A number below 500 says that the server has not acted, so it is only for what a server itself
// says of a call that it did not carry out. Not so: CANCELLED and RESOURCE_EXHAUSTED, which our own
// side also gives after the server acted (the reply is larger than its limit). UNIMPLEMENTED comes
// from a server before any method runs (it has no such method, or cannot read the call), or from a
// proxy for an unknown path; our side never gives it, since it counts the messages of a reply
// itself. Source: googleapis google/rpc/code.proto, grpc/grpc doc/statuscodes.md.
Meaning meaning_of(int code) {
  switch (code) {
    case 1:
      return {500, ErrorCode::kUnavailable, "CANCELLED"};
    case 2:
      return {500, ErrorCode::kUnavailable, "UNKNOWN"};
    case 3:
      return {400, ErrorCode::kInvalid, "INVALID_ARGUMENT"};
    case 4:
      return {504, ErrorCode::kTimeout, "DEADLINE_EXCEEDED"};
    case kGrpcNotFound:
      return {404, ErrorCode::kNotFound, "NOT_FOUND"};
    case 6:
      return {409, ErrorCode::kInvalid, "ALREADY_EXISTS"};
    case 7:
      return {403, ErrorCode::kForbidden, "PERMISSION_DENIED"};
    case 8:
      return {503, ErrorCode::kTooManyRequests, "RESOURCE_EXHAUSTED"};
    case 9:
      return {400, ErrorCode::kInvalid, "FAILED_PRECONDITION"};
    case 10:
      return {500, ErrorCode::kUnavailable, "ABORTED"};
    case 11:
      return {400, ErrorCode::kInvalid, "OUT_OF_RANGE"};
    case 12:
      return {405, ErrorCode::kInvalid, "UNIMPLEMENTED"};
    case 13:
      return {500, ErrorCode::kUnavailable, "INTERNAL"};
    case 14:
      return {503, ErrorCode::kUnavailable, "UNAVAILABLE"};
    case 15:
      return {500, ErrorCode::kUnavailable, "DATA_LOSS"};
    case 16:
      return {401, ErrorCode::kUnauthorized, "UNAUTHENTICATED"};
    default:
      return {500, ErrorCode::kUnavailable, ""};
  }
}

}  // namespace

Error grpc_error(int code, const std::string& said) {
  const Meaning meaning = meaning_of(code);
  const std::string name = meaning.name.empty() ? std::to_string(code) : std::string(meaning.name);
  return Error(meaning.code, "gRPC status " + name + (said.empty() ? "" : ": " + said))
      .with_http(meaning.status, "");
}

}  // namespace chartwright::external
