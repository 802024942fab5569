// SPDX-License-Identifier: Apache-2.0
#include <grpcpp/grpcpp.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "grpc/exchange.h"
#include "grpc/interface.h"
#include "grpc/service.h"

/// A connection, with what is known of its services.
struct ChartwrightGrpcChannel final : chartwright::rpc::Service {
  using Service::Service;
};

namespace chartwright::rpc {
namespace {

std::shared_ptr<grpc::ChannelCredentials> credentials_of(const ChartwrightGrpcServer& server) {
  if (server.plaintext != 0) {
    return grpc::InsecureChannelCredentials();
  }
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = server.ca;
  options.pem_cert_chain = server.certificate;
  options.pem_private_key = server.key;
  return grpc::SslCredentials(options);
}

std::shared_ptr<grpc::Channel> channel_to(const ChartwrightGrpcServer& server) {
  grpc::ChannelArguments arguments;
  arguments.SetUserAgentPrefix("chartwright");
  arguments.SetMaxReceiveMessageSize(static_cast<int>(server.reply_bytes_max));
  // The caller decides when to try again.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  if (server.server_name[0] != '\0') {
    arguments.SetSslTargetNameOverride(server.server_name);
  }
  return grpc::CreateCustomChannel(server.address, credentials_of(server), arguments);
}

ChartwrightGrpcChannel* open(const ChartwrightGrpcServer* server) {
  auto send = [channel = channel_to(*server)](const Outgoing& outgoing) {
    return exchange(channel, outgoing);
  };
  std::string descriptors(server->descriptors, server->descriptors_size);
  auto opened = std::make_unique<ChartwrightGrpcChannel>(
      std::move(send), std::move(descriptors),
      ReplyLimits{server->reply_bytes_max, server->reply_messages_max});
  return opened.release();
}

void close(ChartwrightGrpcChannel* channel) {
  const std::unique_ptr<ChartwrightGrpcChannel> owned(channel);
}

ChartwrightGrpcReply call(ChartwrightGrpcChannel* channel, const ChartwrightGrpcCall* call) {
  const Incoming result = channel->Service::call(*call);
  char* const text = static_cast<char*>(std::malloc(result.message.size() + 1));
  if (text != nullptr) {
    std::memcpy(text, result.message.c_str(), result.message.size() + 1);
  }
  return {result.code, result.unsent ? 1 : 0, text};
}

void release(char* text) { std::free(text); }

}  // namespace
}  // namespace chartwright::rpc

extern "C" const ChartwrightGrpcFunctions* CW_GRPC_FUNCTIONS() {
  static constexpr ChartwrightGrpcFunctions kFunctions{
      &chartwright::rpc::open, &chartwright::rpc::close, &chartwright::rpc::call,
      &chartwright::rpc::release};
  return &kFunctions;
}
