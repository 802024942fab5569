// SPDX-License-Identifier: Apache-2.0
#include "grpc/interface.h"

#include <google/protobuf/descriptor.h>
#include <grpcpp/grpcpp.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "grpc/exchange.h"
#include "grpc/reflection.h"
#include "grpc/schema.h"

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

}  // namespace
}  // namespace chartwright::rpc

/// A connection, with what is known of its services.
struct ChartwrightGrpcChannel {
  std::shared_ptr<grpc::Channel> channel;
  std::string descriptors;
  std::mutex mutex;  ///< Guards `schema`.
  std::shared_ptr<const chartwright::rpc::Schema> schema;
};

namespace chartwright::rpc {
namespace {

Incoming refused(int code, std::string why) {
  Incoming result;
  result.code = code;
  result.unsent = true;
  result.message = std::move(why);
  return result;
}

/// Fills `into` on first use; concurrent first uses may each ask, and one answer is kept.
Incoming describe(ChartwrightGrpcChannel& channel, const Outgoing& limits,
                  const std::string& service, std::shared_ptr<const Schema>& into) {
  {
    const std::lock_guard<std::mutex> lock(channel.mutex);
    into = channel.schema;
  }
  if (into != nullptr && into->find(limits.path.substr(1)) != nullptr) {
    return {};
  }
  auto fresh = std::make_shared<Schema>();
  Incoming result;
  if (channel.descriptors.empty()) {
    result = reflect(
        service, limits,
        [&channel](const Outgoing& outgoing) { return rpc::exchange(channel.channel, outgoing); },
        *fresh);
  } else if (const std::string fault = fresh->add_set(channel.descriptors); !fault.empty()) {
    result = refused(kGrpcBadDescriptors, "the descriptors cannot be used: " + fault);
  }
  if (result.code == 0) {
    const std::lock_guard<std::mutex> lock(channel.mutex);
    channel.schema = fresh;
    into = fresh;
  }
  return result;
}

Incoming converted(Incoming incoming, const Schema& schema,
                   const google::protobuf::MethodDescriptor& method, size_t bytes_max) {
  const bool is_stream = method.server_streaming();
  std::string all = is_stream ? "[" : "";
  for (const std::string& message : incoming.messages) {
    std::string json;
    const std::string fault = all.size() >= bytes_max
                                  ? "too large"
                                  : schema.to_json(method.output_type()->full_name(), message,
                                                   bytes_max - all.size(), json);
    if (!fault.empty()) {
      incoming.code = fault == "too large" ? kGrpcTooLarge : kGrpcBadDescriptors;
      incoming.message = fault;
      return incoming;
    }
    all += is_stream && all.size() > 1 ? "," : "";
    all += json;
  }
  incoming.message = is_stream ? all + "]" : all;
  return incoming;
}

Incoming perform(ChartwrightGrpcChannel& channel, const ChartwrightGrpcCall& call) {
  Outgoing outgoing;
  const std::string method_name = call.method;
  outgoing.path = "/" + method_name;
  outgoing.authorization = call.authorization;
  outgoing.timeout_ms = call.timeout_ms;
  outgoing.bytes_max = call.reply_bytes_max;
  outgoing.stopped = [&call] { return call.stopped != nullptr && call.stopped(call.context) != 0; };
  std::shared_ptr<const Schema> schema;
  const std::string service = method_name.substr(0, method_name.find('/'));
  Incoming described = describe(channel, outgoing, service, schema);
  if (described.code != 0) {
    described.unsent = true;
    return described;
  }
  const auto* method = schema->find(method_name);
  if (method == nullptr) {
    return refused(kGrpcBadCall, "there is no method " + method_name);
  }
  if (method->client_streaming()) {
    return refused(kGrpcBadCall, method_name + " takes a stream, which an external cannot send");
  }
  std::string bytes;
  const std::string fault = schema->to_bytes(method->input_type()->full_name(), call.body, bytes);
  if (!fault.empty()) {
    return refused(kGrpcBadCall,
                   "the body is not a " + method->input_type()->full_name() + ": " + fault);
  }
  outgoing.messages = {bytes};
  Incoming incoming = rpc::exchange(channel.channel, outgoing);
  if (incoming.code != 0) {
    return incoming;
  }
  if (!method->server_streaming() && incoming.messages.size() != 1) {
    incoming.code = static_cast<int>(grpc::StatusCode::INTERNAL);
    incoming.message = "the server sent no reply";
    return incoming;
  }
  return converted(std::move(incoming), *schema, *method, call.reply_bytes_max);
}

}  // namespace
}  // namespace chartwright::rpc

extern "C" {

ChartwrightGrpcChannel* chartwright_grpc_open(const ChartwrightGrpcServer* server) {
  grpc::ChannelArguments arguments;
  arguments.SetUserAgentPrefix("chartwright");
  arguments.SetMaxReceiveMessageSize(4 << 20);
  // The caller decides when to try again.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  if (server->server_name[0] != '\0') {
    arguments.SetSslTargetNameOverride(server->server_name);
  }
  auto channel = std::make_unique<ChartwrightGrpcChannel>();
  channel->channel = grpc::CreateCustomChannel(
      server->address, chartwright::rpc::credentials_of(*server), arguments);
  channel->descriptors.assign(server->descriptors, server->descriptors_size);
  return channel.release();
}

void chartwright_grpc_close(ChartwrightGrpcChannel* channel) {
  const std::unique_ptr<ChartwrightGrpcChannel> owned(channel);
}

ChartwrightGrpcReply chartwright_grpc_call(ChartwrightGrpcChannel* channel,
                                           const ChartwrightGrpcCall* call) {
  const chartwright::rpc::Incoming result = chartwright::rpc::perform(*channel, *call);
  char* const text = static_cast<char*>(std::malloc(result.message.size() + 1));
  if (text != nullptr) {
    std::memcpy(text, result.message.c_str(), result.message.size() + 1);
  }
  return {result.code, result.unsent ? 1 : 0, text};
}

void chartwright_grpc_release(char* text) { std::free(text); }

}  // extern "C"
