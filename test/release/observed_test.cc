// SPDX-License-Identifier: Apache-2.0
#include "release/observed.h"

#include <catch2/catch.hpp>

#include "test/release/objects.h"

namespace chartwright::release {
namespace {

using testing::json;

constexpr std::string_view kPod = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {"name": "p", "namespace": "shop", "uid": "u1", "resourceVersion": "7",
    "generation": 2, "labels": {"app": "x"}, "annotations": {"note": "n"},
    "ownerReferences": [{"kind": "BookStore", "name": "books", "uid": "uid-cr", "controller": true}],
    "managedFields": [{"manager": "chartwright-c9d45b970e86", "operation": "Apply",
                       "apiVersion": "v1", "fieldsV1": {"f:spec": {"f:image": {}},
                       "f:metadata": {"f:ownerReferences": {"k:{\"uid\":\"uid-cr\"}": {}}}}}]},
  "spec": {"image": "a", "theirs": 1},
  "status": {"phase": "Running"}})";

value::Value with_image(std::string_view image) {
  value::Value pod = json(kPod);
  pod.find("spec")->mutable_dict().set("image", value::Value::string(image));
  return pod;
}

value::Value condensed(const value::Value& object, KeepBody keep = KeepBody::kNo) {
  return condense(object, keep);
}

TEST_CASE("Only fields that decide are kept") {
  const value::Value c = condensed(json(kPod));
  CHECK(c.string_at({"apiVersion"}) == "v1");
  CHECK(c.string_at({"kind"}) == "Pod");
  CHECK(kube::ref_of(c) == kube::ref_of(json(kPod)));
  CHECK(c.find("spec") == nullptr);
  CHECK(c.find("status") == nullptr);
  CHECK(c.find_path({"metadata", "managedFields"}) == nullptr);
  CHECK(c.find_path({"metadata", "labels"}) == nullptr);
  CHECK(c.find_path({"metadata", "annotations"}) == nullptr);
  CHECK_FALSE(body_of(c).has_value());

  const Observed o = testing::observed(json(kPod));
  CHECK(o.uid() == "u1");
  CHECK(o.resource_version() == "7");
  CHECK_FALSE(o.deleting());
  CHECK_FALSE(o.keep_policy());
  CHECK(o.claim(testing::book_owner()) == Claim::kOurs);
  CHECK(o.owner_text() == "BookStore books (uid uid-cr)");
  CHECK(o.projection(testing::book_owner()) ==
        *fields::projection_digest(json(kPod), testing::book_manager()));
  CHECK(o.is_child());
  CHECK(o.ready_state() == health::ReadyState::kProgressing);
  CHECK(o.ready_message() == "the pod is not ready");
  CHECK_FALSE(o.body().has_value());
}

TEST_CASE("Annotations that mark an owner or a policy survive") {
  value::Value pod = json(kPod);
  pod.find("metadata")->mutable_dict().erase("ownerReferences");
  pod.find("metadata")
      ->mutable_dict()
      .set("annotations", json(R"({"helm.sh/resource-policy":"keep","note":"n",
        "operator-sdk/primary-resource":"shop/books",
        "operator-sdk/primary-resource-type":"BookStore.blog.velotio.com"})"));
  const Observed o = testing::observed(pod);
  CHECK(o.keep_policy());
  CHECK(o.claim(testing::book_owner()) == Claim::kOurs);
  CHECK_FALSE(kube::annotation_of(condensed(pod), "note"));
}

TEST_CASE("An object on its way out is seen as such") {
  value::Value pod = json(kPod);
  pod.find("metadata")
      ->mutable_dict()
      .set("deletionTimestamp", value::Value::string("2026-01-01T00:00:00Z"));
  CHECK(testing::observed(pod).deleting());
  CHECK(testing::observed(pod).ready_state() == health::ReadyState::kTerminating);
}

TEST_CASE("Without an Apply entry of ours there is no projection") {
  value::Value pod = json(kPod);
  pod.find("metadata")->mutable_dict().erase("managedFields");
  CHECK(testing::observed(pod).projection(testing::book_owner()).empty());
}

Owner other_owner() {
  Owner owner = testing::book_owner();
  owner.uid = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
  return owner;
}

value::Value with_fields_of(const std::vector<std::string>& managers, bool with_owner) {
  value::Value pod = json(kPod);
  std::vector<value::Value> entries;
  for (const std::string& manager : managers) {
    value::Value entry =
        value::deep_copy(json(kPod).items_at({"metadata", "managedFields"}).front());
    entry.mutable_dict().set("manager", value::Value::string(manager));
    entries.push_back(entry);
  }
  value::Dict& metadata = pod.find("metadata")->mutable_dict();
  metadata.set("managedFields", value::Value::list(entries));
  if (!with_owner) {
    metadata.erase("ownerReferences");
  }
  return pod;
}

TEST_CASE("The fields of each custom resource are distinguished") {
  const Owner ours = testing::book_owner();
  const Owner theirs = other_owner();
  CHECK(field_manager_of(theirs) == "chartwright-0f1e2d3c4b5a");
  const std::string digest = *fields::projection_digest(json(kPod), testing::book_manager());
  const bool with_owner = GENERATE(true, false);
  const auto seen = [with_owner](const std::vector<std::string>& managers) {
    return testing::observed(with_fields_of(managers, with_owner));
  };
  const std::string own = field_manager_of(ours);
  const std::string other = field_manager_of(theirs);
  SECTION("one") {
    CHECK(seen({own}).has_fields_of(ours));
    CHECK_FALSE(seen({own}).has_fields_of(theirs));
    CHECK(seen({own}).projection(theirs).empty());
    CHECK(seen({own}).fields_of_others(ours).empty());
    CHECK_FALSE(seen({own}).has_shared_fields());
  }
  SECTION("several, in any order") {
    for (const auto& managers : {std::vector{own, other, std::string(fields::kFieldManager)},
                                 std::vector{std::string(fields::kFieldManager), other, own}}) {
      const Observed o = seen(managers);
      if (with_owner) {
        CHECK(o.projection(ours) == digest);
        CHECK(o.projection(theirs) == digest);
      }
      CHECK(o.has_fields_of(ours));
      CHECK(o.has_fields_of(theirs));
      CHECK(o.has_shared_fields());
      CHECK(o.fields_of_others(ours).starts_with(other + "="));
      CHECK(o.fields_of_others(theirs).starts_with(own + "="));
    }
  }
  SECTION("none of ours") {
    const Observed o = seen({"chartwright-views", "chartwright-crds-a", "kubectl"});
    CHECK_FALSE(o.has_fields_of(ours));
    CHECK_FALSE(o.has_shared_fields());
    CHECK(o.fields_of_others(ours).empty());
  }
  SECTION("of another version of the kind, to be applied again") {
    value::Value pod = with_fields_of({own}, with_owner);
    pod.mutable_dict().set("apiVersion", value::Value::string("v2"));
    CHECK(testing::observed(pod).has_fields_of(ours));
    CHECK(testing::observed(pod).projection(ours).empty());
  }
}

TEST_CASE("A child is what has its owner by a write of ours") {
  const auto is_child = [](const std::string& manager) {
    return testing::observed(with_fields_of({manager}, true)).is_child();
  };
  CHECK(is_child(testing::book_manager()));
  CHECK(is_child(field_manager_of(other_owner())));
  CHECK(is_child("chartwright"));
  CHECK_FALSE(is_child("kube-controller-manager"));
  CHECK_FALSE(testing::observed(with_fields_of({testing::book_manager()}, false)).is_child());
}

TEST_CASE("A child takes no more memory because its manager has a name") {
  const value::Value c = condensed(json(kPod));
  CHECK(c.as_dict().size() == 6);  // apiVersion, kind, metadata, digest, readiness and message.
  CHECK(c.string_at({"cw.projection"}).size() == 32);
}

TEST_CASE("A body is kept for templates, without the server's bookkeeping") {
  const value::Value c = condensed(json(kPod), KeepBody::kYes);
  const auto body = body_of(c);
  REQUIRE(body.has_value());
  CHECK(body->string_at({"spec", "image"}) == "a");
  CHECK(body->string_at({"metadata", "labels", "app"}) == "x");
  CHECK(body->find_path({"metadata", "managedFields"}) == nullptr);
  CHECK(testing::observed(json(kPod), KeepBody::kYes).body()->string_at({"status", "phase"}) ==
        "Running");
}

TEST_CASE("A Secret's content is never kept, no matter who asks") {
  const value::Value c = condensed(
      json(
          R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"k":"czNjcjN0"}})"),
      KeepBody::kYes);
  CHECK_FALSE(body_of(c).has_value());
  CHECK(CW_MUST(value::to_json(c)).find("czNjcjN0") == std::string::npos);
}

TEST_CASE("Anything at all condenses to something that can be read") {
  for (std::string_view text : {"null", "[]", "1", "{}", R"({"metadata":[]})",
                                R"({"metadata":{"annotations":[],"ownerReferences":{}}})"}) {
    INFO(text);
    const Observed o = testing::observed(json(text), KeepBody::kYes);
    CHECK(o.uid().empty());
    CHECK_FALSE(o.deleting());
    CHECK(o.projection(testing::book_owner()).empty());
    CHECK_FALSE(o.is_child());
    CHECK(o.claim(testing::book_owner()) == Claim::kNobody);
  }
  CHECK(testing::observed(json("[]")).ready_state() == health::ReadyState::kProgressing);
}

TEST_CASE("Changes are drift, something to show, or nothing to the owner") {
  const value::Value before = condensed(json(kPod));
  const auto difference = [&before](const value::Value& after) {
    return difference_for_owner(before, condensed(after));
  };
  value::Value newer = json(kPod);
  newer.find("metadata")->mutable_dict().set("resourceVersion", value::Value::string("8"));
  newer.find("status")->mutable_dict().set("podIP", value::Value::string("10.0.0.1"));
  CHECK(difference(newer) == Difference::kNone);

  value::Value theirs = json(kPod);
  theirs.find("spec")->mutable_dict().set("theirs", value::Value::integer(2));
  CHECK(difference(theirs) == Difference::kNone);

  CHECK(difference(with_image("b")) == Difference::kDrift);
  value::Value ready = json(kPod);
  ready.find("status")->mutable_dict().set("phase", value::Value::string("Succeeded"));
  CHECK(difference(ready) == Difference::kShown);
  value::Value orphan = json(kPod);
  orphan.find("metadata")->mutable_dict().erase("ownerReferences");
  CHECK(difference(orphan) == Difference::kDrift);
  value::Value dying = json(kPod);
  dying.find("metadata")
      ->mutable_dict()
      .set("deletionTimestamp", value::Value::string("2026-01-01T00:00:00Z"));
  CHECK(difference(dying) == Difference::kDrift);
}

// A child of another operator that says `words`.
value::Value waiting(std::string_view words) {
  value::Value pod = json(kPod);
  value::Dict& status = pod.find("status")->mutable_dict();
  status.set("phase", value::Value::string("Running"));
  const value::Value condition = value::Value::dict({{"type", value::Value::string("Ready")},
                                                     {"status", value::Value::string("False")},
                                                     {"message", value::Value::string(words)}});
  status.set("conditions", value::Value::list({condition}));
  return condensed(pod);
}

TEST_CASE("A count in the words of a child that is not ready is told from other words") {
  const auto difference = [](std::string_view before, std::string_view after) {
    return difference_for_owner(waiting(before), waiting(after));
  };
  CHECK(difference("9 of 10 copied", "10 of 10 copied") == Difference::kRecounted);
  CHECK(difference("copied: 9", "copied: 10") == Difference::kRecounted);
  CHECK(difference("copied: 9", "copied: 9") == Difference::kNone);
  CHECK(difference("copied: 9", "copied: none") == Difference::kShown);
  CHECK(difference("copied: 9", "copied: ") == Difference::kShown);
  CHECK(difference("9 copied", "9 copies") == Difference::kShown);
  CHECK(difference("9 copied", "9 copied, 1 failed") == Difference::kShown);
  CHECK(difference("disk 1", "disk 1a") == Difference::kShown);
}

TEST_CASE("Where a template reads the body, every change may show") {
  const auto difference = [](const value::Value& after) {
    return difference_for_owner(condensed(json(kPod), KeepBody::kYes),
                                condensed(after, KeepBody::kYes));
  };
  value::Value newer = json(kPod);
  newer.find("status")->mutable_dict().set("podIP", value::Value::string("10.0.0.1"));
  CHECK(difference(newer) == Difference::kShown);
  CHECK(difference(with_image("b")) == Difference::kDrift);
}

}  // namespace
}  // namespace chartwright::release
