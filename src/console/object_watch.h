// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "base/result.h"
#include "console/connection.h"
#include "kube/client.h"
#include "kube/object.h"
#include "kube/watch_frame.h"
#include "value/value.h"

namespace chartwright::cmd {

/// Follows the objects of a kind that a selection has, by watches, for as long as the API server
/// lets the caller. Not thread-safe.
class ObjectWatch {
 public:
  struct Sink {
    /// Receives an object, whose state may be new.
    std::function<void(const value::Value& object)> seen;
    /// Receives an object that is there no more.
    std::function<void(const kube::ObjectRef& ref)> gone;
  };

  ObjectWatch(kube::Gvk kind, kube::Selection selection)
      : kind_(std::move(kind)), selection_(std::move(selection)) {}

  /// Takes an object that was read for the only one in the selection, in the place of list().
  void begin_with(const value::Value& object);
  /// Passes the objects that there are to the sink. Errors: those of kube::Client::list.
  base::Status list(kube::Client& client, const kube::Call& call, const Sink& sink);
  /// Passes what has changed since, and what changes, until the API server ends the watch. Where
  /// that no longer knows what has changed, the next call lists again. Errors: those of
  /// kube::Client::list and kube::Client::watch.
  base::Status go_on(kube::Client& client, const kube::Call& call, const Sink& sink);
  /// Goes on for as long as possible, also after an error. Returns why it cannot: the caller lacks
  /// a right, or the call is cancelled. Blocks.
  base::Error follow(Connection& connection, const Sink& sink);

 private:
  /// The number of objects that are known, if there are no more at first. Of more, none is told to
  /// be gone where that is found out by a list.
  static constexpr size_t kObjectsMax = 20'000;

  void take(const kube::WatchFrame& frame, const Sink& sink);

  kube::Gvk kind_;
  kube::Selection selection_;
  std::string version_;  ///< From which to watch on; empty: list first.
  bool was_listed_ = false;
  std::set<kube::ObjectRef> known_;  ///< Those that are there.
};

}  // namespace chartwright::cmd
