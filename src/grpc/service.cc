// SPDX-License-Identifier: Apache-2.0
#include "grpc/service.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>

namespace chartwright::rpc {
namespace {

constexpr int kDeadlineExceeded = 4;
constexpr int kInternal = 13;

Incoming refused(int code, std::string why) {
  Incoming result;
  result.code = code;
  result.unsent = true;
  result.message = std::move(why);
  return result;
}

Incoming failed(Incoming incoming, int code, std::string why) {
  incoming.code = code;
  incoming.message = std::move(why);
  return incoming;
}

Outgoing limits_of(const ChartwrightGrpcCall& call, const ReplyLimits& limits) {
  Outgoing outgoing;
  outgoing.authorization = call.authorization;
  outgoing.deadline_ms = now_ms() + call.timeout_ms;
  outgoing.bytes_max = limits.bytes_max;
  outgoing.messages_max = limits.messages_max;
  outgoing.stopped = [&call] { return call.stopped != nullptr && call.stopped(call.context) != 0; };
  return outgoing;
}

// A reply of many messages takes time to convert.
Incoming converted(Incoming incoming, const Outgoing& limits, const Schema& schema,
                   const google::protobuf::MethodDescriptor& method) {
  const bool is_stream = method.server_streaming();
  std::string all = is_stream ? "[" : "";
  for (const std::string& message : incoming.messages) {
    if (limits.stopped()) {
      return failed(std::move(incoming), kGrpcStopped, "stopped");
    }
    if (now_ms() >= limits.deadline_ms) {
      return failed(std::move(incoming), kDeadlineExceeded, "while the reply was converted");
    }
    all += is_stream && all.size() > 1 ? "," : "";
    std::string json;
    const size_t left = limits.bytes_max - std::min(all.size(), limits.bytes_max);
    const std::string fault =
        schema.to_json(method.output_type()->full_name(), message, left, json);
    if (!fault.empty()) {
      return failed(std::move(incoming),
                    fault == Schema::kTooLarge ? kGrpcTooLarge : kGrpcBadDescriptors, fault);
    }
    all += json;
  }
  incoming.message = is_stream ? all + "]" : all;
  return incoming;
}

}  // namespace

Incoming Service::fetch(const std::string& service, const Outgoing& limits, Schema& into) const {
  if (descriptors_.empty()) {
    Incoming reflected = reflect(service, limits, send_, into);
    reflected.unsent = true;
    return reflected;
  }
  const std::string fault = into.add_set(descriptors_);
  return fault.empty() ? Incoming()
                       : refused(kGrpcBadDescriptors, "the descriptors cannot be used: " + fault);
}

// Concurrent first uses may each ask the server, and one answer is kept.
Incoming Service::describe(const std::string& method, const Outgoing& limits,
                           std::shared_ptr<const Schema>& into) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    into = schema_;
  }
  if (into != nullptr && into->find(method) != nullptr) {
    return {};
  }
  auto fresh = std::make_shared<Schema>();
  Incoming result = fetch(method.substr(0, method.find('/')), limits, *fresh);
  if (result.code == 0) {
    const std::lock_guard<std::mutex> lock(mutex_);
    schema_ = fresh;
    into = fresh;
  }
  return result;
}

Incoming Service::call(const ChartwrightGrpcCall& call) {
  Outgoing outgoing = limits_of(call, limits_);
  const std::string name = call.method;
  std::shared_ptr<const Schema> schema;
  Incoming described = describe(name, outgoing, schema);
  if (described.code != 0) {
    return described;
  }
  const auto* method = schema->find(name);
  if (method == nullptr) {
    return refused(kGrpcBadCall, "there is no method " + name);
  }
  if (method->client_streaming()) {
    return refused(kGrpcBadCall, name + " takes a stream, which an external cannot send");
  }
  std::string bytes;
  const std::string fault = schema->to_bytes(method->input_type()->full_name(), call.body, bytes);
  if (!fault.empty()) {
    return refused(kGrpcBadCall,
                   "the body is not a " + method->input_type()->full_name() + ": " + fault);
  }
  outgoing.path = "/" + name;
  outgoing.messages = {bytes};
  outgoing.idempotency_key = call.idempotency_key;
  Incoming incoming = send_(outgoing);
  if (incoming.code != 0) {
    return incoming;
  }
  if (!method->server_streaming() && incoming.messages.size() != 1) {
    return failed(std::move(incoming), kInternal, "the server sent no reply");
  }
  return converted(std::move(incoming), outgoing, *schema, *method);
}

}  // namespace chartwright::rpc
