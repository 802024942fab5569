// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "kube/client.h"
#include "runtime/fence.h"
#include "value/value.h"

namespace chartwright::runtime {

struct LeaseOptions {
  std::string ns;
  std::string name;
  std::string identity;  ///< Unique per process: "<hostname>_<random>".
  base::Duration lease_duration = std::chrono::seconds(15);
  base::Duration renew_deadline = std::chrono::seconds(10);
  base::Duration retry_period = std::chrono::seconds(2);
};

/// How a lease was acquired.
enum class Acquired : uint8_t {
  kAtOnce,       ///< The first try succeeded.
  kAfterAnother  ///< Later: what was read before may be older than the last writes of the holder.
};

/// Leader election with a coordination.k8s.io/v1 Lease. Another process's lease counts as expired
/// when it has not changed for long enough on our own clock; the times written in it are ignored.
/// Callers must exit when `hold` returns. Not thread-safe. Source: client-go tools/leaderelection.
class LeaderElection {
 public:
  /// References must outlive it. From `acquire` on, `fence` ends when the lease must be renewed at
  /// the latest, also if the thread that holds it does not run meanwhile. Error of `make`:
  /// kInvalidArgument when lease_duration > renew_deadline > 1.2·retry_period does not hold or a
  /// name is empty.
  static base::Result<LeaderElection> make(LeaseOptions options, kube::Client& client,
                                           base::Clock& clock, const base::Logger& log,
                                           Fence& fence);

  /// Blocks until the lease is ours; kCancelled when stopped first. Returns how it became ours.
  base::Result<Acquired> acquire(std::stop_token stop);
  /// Keeps the lease until `stop` is requested (success), it could not be renewed in time
  /// (kTimeout), or another process holds it (kConflict). Call it soon after `acquire`.
  base::Status hold(std::stop_token stop);
  /// Gives up the lease, so that a successor need not wait. Call when all workers have ended.
  base::Status release();

 private:
  LeaderElection(LeaseOptions options, kube::Client& client, base::Clock& clock,
                 const base::Logger& log, Fence& fence);
  /// Tries once to create, take or renew the lease. Returns false if another process holds it.
  base::Result<bool> try_hold(const std::stop_token& stop);
  void observe(const value::Value& lease);
  bool is_held_by_other() const;
  base::Status keep(const std::stop_token& stop);
  base::MonotonicTime renew_by() const { return renewed_ + options_.renew_deadline; }
  value::Value claim(const value::Value& current) const;
  base::Status write(const value::Value& lease, const std::stop_token& stop);
  kube::Call call(const std::stop_token& stop) const;

  LeaseOptions options_;
  kube::Client* client_;
  base::Clock* clock_;
  Fence* fence_;
  base::Logger log_;
  std::minstd_rand random_;
  value::Value observed_;                ///< The lease as last read or written; nil until then.
  base::MonotonicTime observed_time_{};  ///< When `observed_` last changed, on our clock.
  base::MonotonicTime renewed_{};        ///< When our last write that succeeded began.
  bool holding_ = false;                 ///< Requests end before the lease must be renewed.
};

}  // namespace chartwright::runtime
