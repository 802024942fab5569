// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cstddef>
#include <map>
#include <memory>

#include "base/clock.h"
#include "base/mutex.h"
#include "runtime/connection_table.h"
#include "runtime/http_message.h"
#include "runtime/http_options.h"
#include "runtime/worker_pool.h"

// The connections of an HttpServer.
namespace chartwright::runtime {

/// Counts the requests that workers have. Thread-safe.
class PendingRequests {
 public:
  void add() CW_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    ++count_;
  }
  void remove() CW_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    --count_;
    changed_.notify_all();
  }
  /// Waits until there is none, or `deadline`.
  void wait(base::Clock& clock, base::MonotonicTime deadline) CW_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    while (count_ > 0 && clock.monotonic() < deadline) {
      clock.wait_until(changed_, mutex_, deadline);
    }
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  int count_ CW_GUARDED_BY(mutex_) = 0;
};

/// A connection, and the requests on it. For the network thread. It is kept alive by its pending
/// callbacks.
class HttpSession {
 public:
  virtual ~HttpSession() = default;
  virtual void start() = 0;
  /// Ends a stream that may end early, if the server drains.
  virtual void wake() = 0;
  /// Ends the connection: its pending callbacks fail.
  virtual void abandon() = 0;
};

/// The state of a server that its sessions share. For the network thread, except where noted.
struct HttpShared {
  HttpShared(const HttpServerOptions& o, const HttpHandler& h);
  /// Returns the handler's reply. Thread-safe if the handler is.
  HttpReply answer(const HttpRequest& request) const;

  const HttpServerOptions options;
  const HttpHandler handler;
  /// The identity and authorities of new connections; null: there are none yet.
  std::shared_ptr<boost::asio::ssl::context> tls;
  std::unique_ptr<WorkerPool> workers;  ///< Null: the network thread answers.
  std::unique_ptr<WorkerPool> prompt_worker;
  PendingRequests pending;
  ConnectionTable table;
  std::map<ConnectionTable::Id, std::weak_ptr<HttpSession>> sessions;
  size_t streams = 0;
  bool draining = false;
  /// Declared last: its destructor ends the sessions, which use the others.
  boost::asio::io_context context{1};
};

/// Returns the session of an accepted connection, which has the place `id` in the table. `shared`
/// must outlive it.
std::shared_ptr<HttpSession> make_session(boost::asio::ip::tcp::socket socket, HttpShared& shared,
                                          ConnectionTable::Id id);

}  // namespace chartwright::runtime
