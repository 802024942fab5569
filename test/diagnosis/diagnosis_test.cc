// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/diagnosis.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "base/unicode.h"
#include "test/diagnosis/lists.h"
#include "value/json.h"
#include "value/path.h"

namespace chartwright::diagnosis {
namespace {

using value::Value;

Value json_of(std::string_view text) {
  return CW_MUST(value::parse_json(text, value::Numbers::kInt64));
}

void set_at(std::string_view path, const Value& root, Value value) {
  Value same = root;
  CW_MUST(CW_MUST(value::Path::parse(path)).set(same, std::move(value)));
}

Value deployment(int64_t replicas) {
  return json_of(
      R"({"apiVersion":"apps/v1","kind":"Deployment",
    "metadata":{"name":"web","namespace":"shop","uid":"u-web"},
    "spec":{"replicas":)" +
      std::to_string(replicas) +
      R"(,"selector":{"matchLabels":{"app":"web"}}},"status":{"observedGeneration":1}})");
}

/// A pod of the ReplicaSet with that hash, whose status is given.
Value pod(const std::string& name, const std::string& hash, const std::string& status) {
  return json_of(
      R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":"u-)" + name +
      R"(","labels":{"app":"web","pod-template-hash":")" + hash +
      R"("},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-)" + hash +
      R"(","uid":"u-)" + hash + R"(","controller":true}]},
    "spec":{"nodeName":"n","containers":[{"name":"app"}]},"status":)" +
      status + "}");
}

std::string crash(int restarts) {
  return R"({"phase":"Running","containerStatuses":[{"name":"app","ready":false,"restartCount":)" +
         std::to_string(restarts) + R"(,"state":{"waiting":{"reason":"CrashLoopBackOff"}},
    "lastState":{"terminated":{"exitCode":1,"reason":"Error"}}}]})";
}

std::string no_image() {
  return R"({"phase":"Pending","containerStatuses":[{"name":"app","image":"app:2","ready":false,
    "state":{"waiting":{"reason":"ErrImagePull"}}}]})";
}

std::string creating() {
  return R"({"phase":"Pending","containerStatuses":[{"name":"app","ready":false,
    "state":{"waiting":{"reason":"ContainerCreating"}}}]})";
}

std::vector<std::string> codes(const Run& run) {
  std::vector<std::string> names;
  for (const Cause& cause : run.finding.causes) {
    names.emplace_back(to_string(cause.code));
  }
  return names;
}

std::vector<std::string> asked_kinds(const Run& run) {
  std::vector<std::string> kinds;
  for (const Question& question : run.asked) {
    kinds.push_back(question.gvk.kind);
  }
  return kinds;
}

using Names = std::vector<std::string>;

TEST_CASE("Each code has a name of its own") {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(Code::kResourceNotReady); ++code) {
    names.insert(to_string(static_cast<Code>(code)));
  }
  CHECK(names.size() == 24);
  CHECK(to_string(Code::kQuotaExceeded) == "QuotaExceeded");
  CHECK(to_string(Code::kPodCrashLooping) == "PodCrashLooping");
  CHECK(to_string(Code::kResourceNotReady) == "ResourceNotReady");
}

TEST_CASE("A question has the selector of the object, in the form of the API") {
  Value child = deployment(1);
  set_at("spec.selector", child, json_of(R"({"matchLabels":{"app":"web"},"matchExpressions":[
      {"key":"tier","operator":"In","values":["a","b"]},{"key":"old","operator":"DoesNotExist"}]})"));
  const auto question = Diagnosis(child).next();
  REQUIRE(question);
  CHECK(question->gvk.to_string() == "/v1, Kind=Pod");
  CHECK(question->ns == "shop");
  CHECK(question->label_selector == "app=web,tier in (a,b),!old");
  CHECK(question->limit == 50);
}

TEST_CASE("A selector that selects everything, or that is malformed, asks nothing") {
  for (const std::string_view selector :
       {"{}", R"({"matchLabels":{}})", "null", "[]", R"({"matchLabels":{"a":1}})",
        R"({"matchLabels":{"a":"b,c"}})", R"({"matchLabels":{"a b":"c"}})",
        R"({"matchExpressions":[{"key":"a","operator":"Near"}]})",
        R"({"matchExpressions":[{"key":"a","operator":"In","values":["x y"]}]})"}) {
    Value child = deployment(1);
    set_at("spec.selector", child, json_of(selector));
    CHECK_FALSE(Diagnosis(child).next());
  }
}

TEST_CASE("An object that is being deleted asks nothing and has no cause") {
  Value child = deployment(1);
  set_at("metadata.deletionTimestamp", child, Value::string("2026-11-29T14:00:00Z"));
  const Run run = diagnosis::run(child, {});
  CHECK(run.asked.empty());
  CHECK(run.finding.causes.empty());
}

TEST_CASE("A uid or a name that is not one becomes no part of a selector") {
  Lists lists;
  lists.objects["Pod"] = {pod("a", "h1", creating())};
  set_at("metadata.uid", lists.objects["Pod"][0], Value::string("x,type=Normal"));
  CHECK(asked_kinds(run(deployment(1), lists)) == Names{"Pod"});
}

TEST_CASE("The cause of most pods is named first") {
  Lists lists;
  lists.objects["Pod"] = {pod("a", "h1", no_image()), pod("b", "h1", crash(3)),
                          pod("c", "h1", crash(9))};
  const Run found = run(deployment(3), lists);
  CHECK(codes(found) == Names{"PodCrashLooping", "ImagePull"});
  CHECK(found.finding.causes[0].share == Share{2, 3, false});
  CHECK(found.finding.causes[0].object.name == "c");
}

TEST_CASE("Of equally many pods, those of the newest revision come first") {
  Lists lists;
  lists.objects["Pod"] = {pod("a", "h1", no_image()), pod("b", "h2", crash(3))};
  Value child = deployment(2);
  SECTION("by the status of the Deployment") {
    set_at("status.conditions", child, json_of(R"([{"type":"Progressing","status":"True",
                                         "message":"ReplicaSet \"web-h2\" is progressing."}])"));
    const Run found = run(child, lists);
    CHECK(codes(found) == Names{"PodCrashLooping", "ImagePull"});
    CHECK(asked_kinds(found) == Names{"Pod"});
  }
  SECTION("by the revisions of its ReplicaSets") {
    for (const auto& [hash, revision] : {std::pair("h1", "9"), std::pair("h2", "10")}) {
      lists.objects["ReplicaSet"].push_back(
          json_of(R"({"metadata":{"name":"web-)" + std::string(hash) + R"(","namespace":"shop",
          "labels":{"app":"web","pod-template-hash":")" +
                  hash + R"("},"annotations":{"deployment.kubernetes.io/revision":")" + revision +
                  R"("},"ownerReferences":[{"uid":"u-web"}]}})"));
    }
    const Run found = run(child, lists);
    CHECK(codes(found) == Names{"PodCrashLooping", "ImagePull"});
    CHECK(asked_kinds(found) == Names{"Pod", "ReplicaSet"});
  }
  SECTION("else by the age of the pods") {
    lists.forbidden = {"ReplicaSet"};
    set_at("metadata.creationTimestamp", lists.objects["Pod"][1],
           Value::string("2026-11-29T14:00:00Z"));
    const Run found = run(child, lists);
    CHECK(codes(found) == Names{"PodCrashLooping", "ImagePull"});
    CHECK(found.finding.gaps == Names{"no right to list ReplicaSets"});
  }
}

TEST_CASE("Of equally many pods, what comes earlier in the life of a pod is named first") {
  Lists lists;
  lists.objects["Pod"] = {pod("a", "h1", crash(3)), pod("b", "h1", no_image()),
                          pod("c", "h1", R"({"phase":"Pending","conditions":[{"type":"PodScheduled",
      "status":"False","reason":"Unschedulable","message":"0/1 nodes are available: 1 x."}]})")};
  CHECK(codes(run(deployment(3), lists)) == Names{"Unschedulable", "ImagePull", "PodCrashLooping"});
  const std::string init =
      base::replace_all(crash(3), "containerStatuses", "initContainerStatuses");
  lists.objects["Pod"] = {pod("a", "h1", no_image()), pod("b", "h1", init)};
  CHECK(codes(run(deployment(2), lists)) == Names{"PodCrashLooping", "ImagePull"});
}

TEST_CASE("Pods of others with the same labels do not count") {
  Lists lists;
  lists.objects["Pod"] = {pod("a", "h1", crash(3))};
  set_at("metadata.ownerReferences[0].name", lists.objects["Pod"][0], Value::string("other-h1"));
  CHECK(run(deployment(1), lists).finding.causes.empty());
}

TEST_CASE("A list that was cut counts at least what it has, and the gap is named") {
  Lists lists;
  for (int i = 0; i < 200; ++i) {
    lists.objects["Pod"].push_back(pod("p" + std::to_string(i), "h1", crash(2)));
  }
  const Run found = run(deployment(200), lists);
  REQUIRE(codes(found) == Names{"PodCrashLooping"});
  CHECK(found.finding.causes[0].summary ==
        "50+ of 200 pods: CrashLoopBackOff (exit 1, 2+ restarts)");
  CHECK(found.finding.gaps == Names{"only 50 Pods were looked at"});
}

TEST_CASE("An answer with more objects than its limit is cut") {
  Diagnosis diagnosis(deployment(200));
  const auto question = diagnosis.next();
  REQUIRE(question);
  diagnosis.answer(*question,
                   {Answer::State::kListed, std::vector<Value>(60, pod("a", "h1", crash(2)))});
  CHECK(diagnosis.finding().gaps == Names{"only 50 Pods were looked at"});
}

TEST_CASE("A list that cannot be had is a gap, and not a cause") {
  Diagnosis diagnosis(deployment(1));
  diagnosis.answer(*diagnosis.next(), {Answer::State::kUnavailable});
  CHECK_FALSE(diagnosis.next());
  CHECK(diagnosis.finding().causes.empty());
  CHECK(diagnosis.finding().gaps == Names{"Pods could not be listed"});
}

TEST_CASE("The operator asks three questions, and a person who asks why more") {
  Lists lists;
  lists.objects["Pod"] = {pod("a", "h1", crash(3)), pod("b", "h2", no_image())};
  CHECK(asked_kinds(run(deployment(2), lists)) == Names{"Pod", "ReplicaSet"});
  CHECK(asked_kinds(run(deployment(2), lists, kThoroughQuestions)) ==
        Names{"Pod", "ReplicaSet", "Event"});
  CHECK(asked_kinds(run(deployment(2), lists, 1)) == Names{"Pod"});
  CHECK(run(deployment(2), lists, 0).asked.empty());
}

TEST_CASE("A summary stays the same while only numbers and names change") {
  const auto summary = [](const std::vector<Value>& pods) {
    Lists lists;
    lists.objects["Pod"] = pods;
    return run(deployment(2), lists).finding.causes.at(0).summary;
  };
  CHECK(summary({pod("web-h1-a", "h1", crash(4)), pod("web-h1-b", "h1", crash(5))}) ==
        summary({pod("web-h1-c", "h1", crash(7)), pod("web-h1-d", "h1", crash(2))}));
  const auto unschedulable = [](const std::string& message) {
    return pod("a", "h1",
               R"({"phase":"Pending","conditions":[{"type":"PodScheduled",
        "status":"False","reason":"Unschedulable","message":")" +
                   message + R"("}]})");
  };
  CHECK(summary({unschedulable("0/3 nodes are available: 1 x, 2 y. preemption: 0/3 nodes.")}) ==
        summary({unschedulable("0/12 nodes are available: 11 y, 2 x. preemption: none.")}));
}

TEST_CASE("The messages of containers are in no text") {
  Lists lists;
  const std::string end = R"("terminated":{"exitCode":1,"message":"hunter2","reason":"hunter2 x"})";
  for (const std::string& status :
       {R"({"phase":"Running","containerStatuses":[{"name":"a","restartCount":3,"state":{"waiting":
          {"reason":"CrashLoopBackOff","message":"hunter2"}},"lastState":{)" +
            end + "}}]}",
        R"({"phase":"Failed","containerStatuses":[{"name":"a","state":{)" + end + "}}]}",
        std::string(R"({"phase":"Pending","containerStatuses":[{"name":"a","state":{"waiting":
          {"reason":"RunContainerError","message":"hunter2"}}}]})")}) {
    lists.objects["Pod"] = {pod("a", "h1", status)};
    const Run found = run(deployment(1), lists, kThoroughQuestions);
    REQUIRE(found.finding.causes.size() == 1);
    const Cause& cause = found.finding.causes[0];
    std::string all = cause.summary + cause.details;
    for (const Link& link : cause.chain) {
      all += link.says + base::join(link.warnings, "");
    }
    INFO(all);
    CHECK(all.find("hunter2") == std::string::npos);
  }
}

TEST_CASE("A pod that is being deleted has not crashed") {
  Lists lists;
  lists.objects["Pod"] = {pod("a", "h1", crash(3))};
  set_at("metadata.deletionTimestamp", lists.objects["Pod"][0],
         Value::string("2026-11-29T14:00:00Z"));
  CHECK(run(deployment(1), lists).finding.causes.empty());
}

TEST_CASE("Of the pods of a StatefulSet, the lowest ordinal is named") {
  Value child = deployment(12);
  set_at("kind", child, Value::string("StatefulSet"));
  Lists lists;
  for (const std::string_view name : {"web-10", "web-2", "web-3"}) {
    lists.objects["Pod"].push_back(pod(std::string(name), "h1", crash(name == "web-3" ? 9 : 2)));
    set_at("metadata.ownerReferences[0].uid", lists.objects["Pod"].back(), Value::string("u-web"));
  }
  const Run found = run(child, lists);
  REQUIRE(codes(found) == Names{"PodCrashLooping"});
  CHECK(found.finding.causes[0].summary ==
        "3 of 12 pods: pod 2 blocks the next ones: CrashLoopBackOff (exit 1, 2+ restarts)");
}

// Hostile input.

void check_texts(const Finding& finding) {
  for (const Cause& cause : finding.causes) {
    std::vector<std::string> texts = {cause.summary, cause.details};
    for (const Link& link : cause.chain) {
      texts.push_back(link.says);
      texts.insert(texts.end(), link.warnings.begin(), link.warnings.end());
    }
    for (const std::string& text : texts) {
      CHECK(text.size() <= 200);
      CHECK(base::is_valid_utf8(text));
      CHECK(text.find_first_of("\n\r\t\x1b") == std::string::npos);
    }
    CHECK(cause.share.pods >= 0);
    CHECK(cause.share.pods <= cause.share.of);
  }
}

/// Returns the paths of all members and elements.
void add_paths(const Value& value, const std::vector<value::Path::Step>& at,
               std::vector<value::Path>& into) {
  if (!at.empty()) {
    into.emplace_back(at);
  }
  if (value.is_dict()) {
    for (const auto& [key, member] : value.as_dict()) {
      auto next = at;
      next.emplace_back(key);
      add_paths(member, next, into);
    }
  } else if (value.is_list()) {
    for (size_t i = 0; i < value.as_list().items.size(); ++i) {
      auto next = at;
      next.emplace_back(i);
      add_paths(value.as_list().items[i], next, into);
    }
  }
}

/// A world with every kind of evidence: `child`, and the lists by kind.
Value rich_world(std::string_view child) {
  return json_of(R"({"child":)" + std::string(child) + R"(,
  "Pod":[{"metadata":{"name":"db-0","namespace":"shop","uid":"u-p","labels":{"app":"db",
      "controller-revision-hash":"db-1"},"ownerReferences":[{"apiVersion":"apps/v1","kind":
      "StatefulSet","name":"db","uid":"u-c","controller":true}]},
    "spec":{"nodeName":"n","restartPolicy":"Always","initContainers":[{"name":"i"}],
      "containers":[{"name":"app","livenessProbe":{},"resources":{"limits":{"memory":"1Mi"}}}],
      "volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}},{"name":"e","ephemeral":{}}],
      "readinessGates":[{"conditionType":"g"}],"schedulingGates":[{"name":"s"}]},
    "status":{"phase":"Running","reason":"","message":"m","conditions":[
        {"type":"PodScheduled","status":"False","reason":"Unschedulable",
         "message":"0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims."},
        {"type":"Ready","status":"False"},{"type":"ContainersReady","status":"False"},
        {"type":"DisruptionTarget","status":"False","reason":"r","message":"m"}],
      "initContainerStatuses":[{"name":"i","ready":true,"state":{"terminated":{"exitCode":0}}}],
      "containerStatuses":[{"name":"app","image":"a:1","ready":false,"restartCount":3,
        "state":{"waiting":{"reason":"CrashLoopBackOff","message":"m"}},
        "lastState":{"terminated":{"exitCode":1,"signal":0,"reason":"Error"}}}]}}],
  "Event":[{"involvedObject":{"uid":"u-p","fieldPath":"spec.containers{app}"},"reason":"Unhealthy",
      "message":"Liveness probe failed: x","type":"Warning","lastTimestamp":"2026-11-29T14:00:00Z",
      "metadata":{"namespace":"shop"}},
    {"involvedObject":{"uid":"u-pvc"},"reason":"ProvisioningFailed","message":"m","type":"Warning",
      "series":{"lastObservedTime":"2026-11-29T14:00:00.1Z"},"metadata":{"namespace":"shop"}}],
  "PersistentVolumeClaim":[{"metadata":{"name":"data","namespace":"shop","uid":"u-pvc"},
    "status":{"phase":"Pending"}}],
  "Node":[{"metadata":{"name":"n"},"status":{"conditions":[{"type":"Ready","status":"False"}]}}]})");
}

void diagnose(const Value& world) {
  Lists lists;
  for (const std::string_view kind : {"Pod", "Event", "PersistentVolumeClaim", "Node"}) {
    lists.objects[std::string(kind)] = world.items_at({kind});
  }
  const Value* child = world.find("child");
  check_texts(run(child == nullptr ? Value() : *child, lists, kThoroughQuestions).finding);
}

TEST_CASE("Any value in place of any member of an object is taken") {
  size_t turn = 0;
  std::vector<Value> odd;
  odd.emplace_back();
  odd.push_back(Value::integer(std::numeric_limits<int64_t>::min()));
  odd.push_back(Value::integer(std::numeric_limits<int64_t>::max()));
  odd.push_back(Value::string("\x1b\xff \n\"x - {"));
  odd.push_back(json_of(R"([null,1,"a",{"type":[],"name":{}},[[]]])"));
  odd.push_back(json_of(R"({"name":1,"type":null,"":[]})"));
  const std::string set = R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"db",
      "namespace":"shop","uid":"u-c"},"spec":{"replicas":3,"selector":{"matchLabels":{"app":"db"}},
      "updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":0}}},
      "status":{"replicas":1,"updateRevision":"db-2","conditions":[{"type":"Failed",
      "status":"True","reason":"r","message":"m"}]}})";
  for (const std::string_view kind :
       {"apps/v1\",\"kind\":\"StatefulSet", "apps/v1\",\"kind\":\"Deployment",
        "batch/v1\",\"kind\":\"Job", "v1\",\"kind\":\"Service", "v1\",\"kind\":\"Pod",
        "policy/v1\",\"kind\":\"PodDisruptionBudget", "e.org/v1\",\"kind\":\"Other"}) {
    const Value world =
        rich_world(base::replace_all(set, "apps/v1\",\"kind\":\"StatefulSet", kind));
    diagnose(world);
    std::vector<value::Path> paths;
    add_paths(world, {}, paths);
    for (const value::Path& path : paths) {
      Value changed = value::deep_copy(world);
      CW_MUST(path.set(changed, odd[turn++ % odd.size()]));
      diagnose(changed);
    }
  }
}

TEST_CASE("The name of an owner does not control a terminal") {
  Lists lists;
  lists.objects["Pod"] = {pod("a", "h1", crash(3))};
  set_at("metadata.ownerReferences[0].apiVersion", lists.objects["Pod"][0],
         Value::string("\x1b[2J/v1"));
  const Run found = run(deployment(1), lists);
  REQUIRE(found.finding.causes.size() == 1);
  for (const Link& link : found.finding.causes[0].chain) {
    CHECK(link.object.to_string().find('\x1b') == std::string::npos);
  }
}

TEST_CASE("Long messages and many containers cost little") {
  const std::string megabyte(1'000'000, 'x');
  std::vector<Value> statuses(10'000, json_of(R"({"name":"app","ready":false,"restartCount":2,
      "state":{"waiting":{"reason":"PodInitializing"}}})"));
  Value one = pod("a", "h1", R"({"phase":"Pending","conditions":[]})");
  set_at("status.containerStatuses", one, Value::list(statuses));
  set_at("status.initContainerStatuses", one,
         Value::list({json_of(R"({"name":"i","ready":false,"state":{"waiting":
                  {"reason":"ImagePullBackOff","message":")" +
                              megabyte + R"("}},"image":")" + megabyte + R"("})")}));
  Lists lists;
  lists.objects["Pod"] = std::vector<Value>(50, one);
  const Run found = run(deployment(50), lists, kThoroughQuestions);
  REQUIRE(codes(found) == Names{"ImagePull"});
  check_texts(found.finding);
}

}  // namespace
}  // namespace chartwright::diagnosis
