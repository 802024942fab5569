// SPDX-License-Identifier: Apache-2.0
#include "grpc/reflection.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include <vector>

#include "grpc/interface.h"

namespace chartwright::rpc {
namespace {

namespace pb = google::protobuf;

constexpr int kUnimplemented = 12;
constexpr int kRoundsMax = 50;
// Fields of ServerReflectionRequest and ServerReflectionResponse.
constexpr int kFileByFilename = 3;
constexpr int kFileContainingSymbol = 4;
constexpr int kFileDescriptorResponse = 4;
constexpr int kErrorResponse = 7;

std::string request_of(int field, const std::string& text) {
  std::string bytes;
  pb::io::StringOutputStream out(&bytes);
  pb::io::CodedOutputStream coded(&out);
  pb::internal::WireFormatLite::WriteString(field, text, &coded);
  coded.Trim();
  return bytes;
}

// Returns the members of that field in a message; of a malformed one, those before the fault.
std::vector<std::string> members_of(const std::string& message, int field) {
  std::vector<std::string> found;
  pb::io::ArrayInputStream in(message.data(), static_cast<int>(message.size()));
  pb::io::CodedInputStream coded(&in);
  while (const uint32_t tag = coded.ReadTag()) {
    using pb::internal::WireFormatLite;
    if (WireFormatLite::GetTagFieldNumber(tag) != field ||
        WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&coded, tag)) {
        break;
      }
      continue;
    }
    std::string bytes;
    if (!WireFormatLite::ReadBytes(&coded, &bytes)) {
      break;
    }
    found.push_back(std::move(bytes));
  }
  return found;
}

Incoming refused(const std::string& why) {
  Incoming result;
  result.code = kGrpcBadDescriptors;
  result.unsent = true;
  result.message = why;
  return result;
}

Incoming ask(const std::string& version, const std::string& request, const Outgoing& limits,
             const Send& send, Schema& schema) {
  Outgoing outgoing = limits;
  outgoing.path = "/grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo";
  outgoing.messages = {request};
  Incoming incoming = send(outgoing);
  const bool is_servers = !incoming.unsent && incoming.code > 0 && incoming.code < kGrpcBadCall;
  incoming.unsent = true;  // Of the call that it is for.
  if (is_servers) {
    incoming.message = "the server's reflection failed";  // Its own words may be for others.
  }
  if (incoming.code != 0) {
    return incoming;
  }
  bool any = false;
  for (const std::string& message : incoming.messages) {
    if (!members_of(message, kErrorResponse).empty()) {
      return refused("the server's reflection does not know it");
    }
    for (const std::string& response : members_of(message, kFileDescriptorResponse)) {
      for (const std::string& file : members_of(response, 1)) {
        any = true;
        if (const std::string fault = schema.add_file(file); !fault.empty()) {
          return refused("the server's reflection: " + fault);
        }
      }
    }
  }
  return any ? incoming : refused("the server's reflection has no answer");
}

}  // namespace

Incoming reflect(const std::string& service, const Outgoing& limits, const Send& send,
                 Schema& schema) {
  std::string version = "v1";
  std::string request = request_of(kFileContainingSymbol, service);
  Incoming result = ask(version, request, limits, send, schema);
  if (result.code == kUnimplemented) {
    version = "v1alpha";
    result = ask(version, request, limits, send, schema);
  }
  std::string missing = schema.missing_file();
  for (int round = 0; result.code == 0 && !missing.empty(); ++round) {
    if (round == kRoundsMax) {
      return refused("the server's reflection: more than 50 files are missing");
    }
    result = ask(version, request_of(kFileByFilename, missing), limits, send, schema);
    const std::string next = schema.missing_file();
    if (result.code == 0 && next == missing) {
      return refused("the server's reflection does not have file " + missing);
    }
    missing = next;
  }
  return result;
}

}  // namespace chartwright::rpc
