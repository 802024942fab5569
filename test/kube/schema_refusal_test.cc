// SPDX-License-Identifier: Apache-2.0
#include "kube/schema_refusal.h"

#include <catch2/catch.hpp>
#include <string>

namespace chartwright::kube {
namespace {

using base::ErrorCause;

const std::string kRefused =
    "failed to create typed patch object (ns/web; apps/v1, Kind=Deployment): ";

/// The causes as "reason field: message", one a line.
std::string causes_in(const std::string& message) {
  std::string text;
  for (const ErrorCause& cause : schema_causes(message)) {
    text += cause.reason + " " + cause.field + ": " + cause.message + "\n";
  }
  return text;
}

// The messages are those of an API server 1.36.
TEST_CASE("Each fault of a body that does not fit its schema is a cause") {
  CHECK(causes_in(kRefused + ".spec.labels: field not declared in schema") ==
        "UndeclaredField .spec.labels: field not declared in schema\n");
  CHECK(causes_in(kRefused + R"(errors:
  .spec.template.spec.containers[name="a"].env: duplicate entries for key [name="A"]
  .spec.template.spec.containers[name="a"].ports: duplicate entries for key [containerPort=80,protocol="TCP"]
  .spec.template.spec.containers[name="a"].podAnnotations: field not declared in schema
  .spec.replicas: expected numeric (int or float), got string
)") == R"(DuplicateKey .spec.template.spec.containers[name="a"].env: [name="A"]
DuplicateKey .spec.template.spec.containers[name="a"].ports: [containerPort=80,protocol="TCP"]
UndeclaredField .spec.template.spec.containers[name="a"].podAnnotations: field not declared in schema
UnfitValue .spec.replicas: expected numeric (int or float), got string
)");
  CHECK(causes_in(kRefused + ".metadata.finalizers: duplicate entries for key [=\"a/b\"]") ==
        "DuplicateKey .metadata.finalizers: [=\"a/b\"]\n");
  CHECK(causes_in(kRefused + "no path at all: here") == "UnfitValue : no path at all: here\n");
}

TEST_CASE("A message of another kind has no causes") {
  CHECK(schema_causes("").empty());
  CHECK(schema_causes("etcd leader changed").empty());
  CHECK(schema_causes("failed to create typed patch object").empty());
  CHECK(schema_causes("failed to create typed patch object (ns/web").empty());
  CHECK(schema_causes("quoted: " + kRefused + ".spec.x: field not declared in schema").empty());
}

TEST_CASE("A refusal with very many faults is read in part") {
  std::string message = kRefused + "errors:\n";
  for (int i = 0; i < 5000; ++i) {
    message += "  .spec.x" + std::to_string(i) + ": field not declared in schema\n";
  }
  CHECK(schema_causes(message).size() == 1000);
}

}  // namespace
}  // namespace chartwright::kube
