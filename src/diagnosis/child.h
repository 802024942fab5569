// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "diagnosis/events.h"
#include "diagnosis/texts.h"
#include "value/value.h"

namespace chartwright::diagnosis {

/// A cause that the status of an object shows, or its Events.
struct OwnSign {
  Sign sign;
  bool says_all = true;  ///< The pods cannot say more.
};

/// How an object that is not ready is looked into. Kinds without pods have no such numbers.
struct Nature {
  bool has_pods = false;    ///< It selects pods, or is one.
  bool has_events = false;  ///< The Events say what neither status nor pods say.
  int64_t wanted = -1;      ///< So many pods there should be; -1 if only the listed ones count.
  int64_t made = 0;         ///< So many pods of its newest revision there are, by its status.
  bool is_ordered = false;  ///< One pod that is not ready keeps the next ones from being made.
};

Nature nature_of(const value::Value& child);

/// The kinds of objects that a search about an object may have to list.
struct Reach {
  bool selects_pods = false;
  bool is_pod = false;
  bool has_revisions = false;  ///< The pods belong to ReplicaSets.
  bool has_events = false;
};

Reach reach_of(const kube::GroupKind& kind);

/// Returns the cause that the object itself shows. `events` are its own, empty if not asked for.
std::optional<OwnSign> own_sign(const value::Value& child, const Events& events);

/// Returns the selector of the object's pods in the form that the API takes; "" if there is none,
/// if it selects everything, or if it is malformed.
std::string pod_selector(const value::Value& child);

/// Returns the hash of the newest revision, which its pods have as a label, as far as the status
/// of a Deployment or StatefulSet says it; else "".
std::string newest_hash(const value::Value& child);
/// Returns the hash of the revision of a pod; "" if it has none.
std::string hash_of(const value::Value& pod);

}  // namespace chartwright::diagnosis
