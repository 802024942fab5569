// SPDX-License-Identifier: Apache-2.0
//
// Takes a run in which all is well, breaks one thing of it, and sees which oracle says so.

#include "test/sim/oracles.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "test/sim/run.h"
#include "test/sim/subject_stage.h"

namespace chartwright::sim {
namespace {

using kube::ObjectRef;
using value::Value;

Record good(const std::string& subject) {
  Plan plan;
  plan.subject = subject;
  return CW_MUST(run(plan));
}

const ObjectRef kChild = ref_of_step("ConfigMap", "w-a");
const ObjectRef kCr = ref_of_step("Widget", "w");
ObjectRef record(int number) {
  return ref_of_step("Secret", "sh.helm.release.v1.w.v" + std::to_string(number));
}

std::string finding(const Record& broken, const std::string& subject = "upgrade") {
  const auto violation = judge(broken, good(subject));
  return violation ? violation->oracle + ": " + violation->what : "pass";
}

Row commit(const ObjectRef& ref, Value before, Value after) {
  Row row{.what = Row::What::kCommit, .process = "a", .call = "verb " + ref.to_string()};
  row.ref = ref;
  row.before = std::move(before);
  row.after = std::move(after);
  return row;
}

TEST_CASE("A run in which nothing went wrong passes") { CHECK(finding(good("upgrade")) == "pass"); }

TEST_CASE("A wrong end is found") {
  Record broken = good("upgrade");
  auto& objects = broken.end.objects;
  SECTION("a run without an end") {
    broken.stuck = "no thread can run";
    CHECK(finding(broken) == "end: no thread can run");
  }
  SECTION("a child that is missing") {
    objects.erase(kChild);
    CHECK(finding(broken) == "same-end: ConfigMap shop/w-a is missing");
  }
  SECTION("a child that is left") {
    objects.emplace(ref_of_step("ConfigMap", "x"), objects.at(kChild));
    CHECK(finding(broken) == "same-end: ConfigMap shop/x is left");
  }
  SECTION("a child with other content") {
    Value other = value::deep_copy(objects.at(kChild));
    other.mutable_dict().erase("data");
    objects.insert_or_assign(kChild, other);
    CHECK(finding(broken).starts_with("same-end: ConfigMap shop/w-a is {"));
  }
  SECTION("a custom resource that is not ready") {
    Value other = value::deep_copy(objects.at(kCr));
    other.find("status")->mutable_dict().erase("conditions");
    objects.insert_or_assign(kCr, other);
    CHECK(finding(broken) == "ready: Widget.example.com shop/w: Ready is absent");
  }
  SECTION("a status that shows something else") {
    Record shows = good("related");
    Value other = value::deep_copy(shows.end.objects.at(kCr));
    other.find("status")->mutable_dict().set("shown", Value::string("none"));
    shows.end.objects.insert_or_assign(kCr, other);
    CHECK(finding(shows, "related") == "ready: Widget.example.com shop/w: its status shows none");
  }
  SECTION("a custom resource that is left, or missing") {
    CHECK(finding(good("install"), "uninstall") == "same-end: ConfigMap shop/w-a is left");
    objects.erase(kCr);
    CHECK(finding(broken) == "records: Secret shop/sh.helm.release.v1.w.v1 is left");
  }
}

TEST_CASE("A wrong record of a revision is found") {
  Record broken = good("upgrade");
  auto& objects = broken.end.objects;
  SECTION("a record that is missing") {
    objects.erase(record(1));
    CHECK(finding(broken) ==
          "records: Widget.example.com shop/w: status.history has 1 superseded "
          "2 deployed, and the records are 2 deployed");
    objects.erase(record(2));
    CHECK(finding(broken) == "records: Widget.example.com shop/w: 0 records are deployed");
  }
  SECTION("a gap between records") {
    objects.emplace(record(4), objects.at(record(2)));
    CHECK(finding(broken) == "records: Widget.example.com shop/w: record 3 is missing");
  }
  SECTION("two records that are deployed") {
    objects.insert_or_assign(record(1), objects.at(record(2)));
    CHECK(finding(broken) == "records: Widget.example.com shop/w: 2 records are deployed");
  }
}

TEST_CASE("A wrong request is found") {
  Record broken = good("upgrade");
  auto& objects = broken.end.objects;
  SECTION("a request at rest") {
    broken.journal.push_back({.what = Row::What::kCall, .call = "get ConfigMap shop/w-a"});
    CHECK(finding(broken) == "rest: at rest it sends: get ConfigMap shop/w-a");
  }
  SECTION("a delete that could hit another object") {
    broken.journal.insert(broken.journal.begin(),
                          {.what = Row::What::kCall, .call = "delete ConfigMap shop/w-a"});
    CHECK(finding(broken) == "guarded: delete ConfigMap shop/w-a names no uid");
  }
  SECTION("an object of somebody else that is changed") {
    Value before = value::deep_copy(objects.at(kChild));
    before.find("metadata")->mutable_dict().erase("ownerReferences");
    broken.journal.insert(broken.journal.begin(), commit(kChild, before, objects.at(kChild)));
    CHECK(finding(broken) ==
          "others: verb ConfigMap shop/w-a changes what belongs to somebody else");
  }
  SECTION("an object that goes and comes back") {
    const auto rest = broken.journal.begin();
    broken.journal.insert(rest, {commit(kChild, objects.at(kChild), Value()),
                                 commit(kChild, Value(), objects.at(kChild))});
    CHECK(finding(broken) == "flap: ConfigMap shop/w-a is removed and made again");
  }
}

TEST_CASE("A child that goes back to what it was is found") {
  Record broken = good("upgrade");
  const Value green = broken.end.objects.at(kChild);
  Value red = value::deep_copy(green);
  red.find("data")->mutable_dict().set("color", Value::string("red"));
  broken.journal.push_back(commit(kChild, green, red));
  CHECK(finding(broken) == "back: ConfigMap shop/w-a goes back to {\"color\":\"red\"}");
  broken.journal.insert(broken.journal.end() - 1, Row{.what = Row::What::kUser, .thread = "main"});
  CHECK(finding(broken) == "pass");  // Somebody may have asked for it.
}

TEST_CASE("An act that comes again, or late, is found") {
  Record broken = good("upgrade");
  auto& objects = broken.end.objects;
  SECTION("a child of an owner that is gone") {
    broken.journal.push_back(commit(kCr, objects.at(kCr), Value()));
    broken.journal.push_back(commit(kChild, Value(), objects.at(kChild)));
    CHECK(finding(broken) == "pass");  // It may have gone in this moment.
    broken.journal.push_back(commit(kChild, Value(), objects.at(kChild)));
    CHECK(finding(broken) ==
          "gone: ConfigMap shop/w-a is made again and again for an owner that is gone");
  }
  SECTION("a custom resource that waits for another one") {
    Row late = commit(kCr, objects.at(kCr), objects.at(kCr));
    late.at = base::MonotonicTime(std::chrono::seconds(91));
    broken.journal.push_back(late);
    CHECK(finding(broken) ==
          "bystander: Widget.example.com shop/w settles at 1m31s, undisturbed "
          "at 1m0s");
    const auto of = [](const std::string& call) {
      return Incident{.when = {.call = call},
                      .kind = Incident::Kind::kDelay,
                      .delay = std::chrono::seconds(31)};
    };
    broken.plan.incidents = {of("apply ConfigMap shop/v-a")};
    CHECK(finding(broken).starts_with("bystander: "));
    broken.plan.incidents = {of("apply ConfigMap shop/w-a")};
    CHECK(finding(broken) == "pass");
    broken.plan.incidents = {of("list Widget")};
    CHECK(finding(broken) == "pass");
  }
  SECTION("a write of a process that another one has followed") {
    Record broken_lead = good("handover");
    Journal& journal = broken_lead.journal;
    const auto taken = std::ranges::find_if(journal, [](const Row& row) {
      return row.what == Row::What::kCommit && row.ref.gvk.kind == "Lease" && row.process == "b";
    });
    REQUIRE(taken != journal.end());
    Row late{.what = Row::What::kCall, .process = "a", .call = "get " + kChild.to_string()};
    late.ref = kChild;
    const auto place = journal.insert(taken + 1, late);
    CHECK(finding(broken_lead, "handover") == "pass");  // All may read.
    place->call = "apply " + kChild.to_string();
    CHECK(finding(broken_lead, "handover") ==
          "one-writer: a sends apply ConfigMap shop/w-a, and b holds the lease");
  }
  SECTION("a hook that runs again") {
    const ObjectRef job = ref_of_step("Job", "w-before");
    Record twice = good("hooks");
    twice.journal.insert(twice.journal.begin(), commit(job, Value(), twice.end.objects.at(job)));
    CHECK(finding(twice, "hooks") == "hooks: Job.batch shop/w-before ran 3 times, undisturbed 2");
  }
}

}  // namespace
}  // namespace chartwright::sim
