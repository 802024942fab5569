// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "diagnosis/child.h"
#include "diagnosis/pod.h"
#include "diagnosis/question.h"
#include "kube/object.h"
#include "value/value.h"

namespace chartwright::diagnosis {

extern const kube::Gvk kPod;
extern const kube::Gvk kClaim;
extern const kube::Gvk kEvent;
extern const kube::Gvk kReplicaSet;

/// Pods with the same cause, or a cause without pods.
struct Group {
  Sign sign;
  Share share;
  const value::Value* pod;  ///< The pod that shows the cause best; null if the child does.
  bool is_newest = true;    ///< One of its pods is of the newest revision.
};

/// All that is known of a child. Refers to the child and the answers, and lives no longer.
class Evidence {
 public:
  Evidence(const value::Value& child, std::span<const Asked> asked);

  const value::Value& child() const { return child_; }
  const Nature& nature() const { return nature_; }
  /// Returns the answer to a question; null if it was not asked.
  const Answer* answer_to(const std::optional<Question>& question) const;
  /// Returns the Events about an object; empty if they were not asked for.
  Events events_of(const value::Value& object) const;
  const std::vector<const value::Value*>& pods() const { return pods_; }
  /// Returns the pods of the child that are neither ready nor replaced.
  std::vector<const value::Value*> waiting_pods() const;
  /// Returns how many pods are missing.
  int64_t missing() const;
  /// Reports whether pods are missing, and none of those that are there says why.
  bool lacks_pods() const;
  /// Returns the causes, the most important first.
  const std::vector<Group>& groups() const { return groups_; }
  /// Returns the cause that the child itself shows.
  const std::optional<OwnSign>& own() const { return own_; }
  /// Returns a claim of the pod that has no volume; null if none is known.
  const value::Value* pending_claim(const value::Value& pod) const;
  std::string newest() const;

  // Each returns nullopt if the object does not allow the question: it has no selector, or a
  // malformed uid or name.
  std::optional<Question> pods_question() const;
  std::optional<Question> replica_sets_question() const;
  static std::optional<Question> events_question(const value::Value& object);
  static std::optional<Question> node_question(const value::Value& pod);
  static std::vector<Question> claim_questions(const value::Value& pod);

 private:
  PodEvidence evidence_of(const value::Value& pod) const;
  /// Returns the signs of pods that were asked for, which speak for those like them.
  std::map<std::string, Sign> told_signs() const;
  std::vector<Group> pod_groups() const;
  std::vector<Group> ranked_groups() const;
  bool counts(const value::Value& pod) const;

  const value::Value& child_;
  std::span<const Asked> asked_;
  Nature nature_;
  std::vector<const value::Value*> pods_;
  std::optional<OwnSign> own_;
  std::vector<Group> groups_;
};

}  // namespace chartwright::diagnosis
