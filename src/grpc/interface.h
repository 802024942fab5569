// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The interface of libchartwright-grpc.so, which is opened by the first external that uses gRPC:
// the library and its dependencies take more memory than all the rest of an operator. It is C, so
// that no C++ object crosses the border: each side allocates and releases its own memory.

#define CW_GRPC_EXPORT __attribute__((visibility("default")))

extern "C" {

/// How to reach and authenticate to a server. All texts end with a zero; empty means none.
struct ChartwrightGrpcServer {
  const char* address;
  int plaintext;
  const char* ca;           ///< PEM; empty: the system's.
  const char* certificate;  ///< PEM, of us as client.
  const char* key;
  const char* server_name;
  const char* descriptors;  ///< A FileDescriptorSet; of size 0: ask the server's reflection.
  size_t descriptors_size;
};

struct ChartwrightGrpcCall {
  const char* method;  ///< "package.Service/Method"
  const char* body;    ///< JSON; empty: an empty message.
  const char* authorization;
  int64_t timeout_ms;
  size_t reply_bytes_max;
  int (*stopped)(void* context);  ///< Polled; not 0 ends the call.
  void* context;
};

/// Codes beside those of gRPC, which are 0 to 16.
enum ChartwrightGrpcCode : int {
  kGrpcBadCall = 100,         ///< No such method, or a body of another shape. Nothing was sent.
  kGrpcBadDescriptors = 101,  ///< The descriptors cannot be used. Nothing was sent.
  kGrpcTooLarge = 102,        ///< The reply is too large.
  kGrpcStopped = 103,
};

struct ChartwrightGrpcReply {
  int code;
  int unsent;  ///< Not 0: nothing of the call was sent.
  char* text;  ///< JSON, a list for a stream; for other codes than 0 a message. To be released.
};

struct ChartwrightGrpcChannel;

/// Never fails: a connection is made by the first call.
CW_GRPC_EXPORT ChartwrightGrpcChannel* chartwright_grpc_open(const ChartwrightGrpcServer* server);
CW_GRPC_EXPORT void chartwright_grpc_close(ChartwrightGrpcChannel* channel);
/// Makes a unary or server-streaming call. Thread-safe.
CW_GRPC_EXPORT ChartwrightGrpcReply chartwright_grpc_call(ChartwrightGrpcChannel* channel,
                                                          const ChartwrightGrpcCall* call);
CW_GRPC_EXPORT void chartwright_grpc_release(char* text);

}  // extern "C"
