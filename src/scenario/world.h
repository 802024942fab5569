// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "bundle/watch.h"
#include "kube/client.h"
#include "kube/object.h"

namespace chartwright::scenario {

/// The namespace of the operator itself, whose objects no scenario sees.
inline constexpr const char* kOperatorNamespace = "chartwright-system";

/// A request that the operator has sent. Its body is not kept: it may have a Secret's values.
struct Request {
  std::string verb;  ///< "apply", "create", ...: see model::MemoryServer::Call; "dry-" before some.
  kube::ObjectRef ref;
  std::string error;  ///< The answer, if it is an error.
};

/// Reports whether a request has changed the cluster, as far as scenarios count: Events and the
/// operator's own objects do not.
bool is_counted_write(const Request& request);

/// A request that will be refused.
struct Refusal {
  std::string verb;
  kube::ObjectRef ref;
  int code = 0;
  std::string message;  ///< Empty: one that says so.
  size_t times = 1;
};

/// The cluster that a scenario is played on, and the operator in it: everything that the
/// interpreter of scenarios needs, so that it is the same for every kind of cluster.
class World {
 public:
  virtual ~World() = default;

  /// Starts the operator, and ends the one that runs in good order.
  virtual void start(const bundle::Watch& watch) = 0;
  /// Lets somebody who is not the operator send requests about an object.
  virtual base::Status act(const std::string& step, const kube::ObjectRef& ref,
                           const std::function<base::Status(kube::Client&)>& send) = 0;
  virtual void refuse(const Refusal& refusal) = 0;
  /// The operator will crash once the server has carried out so many more writes, and be started
  /// again.
  virtual void crash_after(size_t writes) = 0;
  /// Lets the operator work until it has sent nothing for a while. Errors: kTimeout, kInternal if
  /// it never comes to rest.
  virtual base::Status settle() = 0;
  /// Lets time pass. Error: kInternal if the operator never comes to rest.
  virtual base::Status pass(base::Duration duration) = 0;

  /// Returns the object; nil if there is none.
  virtual base::Result<value::Value> find(const kube::ObjectRef& ref) = 0;
  /// Returns all objects.
  virtual base::Result<std::vector<value::Value>> objects() = 0;
  /// Returns a mark for requests_since.
  virtual size_t mark() const = 0;
  /// Returns the requests since a mark, in order. Watches are no requests.
  virtual std::vector<Request> requests_since(size_t mark) const = 0;
};

}  // namespace chartwright::scenario
