// SPDX-License-Identifier: Apache-2.0
#include "grpc/exchange.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include "grpc/interface.h"

namespace chartwright::rpc {
namespace {

constexpr int64_t kPollMs = 50;

gpr_timespec in_ms(int64_t ms) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(ms, GPR_TIMESPAN));
}

/// One call, step by step. Each step waits for its event in the queue, and looks whether the call
/// has to end early.
class Stepper {
 public:
  Stepper(const std::shared_ptr<grpc::Channel>& channel, const Outgoing& outgoing)
      : outgoing_(outgoing), stub_(channel) {
    context_.set_deadline(in_ms(outgoing.deadline_ms - now_ms()));
    add_metadata("authorization", outgoing.authorization);
    add_metadata("idempotency-key", outgoing.idempotency_key);
    call_ = stub_.PrepareCall(&context_, outgoing.path, &queue_);
  }
  ~Stepper() {
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  Incoming run() {
    Incoming incoming;
    call_->StartCall(this);
    bool open = wait();
    incoming.unsent = !open;
    for (size_t i = 0; open && i < outgoing_.messages.size(); ++i) {
      grpc::Slice slice(outgoing_.messages[i]);
      const bool is_last = i + 1 == outgoing_.messages.size();
      grpc::WriteOptions options;
      if (is_last) {
        options.set_last_message();
      }
      call_->Write(grpc::ByteBuffer(&slice, 1), options, this);
      open = wait();
    }
    while (open) {
      grpc::ByteBuffer message;
      call_->Read(&message, this);
      open = wait() && take(message, incoming);
    }
    grpc::Status status;
    call_->Finish(&status, this);
    wait();
    conclude(status, incoming);
    return incoming;
  }

 private:
  void add_metadata(const char* name, const std::string& value) {
    if (!value.empty()) {
      context_.AddMetadata(name, value);
    }
  }

  bool wait() {
    void* tag = nullptr;
    bool ok = false;
    while (true) {
      const auto next = queue_.AsyncNext(&tag, &ok, in_ms(kPollMs));
      if (next == grpc::CompletionQueue::GOT_EVENT) {
        return ok;
      }
      if (next == grpc::CompletionQueue::SHUTDOWN) {
        return false;
      }
      if (outgoing_.stopped && outgoing_.stopped()) {
        give_up(kGrpcStopped);  // The event follows.
      }
    }
  }

  bool take(grpc::ByteBuffer& message, Incoming& incoming) {
    std::vector<grpc::Slice> slices;
    if (!message.Dump(&slices).ok()) {
      return false;
    }
    std::string bytes;
    for (const grpc::Slice& slice : slices) {
      bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    }
    total_ += bytes.size();
    if (total_ > outgoing_.bytes_max) {
      return give_up(kGrpcTooLarge);
    }
    if (incoming.messages.size() == outgoing_.messages_max) {
      return give_up(kGrpcTooMany);
    }
    incoming.messages.push_back(std::move(bytes));
    return true;
  }

  bool give_up(int code) {
    own_code_ = code;
    context_.TryCancel();
    return false;
  }

  void conclude(const grpc::Status& status, Incoming& incoming) const {
    incoming.code = own_code_ != 0 ? own_code_ : static_cast<int>(status.error_code());
    incoming.message = status.error_message();
    // Without a transport the call fails before it starts.
    const bool no_transport =
        status.error_code() == grpc::StatusCode::UNAVAILABLE && context_.peer().empty();
    incoming.unsent = incoming.code != 0 && (incoming.unsent || no_transport);
  }

  const Outgoing& outgoing_;
  grpc::CompletionQueue queue_;
  grpc::ClientContext context_;
  grpc::GenericStub stub_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  size_t total_ = 0;
  int own_code_ = 0;  ///< Why the call was ended on this side; 0: it was not.
};

}  // namespace

int64_t now_ms() {
  const gpr_timespec now = gpr_now(GPR_CLOCK_MONOTONIC);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

Incoming exchange(const std::shared_ptr<grpc::Channel>& channel, const Outgoing& outgoing) {
  return Stepper(channel, outgoing).run();
}

}  // namespace chartwright::rpc
