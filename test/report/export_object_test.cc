// SPDX-License-Identifier: Apache-2.0
#include "report/export_object.h"

#include <catch2/catch.hpp>

#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::cmd {
namespace {

using value::Value;
using value::testing::json;

std::string text_of(const Value& value) {
  return value::to_json(value, value::JsonEscape::kNone).value();
}

std::string exported_text(std::string_view object, Volumes volumes = Volumes::kKept) {
  return text_of(exported(json(object), volumes));
}

TEST_CASE("An export leaves out what the server assigns, and owners") {
  CHECK(exported_text(R"({"apiVersion":"v1","kind":"Secret","type":"Opaque","data":{"a":"Yg=="},
      "metadata":{"name":"one","namespace":"shop","uid":"1","resourceVersion":"7","generation":2,
        "creationTimestamp":"2026-01-01T00:00:00Z","managedFields":[{"manager":"m"}],
        "deletionTimestamp":"2026-01-01T00:00:00Z","generateName":"o","selfLink":"/x",
        "labels":{"app":"shop"},"finalizers":["example.com/keep"],
        "annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}","note":"x"},
        "ownerReferences":[{"uid":"0"}]},
      "status":{"phase":"x"}})") ==
        R"({"apiVersion":"v1","data":{"a":"Yg=="},"kind":"Secret","metadata":)"
        R"({"annotations":{"note":"x"},"finalizers":["example.com/keep"],)"
        R"("labels":{"app":"shop"},"name":"one","namespace":"shop"},"type":"Opaque"})");
}

constexpr std::string_view kClaim =
    R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c",
      "finalizers":["kubernetes.io/pvc-protection"],
      "annotations":{"pv.kubernetes.io/bind-completed":"yes","mine":"1"}},
      "spec":{"volumeName":"pv-1","storageClassName":"fast"}})";

TEST_CASE("A claim keeps its volume, unless it is to get a new one") {
  CHECK(exported_text(kClaim) ==
        R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"annotations":)"
        R"({"mine":"1","pv.kubernetes.io/bind-completed":"yes"},"name":"c"},)"
        R"("spec":{"storageClassName":"fast","volumeName":"pv-1"}})");
  CHECK(exported_text(kClaim, Volumes::kNew) ==
        R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"annotations":)"
        R"({"mine":"1"},"name":"c"},"spec":{"storageClassName":"fast"}})");
}

TEST_CASE("An export does not change the object, and takes any shape") {
  const Value claim = json(kClaim);
  const std::string before = text_of(claim);
  exported(claim, Volumes::kNew);
  CHECK(text_of(claim) == before);
  CHECK(exported_text("[]") == "{}");
  CHECK(exported_text(R"({"metadata":1,"spec":[]})") == R"({"spec":[]})");
  CHECK(exported_text(R"({"metadata":{"annotations":1,"finalizers":{},"name":"a"}})") ==
        R"({"metadata":{"name":"a"}})");
}

TEST_CASE("An exported custom resource can be paused") {
  CHECK(text_of(with_pause(json(R"({"metadata":{"annotations":{"a":"b"}}})"))) ==
        R"({"metadata":{"annotations":{"a":"b","chartwright.io/paused":)"
        R"("restored from an export; remove this to go on"}}})");
}

}  // namespace
}  // namespace chartwright::cmd
