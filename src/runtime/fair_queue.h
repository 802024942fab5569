// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace chartwright::runtime {

/// Tasks of several clients, who take turns: one who brings many tasks delays his own, and
/// another's first task waits for no more than one of each client. As the API server's priority and
/// fairness, with a queue for each client. Not thread-safe.
class FairQueue {
 public:
  using Task = std::function<void()>;
  struct Limits {
    size_t running_of_one;  ///< Tasks of one client that run at the same time; at least 1.
    size_t waiting_of_one;  ///< More tasks of one client are refused.
    size_t waiting;         ///< More tasks of all are refused.
  };
  struct Next {
    std::string client;
    Task task;
  };

  explicit FairQueue(Limits limits) : limits_(limits) {}
  /// Returns false if too much is waiting.
  bool push(const std::string& client, Task task);
  /// Returns the task that shall run now; nullopt if none may. Once it has run, `end` is called.
  std::optional<Next> pop();
  void end(const std::string& client);
  /// Drops what waits.
  void clear();
  size_t waiting() const { return waiting_; }

 private:
  struct Client {
    std::deque<Task> waiting;
    size_t running = 0;
  };

  const Limits limits_;
  std::map<std::string, Client> clients_;  ///< Those that have a task, waiting or running.
  std::deque<std::string> turns_;          ///< Those that have one waiting, the next one first.
  size_t waiting_ = 0;
};

}  // namespace chartwright::runtime
