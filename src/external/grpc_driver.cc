// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <filesystem>
#include <utility>

#include "base/printable.h"
#include "base/unicode.h"
#include "external/driver.h"
#include "external/grpc_status.h"
#include "external/settings.h"
#include "go/quote.h"
#include "grpc/interface.h"

namespace chartwright::external {
namespace {

using base::Error;
using base::ErrorCode;

constexpr const char* kFile = "libchartwright-grpc.so";
constexpr const char* kFunctions = CW_GRPC_FUNCTIONS_NAME;
constexpr size_t kMessageBytesMax = 256;

// Beside the program, or where packages put it. Never elsewhere: what is opened runs as we do.
base::Result<void*> open_file() {
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure).parent_path();
  std::string why;
  for (const auto& file : {self / kFile, self / "../lib/chartwright" / kFile}) {
    if (void* const opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return opened;
    }
    const char* const said = dlerror();
    why += std::string(why.empty() ? "" : "; ") + (said != nullptr ? said : "it cannot be opened");
  }
  return Error(ErrorCode::kInternal, "gRPC needs " + std::string(kFile) +
                                         " beside the program, and Debian's libgrpc++1.51: " + why);
}

base::Result<const ChartwrightGrpcFunctions*> open_library() {
  CW_TRY(void* const opened, open_file());
  const auto functions =
      reinterpret_cast<decltype(&::CW_GRPC_FUNCTIONS)>(dlsym(opened, kFunctions));
  if (functions == nullptr) {
    return Error(ErrorCode::kInternal, std::string(kFile) +
                                           " is of another version than the program: install both "
                                           "from one release");
  }
  return functions();
}

// Opened once, and never closed: its threads may run until the process ends.
const base::Result<const ChartwrightGrpcFunctions*>& library() {
  static const base::Result<const ChartwrightGrpcFunctions*> opened = open_library();
  return opened;
}

int is_stopped(void* context) {
  return static_cast<const std::stop_token*>(context)->stop_requested() ? 1 : 0;
}

/// Returns the error of a call. The message of a server is shown only if its file says so.
Error error_of(const ChartwrightGrpcReply& reply, const std::string& text, bool shows_messages) {
  const std::string said = base::shortened(base::printable(text), kMessageBytesMax);
  const std::string reason = reply.unsent != 0 ? std::string(kube::kNotSent) : "";
  switch (reply.code) {
    case kGrpcBadCall:
    case kGrpcBadDescriptors:
      return Error(ErrorCode::kInvalid, said).with_http(0, reason);
    case kGrpcTooLarge:
      return Error(ErrorCode::kBudget,
                   "the reply is larger than " + std::to_string(kReplyBytesMax) + " bytes");
    case kGrpcTooMany:
      return Error(ErrorCode::kBudget, "the reply has more than " + std::to_string(kReplyItemsMax) +
                                           " messages; let the call ask for fewer");
    case kGrpcStopped:
      return Error(ErrorCode::kCancelled, "stopped");
    default:
      break;
  }
  const bool is_ours = reply.unsent != 0;
  Error error = grpc_error(reply.code, is_ours || shows_messages ? said : "");
  const int status = error.http_status();
  return std::move(error).with_http(status, reason);
}

class ChannelDriver final : public Driver {
 public:
  ChannelDriver(const ChartwrightGrpcFunctions& library, const GrpcEndpoint& endpoint)
      : library_(library),
        authorization_(endpoint.authorization),
        shows_messages_(endpoint.shows_messages) {
    const ChartwrightGrpcServer server{
        endpoint.address.c_str(),
        endpoint.plaintext ? 1 : 0,
        endpoint.ca.c_str(),
        endpoint.certificate.c_str(),
        endpoint.key.c_str(),
        endpoint.server_name.c_str(),
        endpoint.descriptors.data(),
        endpoint.descriptors.size(),
        kReplyBytesMax,
        kReplyItemsMax,
    };
    channel_ = library_.open(&server);
  }
  ~ChannelDriver() override { library_.close(channel_); }
  ChannelDriver(const ChannelDriver&) = delete;
  ChannelDriver& operator=(const ChannelDriver&) = delete;

  base::Result<Reply> call(const Request& request, const kube::Call& limits) override {
    if (!is_grpc_method(request.call)) {
      return Error(
          ErrorCode::kInvalidArgument,
          go::quote(request.call) + " is not a method, such as \"petstore.PetStore/AddPets\"");
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limits.timeout - limits.spent);
    if (left.count() <= 0) {
      return Error(ErrorCode::kTimeout, "no time is left for the call")
          .with_http(0, std::string(kube::kNotSent));
    }
    std::stop_token stop = limits.stop;
    const std::string key = key_header(request.key);
    const ChartwrightGrpcCall sent{request.call.c_str(),
                                   request.body.c_str(),
                                   authorization_.c_str(),
                                   key.c_str(),
                                   left.count(),
                                   &is_stopped,
                                   &stop};
    const ChartwrightGrpcReply reply = library_.call(channel_, &sent);
    const std::string text = reply.text != nullptr ? reply.text : "";
    library_.release(reply.text);
    if (reply.code == 0) {
      return Reply{true, text};
    }
    if (reply.code == kGrpcNotFound) {
      return Reply{false, ""};
    }
    return error_of(reply, text, shows_messages_).wrap(request.call);
  }

 private:
  const ChartwrightGrpcFunctions& library_;
  const std::string authorization_;
  const bool shows_messages_;
  ChartwrightGrpcChannel* channel_ = nullptr;
};

}  // namespace

base::Result<std::unique_ptr<Driver>> make_grpc_driver(const GrpcEndpoint& endpoint) {
  CW_TRY_VOID(check_grpc_address(endpoint.address));
  if (!library().ok()) {
    return library().error();
  }
  return std::unique_ptr<Driver>(std::make_unique<ChannelDriver>(**library(), endpoint));
}

}  // namespace chartwright::external
