// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The interface of libchartwright-grpc.so, which is opened by the first external that uses gRPC:
// the library and its dependencies take more memory than all the rest of an operator. It is C, so
// that no C++ object crosses the border: each side allocates and releases its own memory.

// The one symbol of the library. Its number counts the versions of what is declared here, so that a
// program finds nothing in a library of another version. Count on with each change.
#define CW_GRPC_FUNCTIONS chartwright_grpc_functions_2
#define CW_GRPC_FUNCTIONS_NAME "chartwright_grpc_functions_2"
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
  size_t reply_bytes_max;  ///< The limit of all messages of a reply, and of their JSON.
  size_t reply_messages_max;
};

struct ChartwrightGrpcCall {
  const char* method;  ///< "package.Service/Method"
  const char* body;    ///< JSON; empty: an empty message.
  const char* authorization;
  const char* idempotency_key;  ///< The metadata entry that carries the key.
  int64_t timeout_ms;
  int (*stopped)(void* context);  ///< Polled; not 0 ends the call.
  void* context;
};

/// Codes beside those of gRPC, which are 0 to 16.
enum ChartwrightGrpcCode : int {
  kGrpcBadCall = 100,         ///< No such method, or a body of another shape. Nothing was sent.
  kGrpcBadDescriptors = 101,  ///< The descriptors cannot be used. Nothing was sent.
  kGrpcTooLarge = 102,        ///< The reply has too many bytes.
  kGrpcStopped = 103,
  kGrpcTooMany = 104,  ///< The reply has too many messages.
};

struct ChartwrightGrpcReply {
  int code;
  int unsent;  ///< Not 0: nothing of the call was sent.
  char* text;  ///< JSON, a list for a stream; for other codes than 0 a message. To be released.
};

struct ChartwrightGrpcChannel;

struct ChartwrightGrpcFunctions {
  /// Never fails: a connection is made by the first call.
  ChartwrightGrpcChannel* (*open)(const ChartwrightGrpcServer* server);
  void (*close)(ChartwrightGrpcChannel* channel);
  /// Makes a unary or server-streaming call. Thread-safe.
  ChartwrightGrpcReply (*call)(ChartwrightGrpcChannel* channel, const ChartwrightGrpcCall* call);
  void (*release)(char* text);
};

CW_GRPC_EXPORT const ChartwrightGrpcFunctions* CW_GRPC_FUNCTIONS();

}  // extern "C"
