// SPDX-License-Identifier: Apache-2.0
#include "report/why_report.h"

#include <catch2/catch.hpp>

#include "value/json.h"

namespace chartwright::cmd {
namespace {

using diagnosis::Cause;
using diagnosis::Code;
using value::Value;

const kube::ObjectRef kShop = {{"example.com", "v1", "Shop"}, "team", "one"};
const kube::ObjectRef kWeb = {{"apps", "v1", "Deployment"}, "team", "web"};
const kube::ObjectRef kPod = {{"", "v1", "Pod"}, "team", "web-7d-x"};
constexpr base::WallTime kNow = base::WallTime(std::chrono::hours(24 * 20000));

std::string minutes_ago(int minutes) {
  return base::format_rfc3339(kNow - std::chrono::minutes(minutes));
}

Summary unready() {
  Summary summary;
  summary.ref = kShop;
  summary.ready = "False";
  summary.problem = {"ChildFailed", "Deployment.apps team/web: rolling out", minutes_ago(20)};
  return summary;
}

Cause crash() {
  Cause cause;
  cause.code = Code::kPodCrashLooping;
  cause.object = kPod;
  cause.details = "2 of 3 pods: CrashLoopBackOff (exit 1, 7 restarts)";
  cause.chain = {{kWeb, "Available: MinimumReplicasUnavailable", {}},
                 {kPod, "ContainersNotReady", {"BackOff"}}};
  return cause;
}

}  // namespace

TEST_CASE("A report leads from the custom resource to the cause, and says what to do") {
  WhyReport report{unready(), {{kWeb, "Failed", {{crash()}, {"no right to list Nodes"}}, ""}}};
  CHECK(text_of(report, kNow) ==
        "Shop.example.com team/one: ChildFailed, since 20m\n"
        "  Deployment.apps team/web: rolling out\n"
        "\n"
        "Deployment.apps team/web: 2 of 3 pods: CrashLoopBackOff (exit 1, 7 restarts)\n"
        "  Deployment.apps team/web: Available: MinimumReplicasUnavailable\n"
        "  Pod team/web-7d-x: ContainersNotReady\n"
        "    ! BackOff\n"
        "  no right to list Nodes\n"
        "→ kubectl logs web-7d-x --namespace team --all-containers --previous\n");
}

TEST_CASE("A message of several lines keeps its caret, and no line of it passes for advice") {
  WhyReport report{unready(), {}};
  report.summary.problem->message =
      "shop/templates/web.yaml:7:22: nil pointer\n  replicas: {{ .Values.a.b }}\n"
      "                      ^\n→ kubectl delete namespace team";
  CHECK(text_of(report, kNow) ==
        "Shop.example.com team/one: ChildFailed, since 20m\n"
        "  shop/templates/web.yaml:7:22: nil pointer\n"
        "    replicas: {{ .Values.a.b }}\n"
        "                        ^\n"
        "  → kubectl delete namespace team\n");
}

TEST_CASE("A line does not repeat the one before it") {
  Cause cause = crash();
  cause.details = "ProvisioningFailed: there is none";
  cause.chain = {{kWeb, cause.details, {cause.details, "FailedBinding"}}};
  WhyReport report{unready(), {{kWeb, "Progressing", {{cause}, {}}, ""}}};
  const std::string text = text_of(report, kNow);
  CHECK(text.find("Deployment.apps team/web: ProvisioningFailed: there is none\n"
                  "    ! FailedBinding\n→ ") != std::string::npos);
}

TEST_CASE("A custom resource without a problem is ready") {
  Summary summary = unready();
  summary.problem.reset();
  summary.revision = 3;
  CHECK(text_of({summary, {}}, kNow) == "Shop.example.com team/one: ready, in revision 3\n");
}

TEST_CASE("A pause, a rollback and drift that stays are ended by a command") {
  Summary summary = unready();
  summary.problem = {"Paused", "maintenance", ""};
  CHECK(text_of({summary, {}}, kNow) ==
        "Shop.example.com team/one: Paused\n"
        "  maintenance\n"
        "→ chartwright resume shop.example.com/one --namespace team\n");
  summary.problem = {"RolledBack", "revision 6 stays in force", ""};
  CHECK(text_of({summary, {}}, kNow)
            .find("→ chartwright rollback shop.example.com/one --namespace team --end") !=
        std::string::npos);
  summary.problem = {"Drifted", "ConfigMap team/w: data.color: 2 instead of 1", ""};
  CHECK(text_of({summary, {}}, kNow)
            .find("kubectl annotate shop.example.com one --namespace team --overwrite "
                  "chartwright.io/drift=repair") != std::string::npos);
}

TEST_CASE("A child without a cause, or that cannot be read, is named all the same") {
  WhyReport report{unready(), {{kWeb, "Progressing", {}, ""}, {kPod, "Failed", {}, "not found"}}};
  report.more = 4;
  const std::string text = text_of(report, kNow);
  CHECK(text.find("Deployment.apps team/web: Progressing, and nothing says why\n"
                  "→ kubectl describe deployment.apps web --namespace team\n") !=
        std::string::npos);
  CHECK(text.find("Pod team/web-7d-x: Failed\n  it cannot be read: not found\n") !=
        std::string::npos);
  CHECK(text.ends_with("4 more children are not ready.\n"));
}

TEST_CASE("The children that are not ready are those of the status") {
  const Value cr = *value::parse_json(R"({"status":{"resources":[
      {"group":"apps","version":"v1","kind":"Deployment","namespace":"team","name":"web",
       "state":"Failed"},
      {"version":"v1","kind":"Service","namespace":"team","name":"web","state":"Ready"},
      {"version":"v1","kind":"ConfigMap","namespace":"team","name":"partial","partial":true},
      {"version":"v1","kind":"Pod","namespace":"team","state":"Failed"},
      {"version":"v1","name":"web","namespace":"team","state":"Failed"},
      7,null,{"state":3}]}})",
                                      value::Numbers::kInt64);
  const auto children = unready_children(cr);
  REQUIRE(children.size() == 1);
  CHECK(children[0].ref == kWeb);
  CHECK(children[0].state == "Failed");
  CHECK(unready_children(Value()).empty());
}

TEST_CASE("As JSON, a report has the summary, and each child with its causes") {
  const Value value = to_value(
      WhyReport{unready(), {{kWeb, "Failed", {{crash()}, {"no right to list Nodes"}}, ""}}});
  CHECK(value.string_at({"problem", "reason"}) == "ChildFailed");
  const Value& child = value.items_at({"children"}).at(0);
  CHECK(child.string_at({"name"}) == "web");
  CHECK(child.items_at({"gaps"}).size() == 1);
  const Value& cause = child.items_at({"causes"}).at(0);
  CHECK(cause.string_at({"reason"}) == "PodCrashLooping");
  CHECK(cause.string_at({"object", "name"}) == "web-7d-x");
  CHECK(cause.items_at({"chain"}).at(1).items_at({"warnings"}).size() == 1);
}

TEST_CASE("Each cause has advice") {
  Cause cause = crash();
  for (int code = 0; code <= static_cast<int>(Code::kResourceNotReady); ++code) {
    cause.code = static_cast<Code>(code);
    CAPTURE(to_string(cause.code));
    CHECK_FALSE(advice_for(cause).empty());
  }
}

}  // namespace chartwright::cmd
