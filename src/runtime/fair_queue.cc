// SPDX-License-Identifier: Apache-2.0
#include "runtime/fair_queue.h"

#include <algorithm>
#include <utility>

namespace chartwright::runtime {

bool FairQueue::push(const std::string& client, Task task) {
  const auto found = clients_.find(client);
  const size_t of_one = found == clients_.end() ? 0 : found->second.waiting.size();
  if (waiting_ >= limits_.waiting || of_one >= limits_.waiting_of_one) {
    return false;
  }
  clients_[client].waiting.push_back(std::move(task));
  ++waiting_;
  if (of_one == 0) {
    turns_.push_back(client);
  }
  return true;
}

std::optional<FairQueue::Next> FairQueue::pop() {
  const auto turn = std::find_if(turns_.begin(), turns_.end(), [&](const std::string& name) {
    return clients_[name].running < limits_.running_of_one;
  });
  if (turn == turns_.end()) {
    return std::nullopt;
  }
  std::string name = std::move(*turn);
  turns_.erase(turn);
  Client& client = clients_[name];
  Task task = std::move(client.waiting.front());
  client.waiting.pop_front();
  ++client.running;
  --waiting_;
  if (!client.waiting.empty()) {
    turns_.push_back(name);
  }
  return Next{std::move(name), std::move(task)};
}

void FairQueue::end(const std::string& client) {
  const auto found = clients_.find(client);
  if (--found->second.running == 0 && found->second.waiting.empty()) {
    clients_.erase(found);
  }
}

void FairQueue::clear() {
  std::erase_if(clients_, [](const auto& one) { return one.second.running == 0; });
  for (auto& [name, client] : clients_) {
    client.waiting.clear();
  }
  turns_.clear();
  waiting_ = 0;
}

}  // namespace chartwright::runtime
