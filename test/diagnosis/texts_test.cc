// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/texts.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "base/unicode.h"

namespace chartwright::diagnosis {
namespace {

TEST_CASE("A text becomes one line of whole characters without control characters") {
  CHECK(one_line("a\r\n\tb  c\x1b[31m\x7f") == "a b c [31m");
  CHECK(one_line("  \n") == "");
  CHECK(one_line("a\xff\xfe"
                 "b") == "a b");
  CHECK(one_line("a\u202Eb\u2028c") == "a b c");
  CHECK(one_line("\uFFFD") == "\uFFFD");
  const std::string cut = one_line(std::string(1'000'000, 'x') + "é");
  CHECK(cut.size() == kTextBytesMax);
  CHECK(cut.ends_with("x..."));
  for (size_t size = 190; size < 200; ++size) {
    const std::string text = one_line(std::string(size, 'x') + "ééééé€€€");
    CHECK(text.size() <= kTextBytesMax);
    CHECK(base::is_valid_utf8(text));
  }
}

TEST_CASE("Restarts are rounded down to a power of two, or exact") {
  CHECK(restarts_text(0, Exact::kNo).empty());
  CHECK(restarts_text(-3, Exact::kYes).empty());
  CHECK(restarts_text(1, Exact::kNo) == "1 restart");
  CHECK(restarts_text(2, Exact::kNo) == "2+ restarts");
  CHECK(restarts_text(7, Exact::kNo) == "4+ restarts");
  CHECK(restarts_text(8, Exact::kNo) == "8+ restarts");
  CHECK(restarts_text(7, Exact::kYes) == "7 restarts");
  CHECK(restarts_text(std::numeric_limits<int64_t>::max(), Exact::kNo) ==
        "4611686018427387904+ restarts");
}

TEST_CASE("Names that a cluster has generated lose their random part, and no others do") {
  CHECK(without_generated_names("pod web-5bfffd9b64-wsltd of web-5bfffd9b64.", "web") ==
        "pod web of web.");
  CHECK(without_generated_names("web-wsltd, web-proxy, web-1, web-policy", "web") ==
        "web, web-proxy, web-1, web-policy");
  CHECK(without_generated_names("web-wsltdx-5bfffd9b64-zwmsp", "web") == "web-zwmsp");
  CHECK(without_generated_names("web-wsltd", "") == "web-wsltd");
  CHECK(without_generated_names("web-", "web") == "web-");
}

TEST_CASE("A missing reference is named by kind and name, and by nothing that is not a name") {
  CHECK(missing_reference("secret \"db\" not found") == "secret \"db\" not found");
  CHECK(missing_reference("couldn't find key a.b in ConfigMap shop/c") ==
        "no key \"a.b\" in ConfigMap c");
  CHECK(missing_reference("configmap references non-existent config key: x y") ==
        "no key \"x\" in the ConfigMap");
  CHECK_FALSE(missing_reference("secret \"hunter 2\" not found"));
  CHECK_FALSE(missing_reference("secret \"db\" is not readable"));
  CHECK_FALSE(missing_reference("secret \""));
  CHECK_FALSE(missing_reference(""));
}

TEST_CASE("A failed probe is told in words of ours") {
  CHECK(probe_failure("Startup probe failed: dial tcp 10.0.0.1:1: i/o timeout") ==
        "startup probe: timeout");
  CHECK(probe_failure("Liveness probe errored and resulted in unknown state: rpc error") ==
        "liveness probe: failed");
  CHECK(probe_failure("Readiness probe failed: HTTP probe failed with statuscode: 50000") ==
        "readiness probe: HTTP status 500");
  CHECK(probe_failure("hunter2") == "probe: failed");
}

TEST_CASE("A refusal of the API server is told without the name of the pod") {
  CHECK(refusal("(combined from similar events): Error creating: pods \"web-5b-q\" is forbidden: "
                "failed quota: q: must specify cpu")
            .stable == "failed quota: q: must specify cpu");
  CHECK(refusal("Create Claim data-db-0 for Pod db-0 in StatefulSet db failed error: "
                "persistentvolumeclaims \"data-db-0\" is forbidden: exceeded quota: q, requested: "
                "requests.storage=1Gi, used: requests.storage=0, limited: requests.storage=0")
            .code == Code::kQuotaExceeded);
  CHECK(refusal("").code == Code::kAdmissionDenied);
}

TEST_CASE("Reasons of the scheduler are read with and without numbers of nodes") {
  CHECK(scheduling_reasons("0/3 nodes are available: 2 b, 1 a, 3 a. preemption: x") == "a, b");
  CHECK(scheduling_reasons("no nodes available to schedule pods") ==
        "no nodes available to schedule pods");
  CHECK(scheduling_reasons("").empty());
}

}  // namespace
}  // namespace chartwright::diagnosis
