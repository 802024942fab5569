// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/diagnosis.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "diagnosis/evidence.h"
#include "health/conditions.h"
#include "kube/object.h"

namespace chartwright::diagnosis {
namespace {

using health::condition_of;
using value::Value;

using Questions = std::vector<std::optional<Question>>;

Questions ask_pods(const Evidence& evidence, bool) { return {evidence.pods_question()}; }

/// A controller that cannot create a pod says so only in Events, but for those with a condition.
Questions ask_own_events(const Evidence& evidence, bool) {
  const bool explains = evidence.nature().has_pods ? evidence.lacks_pods() && !evidence.own()
                                                   : evidence.nature().has_events;
  return explains && evidence.nature().has_events
             ? Questions{Evidence::events_question(evidence.child())}
             : Questions{};
}

/// Pods of several revisions are only ranked if the newest one is known.
Questions ask_replica_sets(const Evidence& evidence, bool) {
  std::set<std::string> hashes;
  for (const Value* pod : evidence.waiting_pods()) {
    hashes.insert(hash_of(*pod));
  }
  return hashes.size() > 1 && newest_hash(evidence.child()).empty()
             ? Questions{evidence.replica_sets_question()}
             : Questions{};
}

/// Returns the pod that shows the most important cause; null if none does.
const Value* worst_pod(const Evidence& evidence) {
  return evidence.groups().empty() ? nullptr : evidence.groups().front().pod;
}

Questions ask_claims(const Evidence& evidence, bool) {
  const Value* pod = worst_pod(evidence);
  if (pod == nullptr || evidence.groups().front().sign.code != Code::kClaimPending) {
    return {};
  }
  if (const Value* claim = evidence.pending_claim(*pod)) {
    return {Evidence::events_question(*claim)};
  }
  const auto questions = Evidence::claim_questions(*pod);
  return {questions.begin(), questions.end()};
}

Questions ask_node(const Evidence& evidence, bool) {
  const Value* pod = worst_pod(evidence);
  return pod != nullptr && evidence.groups().front().sign.code == Code::kNodeLost
             ? Questions{Evidence::node_question(*pod)}
             : Questions{};
}

/// Events may say more of a pod than its status: why it is not ready, or why it crashes.
Questions ask_pod_events(const Evidence& evidence, bool thorough) {
  if (const Value* pod = worst_pod(evidence)) {
    const bool by_probe = evidence.groups().front().sign.code == Code::kPodCrashLooping &&
                          may_be_restarted_by_probe(*pod);
    return by_probe || thorough ? Questions{Evidence::events_question(*pod)} : Questions{};
  }
  const auto waiting = evidence.waiting_pods();
  const auto newest = std::ranges::find_if(
      waiting, [&](const Value* pod) { return hash_of(*pod) == evidence.newest(); });
  if (waiting.empty()) {
    return {};
  }
  return {Evidence::events_question(newest == waiting.end() ? *waiting.front() : **newest)};
}

// In the order in which they are worth asking.
constexpr std::array<Questions (*)(const Evidence&, bool), 6> kRules = {
    ask_pods, ask_own_events, ask_replica_sets, ask_claims, ask_node, ask_pod_events};

// The texts of a cause.

std::string share_text(const Share& share) {
  if (share.of <= 1) {
    return "";
  }
  return std::to_string(share.pods) + (share.at_least ? "+ of " : " of ") +
         std::to_string(share.of) + " pods: ";
}

/// Reports whether the pod is of a revision that is not the one to update to. Its controller waits
/// for it to get ready, which it cannot. Source: kubernetes/kubernetes issue 67250,
/// k8s.io/kubernetes pkg/controller/statefulset/stateful_set_control.go processReplica.
bool is_stuck(const Evidence& evidence, const Value& pod) {
  const std::string_view wanted = evidence.child().string_at({"status", "updateRevision"});
  return !wanted.empty() && hash_of(pod) != wanted &&
         evidence.child().string_at({"spec", "updateStrategy", "type"}) != "OnDelete" &&
         integer_at(evidence.child(), {"spec", "updateStrategy", "rollingUpdate", "partition"}) ==
             0;
}

/// Says which pod of a StatefulSet the others wait for.
std::string order_text(const Evidence& evidence, const Group& group, Code& code) {
  if (!evidence.nature().is_ordered || group.pod == nullptr) {
    return "";
  }
  const std::string_view name = kube::name_of(*group.pod);
  const std::string pod = "pod " + one_line(name.substr(name.rfind('-') + 1), 20);
  if (is_stuck(evidence, *group.pod)) {
    code = Code::kRevisionStuck;
    return pod + " of an old revision blocks the update until it is deleted: ";
  }
  return evidence.missing() > 0 ? pod + " blocks the next ones: " : "";
}

/// Says what a Job has come to, where its pods say why.
std::string job_text(const Evidence& evidence, const Group& group) {
  const auto& own = evidence.own();
  const bool is_frame = group.pod != nullptr && own && own->sign.code == Code::kJobFailed;
  return is_frame ? own->sign.stable + ": " : "";
}

/// The items of a list do not say their kind, and an owner may have any name.
Link link_to(const kube::Gvk& gvk, std::string_view ns, std::string_view name) {
  return {{{one_line(gvk.group), one_line(gvk.version), one_line(gvk.kind)},
           one_line(ns),
           one_line(name)},
          "",
          {}};
}

Link link_to(const Evidence& evidence, const kube::Gvk& gvk, const Value& object,
             std::string_view says) {
  Link link = link_to(gvk, kube::namespace_of(object), kube::name_of(object));
  link.says = one_line(says);
  link.warnings = evidence.events_of(object).warnings();
  return link;
}

std::string child_text(const Evidence& evidence) {
  if (const auto& own = evidence.own()) {
    return own->sign.full;
  }
  const Value* progress = condition_of(evidence.child(), "Progressing");
  if (progress != nullptr && progress->string_at({"reason"}) == "ProgressDeadlineExceeded") {
    return "ProgressDeadlineExceeded: " + std::string(text_at(*progress, {"message"}));
  }
  const int64_t wanted = evidence.nature().wanted;
  return wanted < 0 || evidence.pods().empty()
             ? ""
             : std::to_string(std::ranges::count_if(
                   evidence.pods(), [](const Value* pod) { return is_ready_pod(*pod); })) +
                   " of " + std::to_string(wanted) + " pods are ready";
}

/// Returns the objects from the child down to the one that shows the cause.
std::vector<Link> chain_of(const Evidence& evidence, const Group& group) {
  const Value& child = evidence.child();
  std::vector<Link> chain;
  if (group.pod != &child) {
    chain.push_back(link_to(evidence, kube::gvk_of(child), child, child_text(evidence)));
  }
  if (group.pod == nullptr) {
    return chain;
  }
  for (const kube::OwnerReference& owner : kube::owner_references_of(*group.pod)) {
    if (owner.controller && owner.uid != kube::uid_of(child) && group.pod != &child) {
      chain.push_back(link_to(kube::Gvk::from_api_version(owner.api_version, owner.kind),
                              kube::namespace_of(*group.pod), owner.name));
    }
  }
  chain.push_back(link_to(evidence, kPod, *group.pod, group.sign.full));
  const Value* claim = group.sign.code == Code::kClaimPending || group.sign.code == Code::kClaimLost
                           ? evidence.pending_claim(*group.pod)
                           : nullptr;
  if (claim != nullptr) {
    const auto sign = claim_sign(*claim, evidence.events_of(*claim));
    chain.push_back(link_to(evidence, kClaim, *claim, sign ? sign->full : ""));
  }
  return chain;
}

Cause cause_of(const Evidence& evidence, const Group& group) {
  Cause cause;
  cause.code = group.sign.code;
  cause.share = group.share;
  const std::string head =
      job_text(evidence, group) + share_text(group.share) + order_text(evidence, group, cause.code);
  const std::string_view base = kube::name_of(evidence.child());
  cause.summary = one_line(without_generated_names(head + group.sign.stable, base));
  cause.details = one_line(head + group.sign.full);
  cause.chain = chain_of(evidence, group);
  cause.object = cause.chain.back().object;
  return cause;
}

/// Returns what an answer does not say; "" if it says all.
std::string gap_of(const Question& question, const Answer& answer) {
  const std::string objects = question.gvk.kind + "s";
  switch (answer.state) {
    case Answer::State::kForbidden:
      return "no right to list " + objects;
    case Answer::State::kUnavailable:
      return objects + " could not be listed";
    case Answer::State::kListed:
      break;
  }
  return answer.cut ? "only " + std::to_string(question.limit) + " " + objects + " were looked at"
                    : "";
}

}  // namespace

std::vector<kube::Gvk> listed_kinds(const kube::GroupKind& kind) {
  const Reach reach = reach_of(kind);
  std::vector<kube::Gvk> kinds;
  if (reach.selects_pods) {
    kinds.push_back(kPod);
  }
  if (reach.selects_pods || reach.is_pod) {
    kinds.push_back(kClaim);
  }
  if (reach.has_revisions) {
    kinds.push_back(kReplicaSet);
  }
  if (!kinds.empty() || reach.has_events) {
    kinds.push_back(kEvent);
  }
  return kinds;
}

std::optional<Question> Diagnosis::next() const {
  if (asked_.size() >= max_questions_ || kube::is_deleting(child_)) {
    return std::nullopt;
  }
  const Evidence evidence(child_, asked_);
  const auto& own = evidence.own();
  const bool waits = own && (own->sign.code == Code::kClaimPending ||
                             own->sign.code == Code::kLoadBalancerPending);
  if (own && own->says_all && !waits) {
    return std::nullopt;
  }
  for (const auto rule : kRules) {
    for (auto& question : rule(evidence, max_questions_ >= kThoroughQuestions)) {
      if (question && evidence.answer_to(question) == nullptr) {
        return std::move(question);
      }
    }
  }
  return std::nullopt;
}

void Diagnosis::answer(const Question& question, Answer answer) {
  if (answer.objects.size() > question.limit) {
    answer.objects.resize(question.limit);
    answer.cut = true;
  }
  asked_.push_back({question, std::move(answer)});
}

Finding Diagnosis::finding() const {
  Finding finding;
  const Evidence evidence(child_, asked_);
  if (!kube::is_deleting(child_)) {
    for (const Group& group : evidence.groups()) {
      finding.causes.push_back(cause_of(evidence, group));
    }
  }
  for (const Asked& one : asked_) {
    std::string gap = gap_of(one.question, one.answer);
    if (!gap.empty() && std::ranges::find(finding.gaps, gap) == finding.gaps.end()) {
      finding.gaps.push_back(std::move(gap));
    }
  }
  return finding;
}

}  // namespace chartwright::diagnosis
