// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/evidence.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "base/ascii.h"
#include "base/strings.h"
#include "health/selected.h"
#include "kube/names.h"
#include "kube/object.h"

namespace chartwright::diagnosis {

const kube::Gvk kPod{"", "v1", "Pod"};
const kube::Gvk kClaim{"", "v1", "PersistentVolumeClaim"};
const kube::Gvk kEvent{"", "v1", "Event"};
const kube::Gvk kReplicaSet{"apps", "v1", "ReplicaSet"};

namespace {

using value::Value;

const kube::Gvk kNode{"", "v1", "Node"};

constexpr size_t kUidBytesMax = 64;
constexpr size_t kClaimsMax = 8;

/// Reports whether the text may be a uid. It becomes part of a selector.
bool is_uid(std::string_view text) {
  return !text.empty() && text.size() <= kUidBytesMax && std::ranges::all_of(text, [](char c) {
    return base::is_ascii_alphanumeric(c) || c == '-';
  });
}

bool is_kind(const Value& object, const kube::Gvk& kind) {
  return kube::gvk_of(object).group_kind() == kind.group_kind();
}

/// Pods that have the same key lack the same, whatever only one of them was asked for.
std::string key_of(const Value& pod) {
  const auto bare = pod_sign({pod});
  return hash_of(pod) + "/" + (bare ? std::string(to_string(bare->code)) : look_of(pod));
}

/// The order in which causes are named.
auto rank(const Group& group) {
  return std::tuple(-group.share.pods, !group.is_newest, !group.sign.is_init, group.sign.code);
}

/// Adds a pod to the group with its cause. The group is told by the pod of the newest revision that
/// has restarted most often, or by the first one.
void join(std::vector<Group>& groups, Group one, bool keeps_first) {
  const auto same = std::ranges::find_if(groups, [&one](const Group& group) {
    return group.sign.code == one.sign.code && group.sign.is_init == one.sign.is_init;
  });
  if (same == groups.end()) {
    groups.push_back(std::move(one));
    return;
  }
  one.share.pods += same->share.pods;
  const auto weight = [](const Group& group) {
    return std::tuple(group.is_newest, group.sign.restarts);
  };
  if (!keeps_first && weight(one) > weight(*same)) {
    *same = std::move(one);
  } else {
    same->share = one.share;
  }
}

}  // namespace

Evidence::Evidence(const Value& child, std::span<const Asked> asked)
    : child_(child), asked_(asked), nature_(nature_of(child)) {
  if (is_kind(child, kPod)) {
    pods_.push_back(&child);
  }
  const Answer* listed = is_kind(child, kPod) ? nullptr : answer_to(pods_question());
  if (listed != nullptr) {
    for (const Value& pod : listed->objects) {
      if (health::belongs_to(child, kPod.group_kind(), pod)) {
        pods_.push_back(&pod);
      }
    }
  }
  if (nature_.is_ordered) {
    std::ranges::stable_sort(pods_, {}, [](const Value* pod) {
      return std::pair(kube::name_of(*pod).size(), kube::name_of(*pod));
    });
  }
  own_ = own_sign(child, events_of(child));
  groups_ = ranked_groups();
}

const Answer* Evidence::answer_to(const std::optional<Question>& question) const {
  const auto found = std::ranges::find_if(
      asked_, [&question](const Asked& one) { return question && one.question == *question; });
  return found == asked_.end() ? nullptr : &found->answer;
}

Events Evidence::events_of(const Value& object) const {
  const Answer* answer = answer_to(events_question(object));
  return answer == nullptr ? Events() : Events(answer->objects, kube::uid_of(object));
}

bool Evidence::counts(const Value& pod) const {
  const bool is_replaced = is_ended_pod(pod) || (kube::is_deleting(pod) && !nature_.is_ordered);
  return is_kind(child_, kPod) || nature_.wanted < 0 || !is_replaced;
}

std::vector<const Value*> Evidence::waiting_pods() const {
  std::vector<const Value*> waiting;
  std::ranges::copy_if(pods_, std::back_inserter(waiting),
                       [this](const Value* pod) { return counts(*pod) && !is_ready_pod(*pod); });
  return waiting;
}

int64_t Evidence::missing() const {
  const Answer* listed = answer_to(pods_question());
  const auto there =
      listed == nullptr || listed->cut || listed->state != Answer::State::kListed
          ? nature_.made
          : std::ranges::count_if(pods_, [this](const Value* pod) { return counts(*pod); });
  return std::max<int64_t>(nature_.wanted - there, 0);
}

bool Evidence::lacks_pods() const {
  const Answer* listed = answer_to(pods_question());
  const bool is_known = listed != nullptr && listed->state == Answer::State::kListed;
  return is_known && waiting_pods().empty() &&
         (missing() > 0 || (nature_.wanted < 0 && pods_.empty()));
}

const Value* Evidence::pending_claim(const Value& pod) const {
  for (const Question& question : claim_questions(pod)) {
    const Answer* answer = answer_to(question);
    if (answer != nullptr && !answer->objects.empty() && claim_sign(answer->objects[0], {})) {
      return &answer->objects[0];
    }
  }
  return nullptr;
}

PodEvidence Evidence::evidence_of(const Value& pod) const {
  PodEvidence evidence{pod, events_of(pod), pending_claim(pod)};
  if (evidence.claim != nullptr) {
    evidence.claim_events = events_of(*evidence.claim);
  }
  const Answer* nodes = answer_to(node_question(pod));
  if (nodes != nullptr && nodes->state == Answer::State::kListed) {
    evidence.node = nodes->objects.empty() ? nullptr : &nodes->objects.front();
    evidence.node_is_gone = nodes->objects.empty();
  }
  return evidence;
}

std::string Evidence::newest() const {
  const Answer* sets = answer_to(replica_sets_question());
  std::string hash = newest_hash(child_);
  int64_t revision = 0;
  for (size_t i = 0; sets != nullptr && i < sets->objects.size(); ++i) {
    const auto text =
        kube::annotation_of(sets->objects[i], "deployment.kubernetes.io/revision").value_or("");
    const int64_t one = base::parse_int(text).value_or(0);
    if (one > revision && kube::is_owned_by(sets->objects[i], kube::uid_of(child_))) {
      revision = one;
      hash = hash_of(sets->objects[i]);
    }
  }
  if (!hash.empty() || pods_.empty()) {
    return hash;
  }
  return hash_of(**std::ranges::max_element(pods_, {}, [](const Value* pod) {
    return pod->string_at({"metadata", "creationTimestamp"});
  }));
}

std::map<std::string, Sign> Evidence::told_signs() const {
  std::map<std::string, Sign> signs;
  for (const Value* pod : pods_) {
    const PodEvidence evidence = evidence_of(*pod);
    const bool was_asked = !evidence.events.all().empty() || evidence.claim != nullptr ||
                           evidence.node != nullptr || evidence.node_is_gone;
    auto sign = was_asked ? pod_sign(evidence) : std::nullopt;
    if (sign) {
      signs.emplace(key_of(*pod), *std::move(sign));
    }
  }
  return signs;
}

std::vector<Group> Evidence::pod_groups() const {
  const auto told = told_signs();
  const std::string hash = newest();
  int64_t replaced = missing();
  std::vector<Group> groups;
  for (const Value* pod : pods_) {
    const auto like = told.find(key_of(*pod));
    auto sign = like != told.end() ? std::optional(like->second) : pod_sign({*pod});
    // A pod that has ended explains no more pods than are missing.
    if (sign && (counts(*pod) || replaced-- > 0)) {
      const bool is_newest = hash.empty() || hash_of(*pod) == hash;
      join(groups, {*std::move(sign), {1, 0, false}, pod, is_newest}, nature_.is_ordered);
    }
  }
  return groups;
}

std::vector<Group> Evidence::ranked_groups() const {
  std::vector<Group> groups = pod_groups();
  const Answer* listed = answer_to(pods_question());
  if (is_kind(child_, {"", "v1", "Service"}) && lacks_pods()) {
    const std::string text = "no pod has the labels " + pod_selector(child_);
    groups.push_back({{Code::kNoEndpoints, text, text}, {}, nullptr});
  }
  // A job that has failed is only the frame of what its pods say.
  if (own_ && (own_->says_all || groups.empty())) {
    const int64_t pods = nature_.has_pods && own_->says_all ? missing() : 0;
    groups.push_back({own_->sign, {pods, 0, false}, nullptr});
  }
  std::ranges::stable_sort(groups, {}, rank);
  const bool cut = listed != nullptr && listed->cut;
  for (Group& group : groups) {
    const int64_t all = nature_.wanted < 0 ? static_cast<int64_t>(pods_.size()) : nature_.wanted;
    group.share.of = group.share.pods == 0 ? 0 : std::max(all, group.share.pods);
    group.share.at_least = cut && group.share.pods > 0;
  }
  return groups;
}

std::optional<Question> Evidence::pods_question() const {
  std::string selector = pod_selector(child_);
  if (!nature_.has_pods || selector.empty() || is_kind(child_, kPod)) {
    return std::nullopt;
  }
  return Question{kPod, std::string(kube::namespace_of(child_)), std::move(selector), ""};
}

std::optional<Question> Evidence::replica_sets_question() const {
  std::string selector = pod_selector(child_);
  if (selector.empty() || !is_kind(child_, {"apps", "v1", "Deployment"})) {
    return std::nullopt;
  }
  return Question{kReplicaSet, std::string(kube::namespace_of(child_)), std::move(selector), ""};
}

std::optional<Question> Evidence::events_question(const Value& object) {
  const std::string uid(kube::uid_of(object));
  const std::string ns(kube::namespace_of(object));
  if (!is_uid(uid) || ns.empty()) {
    return std::nullopt;
  }
  return Question{kEvent, ns, "", "involvedObject.uid=" + uid};
}

std::vector<Question> Evidence::claim_questions(const Value& pod) {
  std::vector<Question> questions;
  for (const std::string& name : claim_names(pod)) {
    if (questions.size() < kClaimsMax) {
      questions.push_back(
          {kClaim, std::string(kube::namespace_of(pod)), "", "metadata.name=" + name});
    }
  }
  return questions;
}

std::optional<Question> Evidence::node_question(const Value& pod) {
  const std::string node(pod.string_at({"spec", "nodeName"}));
  if (!kube::is_dns_subdomain(node)) {
    return std::nullopt;
  }
  return Question{kNode, "", "", "metadata.name=" + node};
}

}  // namespace chartwright::diagnosis
