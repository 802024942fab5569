// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "external/call_counter.h"
#include "external/driver.h"
#include "runtime/fence.h"

namespace chartwright::external {

/// The calls to one server, from all custom resources. Repeats those that are safe to repeat, after
/// pauses that differ, and spares a server that does not answer, or asks for time: one caller at a
/// time then tries whether it is back. Thread-safe.
class Connection {
 public:
  /// `clock` and `counter`, where there is one, must outlive it.
  Connection(std::unique_ptr<Driver> driver, base::Clock& clock, CallCounter* counter = nullptr);

  /// Returns the reply of the server; `limits` are for all attempts together. Errors: those of
  /// Driver::call. While the server is spared, nothing is sent: the error is then that of the last
  /// call, with the reason kube::kNotSent.
  base::Result<Reply> call(const Request& request, const kube::Call& limits) CW_EXCLUDES(mutex_);

 private:
  std::optional<base::Error> refusal() CW_EXCLUDES(mutex_);
  void remember(const base::Result<Reply>& reply) CW_EXCLUDES(mutex_);
  base::Duration pause_after(int attempt) CW_EXCLUDES(mutex_);

  const std::unique_ptr<Driver> driver_;
  base::Clock& clock_;
  CallCounter* const counter_;  ///< Null: calls are not counted.
  base::Mutex mutex_;
  std::minstd_rand random_ CW_GUARDED_BY(mutex_);
  int failures_ CW_GUARDED_BY(mutex_) = 0;  ///< In a row.
  /// One caller tries it while the server is spared.
  bool is_tried_ CW_GUARDED_BY(mutex_) = false;
  base::MonotonicTime not_before_ CW_GUARDED_BY(mutex_){};
  std::optional<base::Error> last_ CW_GUARDED_BY(mutex_);
};

/// The connections of the process. One is closed when nobody has used it for ten minutes, or when
/// more than 64 are in use. Thread-safe.
class Connections {
 public:
  /// Gets the calls that are withheld, as Request::call.
  using Withheld = std::function<void(const std::string& call)>;

  /// `clock`, and `counter` and `fence`, where there are some, must outlive it. With `withheld`, or
  /// after the end of `fence`, only reads are sent: any other call gets the error kCancelled, with
  /// the reason kube::kNotSent. Before the end, it has no more time than is left.
  explicit Connections(base::Clock& clock, Withheld withheld = nullptr,
                       CallCounter* counter = nullptr, const runtime::Fence* fence = nullptr)
      : clock_(clock), withheld_(std::move(withheld)), counter_(counter), fence_(fence) {}

  /// Returns the connection to a server, which is made if there is none with these credentials.
  /// Errors: those of make_http_driver.
  base::Result<std::shared_ptr<Connection>> http(const HttpEndpoint& endpoint) CW_EXCLUDES(mutex_);
  /// The same for gRPC. Errors: those of make_grpc_driver.
  base::Result<std::shared_ptr<Connection>> grpc(const GrpcEndpoint& endpoint) CW_EXCLUDES(mutex_);

 private:
  struct Entry {
    std::string key;  ///< A digest: it must not hold credentials in a form to print.
    std::shared_ptr<Connection> connection;
    base::MonotonicTime used;
  };
  std::shared_ptr<Connection> find(const std::string& key) CW_EXCLUDES(mutex_);
  std::shared_ptr<Connection> add(const std::string& key, std::unique_ptr<Driver> driver)
      CW_EXCLUDES(mutex_);

  base::Clock& clock_;
  const Withheld withheld_;            ///< Null: every call is sent.
  CallCounter* const counter_;         ///< Null: calls are not counted.
  const runtime::Fence* const fence_;  ///< Null: there is none.
  base::Mutex mutex_;
  std::list<Entry> entries_ CW_GUARDED_BY(mutex_);  ///< Last used first.
};

}  // namespace chartwright::external
