// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "kube/client.h"

namespace chartwright::sim {

/// A request of the kinds that an operator sends, in terms that mean the same on any server.
struct Request {
  enum class Verb : uint8_t { kCreate, kUpdate, kApply, kApplyStatus, kMerge, kDelete, kList };
  /// The resourceVersion that it names.
  enum class Version : uint8_t { kNone, kCurrent, kOld };
  /// The uid that it names.
  enum class Uid : uint8_t { kNone, kRight, kWrong };

  Verb verb{};
  kube::ObjectRef ref;
  std::string manager;
  Version version{};
  Uid uid{};
  bool dry = false;
  value::Value content;  ///< Members of the object, beside its name; of a list, nil.
};

std::string to_text(const Request& request);
/// Returns a request about one of the objects.
Request random_request(std::mt19937_64& random, const std::vector<kube::ObjectRef>& refs);

/// One of two servers that get the same requests. Not thread-safe.
class Side {
 public:
  explicit Side(kube::Client& client) : client_(client) {}

  /// Sends the request. Returns the answer as text without what differs between equal servers:
  /// times, uids, and resourceVersions but for whether they grow.
  std::string send(const Request& request);
  /// Removes an object, whatever holds it.
  void remove(const kube::ObjectRef& ref);
  /// Reads an object. Returns it in the same form.
  std::string look(const kube::ObjectRef& ref);

 private:
  struct Known {
    std::string uid;
    std::string version;
  };
  std::string shown(const kube::ObjectRef& ref, const value::Value& object, bool dry);
  value::Value body_of(const Request& request);

  kube::Client& client_;
  std::map<kube::ObjectRef, Known> known_;   ///< As last read.
  std::map<std::string, std::string> uids_;  ///< "uid 1" of each, by first sight.
};

}  // namespace chartwright::sim
