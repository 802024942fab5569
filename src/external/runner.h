// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "external/connections.h"
#include "external/external.h"
#include "external/machine.h"
#include "external/memory.h"
#include "external/session.h"
#include "external/surroundings.h"
#include "host/secret_mask.h"

namespace chartwright::external {

/// The services that a Runner uses.
struct RunnerServices {
  Connections& connections;
  base::Clock& clock;
  const base::Logger& log;
  const kube::Call& call;
  std::string owner_uid;  ///< The uid of the custom resource.
  /// Other secrets than the credentials that the externals read.
  host::SecretMask secrets = {};
};

/// Brings the externals of one custom resource to where they should be. Errors have no credential
/// in them. Blocks. For one thread.
class Runner {
 public:
  /// All references must outlive it.
  Runner(const std::vector<External>& externals, Records& records, Memory& memory,
         Surroundings& surroundings, RunnerServices services)
      : externals_(externals),
        records_(records),
        memory_(memory),
        around_(surroundings),
        services_(std::move(services)),
        secrets_(services_.secrets) {}

  /// Creates, finds and updates the objects, in order. One that fails stops those that use it, and
  /// no others; the result is the first error.
  base::Status bring_about();
  /// Deletes the objects in reverse order, except for those with the policy Orphan. Errors:
  /// kUnavailable where a deleted object is still there.
  base::Status remove();
  /// Returns the shortest resync of the externals that were brought about.
  base::Duration resync() const { return resync_; }
  /// Returns the names and ids of the objects that remove() has left, for people.
  const std::vector<std::string>& orphans() const { return orphans_; }

 private:
  base::Status drive(const External& external, Goal goal);
  base::Status step(const External& external, Session& session, Action action);
  base::Status announce(const External& external, Session& session);
  base::Result<Copied> store_intent(const External& external, Surprise surprise);
  base::Status recall(const External& external);
  base::Status create(const External& external, Session& session);
  base::Result<std::string> body_to_send(const External& external, Session& session);
  base::Status note_failure(const External& external, Session& session, base::Error error);
  base::Status note_doubtful(const External& external, Session& session, base::Error error);
  base::Status hold(const External& external, Session& session, Goal goal);
  std::string doubt(const Record& record) const;
  bool may_be_ours(const External& external, const std::string& id) const;
  std::string way_out(const External& external, bool was_named) const;
  base::Status search(const External& external, Session& session);
  void settle(const External& external);
  base::Status adopt(const External& external);
  base::Result<value::Value> scope_for();
  base::Error explained(const External& external, const base::Error& error) const;

  const std::vector<External>& externals_;
  Records& records_;
  Memory& memory_;
  Surroundings& around_;
  const RunnerServices services_;
  host::SecretMask secrets_;
  Knowledge known_;
  std::vector<std::string> candidates_;
  std::string refusal_;  ///< The error of a create that the server does not let be repeated.
  base::Duration resync_ = std::chrono::hours(24);
  std::vector<std::string> orphans_;
};

/// Returns `.External`: what is captured of each external of a bundle, with an empty id where none
/// is known. nil for a bundle without externals.
value::Value captures(const std::vector<External>& externals, const Records& records);

}  // namespace chartwright::external
