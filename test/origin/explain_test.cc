// SPDX-License-Identifier: Apache-2.0
#include "origin/explain.h"

#include <algorithm>
#include <span>

#include <catch2/catch.hpp>

#include "base/clock.h"
#include "base/thread.h"
#include "test/origin/recorded_chart_files.h"
#include "value/json.h"

namespace chartwright::origin {
namespace {

using testing::manifest_of;
using testing::revision_of;
using value::Value;
using value::testing::json;

constexpr std::string_view kUid = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9";

class QuietHost final : public tmpl::Host {
 public:
  base::WallTime now() override { return {}; }
  base::Status random(std::span<uint8_t> out) override {
    std::ranges::fill(out, uint8_t{1});
    return {};
  }
};

Value shop(std::string_view spec) {
  return json(R"({"apiVersion":"example.com/v1","kind":"Shop","metadata":{"name":"one",
      "namespace":"team","uid":")" +
              std::string(kUid) + R"(","managedFields":[{"manager":"kubectl-client-side-apply",
      "operation":"Update","time":"2026-11-28T09:00:00Z",
      "fieldsV1":{"f:spec":{"f:replicas":{},"f:image":{"f:tag":{}}}}}]},"spec":)" +
              std::string(spec) + "}");
}

/// A live Deployment; its replicas belong to `manager`.
Value live_web(int replicas, std::string_view manager, std::string_view operation) {
  return json(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"one-web",
      "namespace":"team","managedFields":[
        {"manager":"chartwright-0a1b2c3d4e5f","operation":"Apply","time":"2026-11-28T09:01:00Z",
         "fieldsV1":{"f:spec":{"f:paused":{},"f:template":{}}}},
        {"manager":")" +
              std::string(manager) + R"(","operation":")" + std::string(operation) +
              R"(","time":"2026-11-28T09:02:00Z","fieldsV1":{"f:spec":{"f:replicas":{}}}}]},
      "spec":{"replicas":)" +
              std::to_string(replicas) + R"(,"paused":false,"progressDeadlineSeconds":600,
        "minReadySeconds":20,"template":{"spec":{"containers":[{"name":"web",
          "image":"nginx:2","resources":{"limits":{"cpu":"500m"}}}]}}}})");
}

Subject subject(std::string_view field) {
  const Question question = CW_MUST(parse_question(field));
  Subject asked{shop(R"({"replicas":2,"image":{"tag":"2"}})"),
                "team",
                {},
                {},
                question.field,
                false,
                2,
                revision_of(2, R"({"replicas":2,"image":{"tag":"2"}})", manifest_of(2, "2"))};
  if (question.child) {
    const kube::ObjectRef ref{
        {question.child->kind == "Secret" ? "" : "apps", "v1", question.child->kind},
        "team",
        question.child->name};
    asked.child = Child{ref, ref};
    asked.live = live_web(2, "chartwright-0a1b2c3d4e5f", "Apply");
  }
  return asked;
}

FieldAnswer answer_to(const Subject& asked) {
  const auto chart = CW_MUST(recorded_chart(*asked.revision));
  QuietHost host;
  const base::SystemClock clock;
  const helm::RenderContext context{host, clock, nullptr, {}};
  Explanation explanation(asked);
  base::Thread("render", base::kRenderStackBytes, [&] {
    base::Status done = explanation.compare();
    if (done.ok()) {
      done = explanation.trace({chart, false, helm::Capabilities::offline(), context});
    }
    if (!done.ok()) {
      explanation.add_gap(done.error().message());
    }
  }).join();
  return explanation.answer();
}

FieldAnswer answer_to(std::string_view field) { return answer_to(subject(field)); }

}  // namespace

TEST_CASE("A field is followed to the value of the spec that it comes from") {
  Subject asked = subject("Deployment/one-web:spec.replicas");
  Explanation first(asked);
  CHECK(text_of(answer_to(asked)) ==
        "Deployment.apps team/one-web: spec.replicas\n"
        "  live: 2, set by this operator, chartwright-0a1b2c3d4e5f (Apply, "
        "2026-11-28T09:02:00Z)\n"
        "  revision 2: 2\n"
        "  template: shop/templates/web.yaml:6\n"
        "    reads .Values.replicas: 2, from spec.replicas of shop/one\n"
        "→ change spec.replicas of shop/one\n");
}

TEST_CASE("A value that a partial writes is followed into it") {
  const std::string text =
      text_of(answer_to("Deployment/one-web:spec.template.spec.containers[name=web].image"));
  INFO(text);
  CHECK(text.find("  template: shop/templates/web.yaml:13, by shop/templates/_helpers.tpl:2\n"
                  "    reads .Values.image.name: \"nginx\", the default in values.yaml of the "
                  "chart\n"
                  "    reads .Values.image.tag: \"2\", from spec.image.tag of shop/one\n"
                  "→ change spec.image.tag of shop/one\n") != std::string::npos);
}

TEST_CASE("A value in a table that is printed whole is named by its own path") {
  const std::string text = text_of(
      answer_to("Deployment/one-web:spec.template.spec.containers[name=web].resources.limits.cpu"));
  INFO(text);
  CHECK(text.find("reads .Values.resources.limits.cpu: \"500m\", the default in") !=
        std::string::npos);
  CHECK(text.ends_with("→ set spec.resources.limits.cpu of shop/one\n"));
}

TEST_CASE("A computed value names what it is computed from") {
  const std::string text = text_of(answer_to("Deployment/one-web:spec.minReadySeconds"));
  INFO(text);
  CHECK(text.find("reads .Values.replicas: 2, from spec.replicas") != std::string::npos);
}

TEST_CASE("A value that the template has itself is changed in the chart") {
  CHECK(text_of(answer_to("Deployment/one-web:spec.paused"))
            .ends_with("→ change the chart: shop/templates/web.yaml:8 reads no value for it\n"));
}

TEST_CASE("A change by somebody else is told with its author") {
  Subject asked = subject("Deployment/one-web:spec.replicas");
  asked.live = live_web(5, "kubectl-edit", "Update");
  const FieldAnswer answer = answer_to(asked);
  CHECK(answer.state == FieldState::kChanged);
  const std::string text = text_of(answer);
  CHECK(text.find("  live: 5, set by kubectl-edit (Update, 2026-11-28T09:02:00Z)\n"
                  "  revision 2: 2\n") != std::string::npos);
  CHECK(
      text.ends_with("→ chartwright diff shop/one --namespace team: it shows whether the operator "
                     "takes back the change by kubectl-edit, or leaves the field to it by a "
                     "rule\n"));
  asked.is_paused = true;
  CHECK(text_of(answer_to(asked))
            .ends_with("→ chartwright resume shop/one --namespace team: a paused custom resource "
                       "is not repaired\n"));
}

TEST_CASE("The replicas of what an autoscaler of the release scales are left to it") {
  Subject asked = subject("Deployment/one-web:spec.replicas");
  asked.live = live_web(5, "kube-controller-manager", "Update");
  asked.revision->manifest +=
      "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: one-web\n"
      "spec:\n  maxReplicas: 9\n  scaleTargetRef:\n    apiVersion: apps/v1\n    kind: Deployment\n"
      "    name: one-web\n";
  CHECK(answer_to(asked).state == FieldState::kAutoscaled);
}

TEST_CASE("A field that no template writes is one of somebody else, or a default") {
  const FieldAnswer answer = answer_to("Deployment/one-web:spec.progressDeadlineSeconds");
  CHECK(answer.state == FieldState::kNotRendered);
  CHECK(text_of(answer).find("  live: 600, set by the API server\n  revision 2: not set\n") !=
        std::string::npos);
}

TEST_CASE("A value that the spec as it is does not have came from elsewhere, and is not shown") {
  Subject asked = subject("Deployment/one-web:spec.replicas");
  asked.cr = shop(R"({"replicas":7})");
  const FieldAnswer answer = answer_to(asked);
  REQUIRE(answer.values.size() == 1);
  CHECK(answer.values.front().source == Source::kOutside);
  CHECK_FALSE(answer.values.front().value);
}

TEST_CASE("Nothing of a Secret is shown") {
  Subject asked = subject("Secret/one-keys:stringData.token");
  asked.live = json(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"one-keys"},
                        "stringData":{"token":"planted-token"}})");
  const FieldAnswer answer = answer_to(asked);
  CHECK(answer.is_secret);
  CHECK(answer.live == "***");
  CHECK(answer.recorded == "***");
  REQUIRE(answer.values.size() == 1);
  CHECK(answer.values.front().value == "***");
  const std::string all =
      text_of(answer) + CW_MUST(value::to_json(to_value(answer), value::JsonEscape::kNone));
  CHECK(all.find("planted") == std::string::npos);
}

TEST_CASE("A value of the spec is followed to the fields that have it") {
  const std::string text = text_of(answer_to("spec.replicas"));
  INFO(text);
  CHECK(text ==
        "Shop.example.com team/one: spec.replicas\n"
        "  live: 2, set by kubectl-client-side-apply (Update, 2026-11-28T09:00:00Z)\n"
        "  revision 2: 2, in the values of the release\n"
        "  used: Deployment.apps one-web: spec.minReadySeconds = 20 (shop/templates/web.yaml:7)\n"
        "  used: Deployment.apps one-web: spec.replicas = 2 (shop/templates/web.yaml:6)\n"
        "→ change spec.replicas of shop/one\n");
}

TEST_CASE("A value that the spec leaves to the chart has its default") {
  const std::string text = text_of(answer_to("spec.resources.limits.cpu"));
  INFO(text);
  CHECK(text.find("  live: not set\n") != std::string::npos);
  CHECK(text.find("reads .Values.resources.limits.cpu: \"500m\", the default in") !=
        std::string::npos);
  CHECK(text.find("resources.limits.cpu = \"500m\" (shop/templates/web.yaml:") !=
        std::string::npos);
}

TEST_CASE("A default that is a credential by its name is not shown") {
  const FieldAnswer answer = answer_to("spec.token");
  CHECK(answer.is_secret);
  CHECK(text_of(answer).find("planted") == std::string::npos);
}

TEST_CASE("A chart that cannot be rendered is a gap, and the rest is told") {
  Subject asked = subject("Deployment/one-web:spec.replicas");
  asked.revision->chart_files = CW_MUST(record::pack_chart(record::ChartFiles{
      .templates = {{"templates/web.yaml", "a: {{ include \"of.a.subchart\" . }}"}}}));
  const FieldAnswer answer = answer_to(asked);
  CHECK(answer.live == "2");
  REQUIRE(answer.gaps.size() == 1);
  CHECK(answer.gaps.front().find("of.a.subchart") != std::string::npos);
  CHECK(answer.gaps.front().size() < 600);
}

TEST_CASE("Without a record the live field is told all the same") {
  Subject asked = subject("Deployment/one-web:spec.replicas");
  asked.revision.reset();
  Explanation explanation(asked);
  REQUIRE(explanation.compare().ok());
  CHECK(explanation.answer().state == FieldState::kUnknown);
  CHECK(explanation.answer().live == "2");
  asked.live.reset();
  CHECK(Explanation(asked).compare().error().message() ==
        "Deployment.apps team/one-web has no field \"spec.replicas\"");
}

TEST_CASE("A child that is gone has the value of its record") {
  Subject asked = subject("Deployment/one-web:spec.replicas");
  asked.live.reset();
  Explanation explanation(asked);
  REQUIRE(explanation.compare().ok());
  CHECK(explanation.answer().state == FieldState::kChildGone);
  CHECK(text_of(explanation.answer()).find("  live: the object does not exist\n") !=
        std::string::npos);
}

TEST_CASE("The texts of a cluster cannot control the terminal, and are bounded") {
  Subject asked = subject("Deployment/one-web:spec.replicas");
  asked.live = live_web(2, R"(\u001b[31m)" + std::string(5000, 'm'), "Update");
  const std::string text = text_of(answer_to(asked));
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.size() < 2000);
}

}  // namespace chartwright::origin
