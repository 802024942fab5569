// SPDX-License-Identifier: Apache-2.0
#include "report/pod_choice.h"

#include <catch2/catch.hpp>

#include "value/json.h"

namespace chartwright::cmd {
namespace {

using value::Value;

/// Returns a pod with the init container `init`, the containers `a` and `b`, and this status.
Value pod_with(const std::string& status, const std::string& annotations = "{}") {
  return *value::parse_json(R"({"metadata":{"name":"web-x","annotations":)" + annotations +
                                R"(},"spec":{"initContainers":[{"name":"init"}],
                               "containers":[{"name":"a"},{"name":"b"}]},"status":)" +
                                status + "}",
                            value::Numbers::kInt64);
}

const std::string kDone =
    R"("initContainerStatuses":[{"name":"init","state":{"terminated":{"exitCode":0}}}])";

std::string chosen(const std::string& status, const std::string& annotations = "{}") {
  return container_to_read(pod_with(status, annotations));
}

diagnosis::Cause cause_at(const std::string& kind, const std::string& name) {
  diagnosis::Cause cause;
  cause.object = {{"", "v1", kind}, "team", name};
  return cause;
}

}  // namespace

TEST_CASE("An init container that has not ended well comes first") {
  CHECK(chosen(R"({"initContainerStatuses":[{"name":"init","state":{"waiting":{}}}],
                   "containerStatuses":[{"name":"a"},{"name":"b"}]})") == "init");
  CHECK(chosen("{" + kDone + R"(,"containerStatuses":[{"name":"a"},{"name":"b"}]})") == "a");
  CHECK(chosen(R"({"initContainerStatuses":[{"name":"init","ready":true,"state":{"running":{}}}],
                   "containerStatuses":[{"name":"b"}]})") == "b");
}

TEST_CASE("A container that has ended comes before one that only is not ready") {
  CHECK(chosen("{" + kDone + R"(,"containerStatuses":[{"name":"a","ready":false},
          {"name":"b","ready":false,"lastState":{"terminated":{"exitCode":1}}}]})") == "b");
  CHECK(chosen("{" + kDone + R"(,"containerStatuses":[{"name":"a","ready":true},
          {"name":"b","ready":false}]})") == "b");
}

TEST_CASE("Where every container is ready, kubectl's annotation decides, or their order") {
  const std::string ready =
      "{" + kDone +
      R"(,"containerStatuses":[{"name":"a","ready":true},{"name":"b","ready":true}]})";
  CHECK(chosen(ready) == "a");
  CHECK(chosen(ready, R"({"kubectl.kubernetes.io/default-container":"b"})") == "b");
  CHECK(chosen(ready, R"({"kubectl.kubernetes.io/default-container":"no"})") == "a");
  CHECK(container_to_read(Value()).empty());
}

TEST_CASE("A container that there is not is refused with those that there are") {
  CHECK(check_container(pod_with("{}"), "init").ok());
  CHECK(check_container(pod_with("{}"), "c").error().message() ==
        "Pod web-x has no container \"c\"; it has init, a, b");
}

TEST_CASE("The pods that causes name are the failing ones, each once") {
  WhyReport report;
  report.children.resize(2);
  report.children[0].finding.causes = {cause_at("Pod", "a"), cause_at("Node", "n")};
  report.children[1].finding.causes = {cause_at("Pod", "b"), cause_at("Pod", "a")};
  const auto pods = failing_pods(report);
  REQUIRE(pods.size() == 2);
  CHECK((pods[0].name == "a" && pods[1].name == "b"));
}

TEST_CASE("A log is asked for within limits") {
  const kube::ObjectRef pod = {{"", "v1", "Pod"}, "team", "web-x"};
  CHECK(log_target(pod, {"a&b", 100, 4096, true}) ==
        "/api/v1/namespaces/team/pods/web-x/log?container=a%26b&tailLines=100&limitBytes=4096"
        "&previous=true");
  CHECK(log_target(pod, {"a", 1, 2, false}).find("previous") == std::string::npos);
}

TEST_CASE("The logs of a pod are those of all containers, and of the runs before") {
  const Value pod = pod_with(R"({"containerStatuses":[{"name":"a","restartCount":0},
                                 {"name":"b","restartCount":2}],"initContainerStatuses":7})");
  std::string asked;
  for (const LogQuery& query : logs_of(pod, 10, 20)) {
    CHECK((query.lines == 10 && query.bytes == 20));
    asked += query.container + (query.previous ? " before\n" : "\n");
  }
  CHECK(asked == "init\na\nb\nb before\n");
  CHECK(logs_of(Value(), 10, 20).empty());
}

}  // namespace chartwright::cmd
