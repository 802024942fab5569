// SPDX-License-Identifier: Apache-2.0
#include "diff/rehearsal.h"

#include <catch2/catch.hpp>

#include "diff/report.h"
#include "test/operator/hooked.h"

namespace chartwright::diff {
namespace {

using base::Error;
using base::ErrorCode;
using op::testing::Files;
using op::testing::hooked_chart;
using op::testing::widget_chart;
using op::testing::with;
using op::testing::World;
using value::Value;
using value::testing::json;
using Texts = std::vector<std::string>;

/// Looks at what the operator of a world would do.
Report look(World& world) {
  base::SystemClock clock;
  const bundle::Renderer renderer(helm::Capabilities::offline(), clock);
  const Value cr = *world.api.find(world.ref());
  const Scene scene{world.api, world.watch, renderer, clock, cr, {}, world.release_namespace};
  return report_of(CW_MUST(rehearse(scene, {})));
}

bool is_write(const std::string& call) {
  return !call.starts_with("dry-") && !call.starts_with("get ") && !call.starts_with("list ") &&
         !call.starts_with("discover");
}

/// The report, after a check that it was made without a write.
Report look_only(World& world) {
  world.api.forget_calls();
  Report report = look(world);
  for (const std::string& call : world.calls()) {
    CHECK_FALSE(is_write(call));
  }
  return report;
}

/// "apply ConfigMap shop/w" of each object that would change.
Texts announced(const Report& report) {
  Texts texts;
  for (const ObjectChange& change : report.objects) {
    if (is_change(change.fate)) {
      texts.push_back(std::string(to_string(change.fate)) + " " + change.ref.to_string());
    }
  }
  return texts;
}

/// The same of the writes to children that a reconcile has made.
Texts written(const World& world) {
  Texts texts;
  for (const std::string& call : world.calls()) {
    const bool is_own = call.find("Widget.example.com") != std::string::npos ||
                        call.find("sh.helm.release") != std::string::npos;
    if (is_write(call) && !is_own) {
      texts.push_back(call);
    }
  }
  return texts;
}

Texts kept(const Report& report, Fate fate) {
  Texts texts;
  for (const ObjectChange& change : report.objects) {
    if (change.fate == fate) {
      texts.push_back(change.ref.to_string() + (change.why.empty() ? "" : ": " + change.why));
    }
  }
  return texts;
}

/// A release in force.
struct Installed : World {
  explicit Installed(const std::string& spec_text = "{}", const Files& files = widget_chart())
      : World(files) {
    spec(spec_text);
    converge();
    converge();
  }
};

void edit_color(World& world, const std::string& color) {
  Value child = *world.api.find(world.config_map("w"));
  child.find("data")->mutable_dict().set("color", Value::string(color));
  world.api.put(child);
}

TEST_CASE("An install is announced, and nothing is written") {
  World world;
  world.spec(R"({"color":"blue","extra":"more"})");
  const Report report = look_only(world);
  CHECK(announced(report) == Texts{"create ConfigMap shop/w", "create ConfigMap shop/more"});
  CHECK(report.revision == 1);
  CHECK_FALSE(report.failure);
  CHECK(world.status().as_dict().empty());
  CHECK_FALSE(world.exists("w"));
}

TEST_CASE("A release that is settled has no changes") {
  Installed world;
  const Report report = look_only(world);
  CHECK_FALSE(has_changes(report));
  CHECK_FALSE(report.revision);
  CHECK(kept(report, Fate::kUnchanged) == Texts{"ConfigMap shop/w"});
  CHECK(report.decision == op::Decision{op::Goal::kKeep, op::GoalReason::kSettled});
  CHECK(report.notes.empty());
}

TEST_CASE("A note says why the spec is not in force") {
  Installed world(R"({"color":"red"})");
  world.spec(R"({"color":"blue"})");
  world.converge();
  world.annotate(op::kRollbackTo, "1");
  SECTION("a rollback is asked for") {
    const Report report = look_only(world);
    CHECK(announced(report) == Texts{"apply ConfigMap shop/w"});
    CHECK(report.notes == Texts{"a rollback is asked for"});
    CHECK(report.decision == op::Decision{op::Goal::kRollback, op::GoalReason::kRollbackRequested});
  }
  SECTION("a rollback is in force") {
    world.converge();
    const Report report = look_only(world);
    CHECK_FALSE(has_changes(report));
    CHECK(report.notes == Texts{"a rollback is in force, so that today's spec and chart are not"});
  }
}

TEST_CASE("Each change is announced as it is then made") {
  Installed world(R"({"color":"red","extra":"more"})");
  SECTION("a field") { world.spec(R"({"color":"blue","extra":"more"})"); }
  SECTION("an object more") {
    world.spec(R"({"extra":"more","raw":"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}"})");
  }
  SECTION("an object less") { world.spec(R"({"color":"red"})"); }
  SECTION("all at once") { world.spec(R"({"color":"green","extra":"other"})"); }
  SECTION("drift") { edit_color(world, "edited"); }
  SECTION("an object that was deleted") { world.api.erase(world.config_map("more")); }
  const Texts plan = announced(look_only(world));
  CHECK_FALSE(plan.empty());
  world.restart();
  world.converge();
  Texts made = written(world);
  for (std::string& call : made) {  // An apply to an object that is not there creates it.
    const auto is_new = "create" + call.substr(call.find(' '));
    if (std::ranges::find(plan, is_new) != plan.end()) {
      call = is_new;
    }
  }
  CHECK(made == plan);
  CHECK_FALSE(has_changes(look_only(world)));
}

TEST_CASE("A child is deleted that was the last one of its kind") {
  const std::string raw =
      R"({"raw":"apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: {}"})";
  Installed world(raw);
  world.spec("{}");
  CHECK(announced(look_only(world)) == Texts{"delete Service shop/x"});
}

TEST_CASE("Drift names the field and its manager") {
  Installed world;
  Value child = *world.api.find(world.config_map("w"));
  child.find("data")->mutable_dict().set("color", Value::string("edited"));
  std::vector<Value> entries = child.find_path({"metadata", "managedFields"})->as_list().items;
  entries.push_back(json(R"({"manager":"kubectl-edit","operation":"Update","apiVersion":"v1",
      "fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:color":{}}}})"));
  child.find("metadata")->mutable_dict().set("managedFields", Value::list(entries));
  world.api.put(child);
  const Report report = look_only(world);
  REQUIRE(report.objects.size() == 1);
  const ObjectChange& change = report.objects.front();
  CHECK(change.why == "drifted");
  REQUIRE(change.fields.kept.size() == 1);
  CHECK(change.fields.kept[0].path == "data.color");
  CHECK(change.fields.kept[0].before->as_string() == "edited");
  CHECK(change.fields.kept[0].after->as_string() == "red");
  CHECK(change.fields.kept[0].managers == Texts{"kubectl-edit"});
}

TEST_CASE("A chart that fails to render is a failure with its place") {
  Installed world;
  world.spec(R"({"broken":true})");
  const Report report = look_only(world);
  REQUIRE(report.failure);
  CHECK(report.failure->message().find("the widget is broken") != std::string::npos);
  CHECK(announced(report).empty());
}

TEST_CASE("An object that the API server refuses is a failure") {
  Installed world;
  world.api.fail_always("dry-apply ConfigMap shop/w", Error(ErrorCode::kInvalid, "too blue"));
  world.spec(R"({"color":"blue"})");
  const Report report = look_only(world);
  REQUIRE(report.failure);
  CHECK(report.failure->message().find("too blue") != std::string::npos);
}

TEST_CASE("A paused custom resource has no changes, and says so") {
  Installed world;
  world.spec(R"({"color":"blue"})");
  world.annotate("chartwright.io/paused", "audit");
  const Report report = look_only(world);
  CHECK_FALSE(has_changes(report));
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0].find("audit") != std::string::npos);
}

TEST_CASE("An object with an immutable field is recreated if its rule says so") {
  Installed world("{}", with(widget_chart(), {{"operator/operator.yaml",
                                               "children:\n- match: {kind: ConfigMap}\n"
                                               "  update: recreateIfImmutable\n"}}));
  world.spec(R"({"color":"blue"})");
  Error immutable(ErrorCode::kImmutable, "field is immutable");
  immutable = Error(immutable).with_causes({{"", "field is immutable", "data.color"}});
  world.api.fail_always("dry-apply ConfigMap shop/w", immutable);
  const Report report = look_only(world);
  CHECK_FALSE(report.failure);
  REQUIRE(announced(report) == Texts{"recreate ConfigMap shop/w"});
  CHECK(report.objects[0].why == "data.color is immutable");
  REQUIRE(report.objects[0].fields.kept.size() == 1);
  CHECK(report.objects[0].fields.kept[0].path == "data.color");
}

TEST_CASE("A rule that recreates is announced as that") {
  Installed world("{}", with(widget_chart(), {{"operator/operator.yaml",
                                               "children:\n- match: {kind: ConfigMap}\n"
                                               "  update: recreate\n"}}));
  world.spec(R"({"color":"blue"})");
  const Report report = look_only(world);
  REQUIRE(announced(report) == Texts{"recreate ConfigMap shop/w"});
  REQUIRE(report.objects[0].fields.kept.size() == 1);
  CHECK(report.objects[0].fields.kept[0].path == "data.color");
}

TEST_CASE("Changes that rules hold back are reported") {
  SECTION("until the object is deleted") {
    Installed world("{}", with(widget_chart(), {{"operator/operator.yaml",
                                                 "children:\n- match: {kind: ConfigMap}\n"
                                                 "  update: onDelete\n"}}));
    world.spec(R"({"color":"blue"})");
    const Report report = look_only(world);
    CHECK_FALSE(has_changes(report));
    REQUIRE(kept(report, Fate::kHold).size() == 1);
    CHECK(kept(report, Fate::kHold)[0].find("onDelete") != std::string::npos);
  }
  SECTION("a frozen field") {
    Installed world("{}", with(widget_chart(), {{"operator/operator.yaml",
                                                 "children:\n- match: {kind: ConfigMap}\n"
                                                 "  freeze: [data.color]\n"}}));
    world.spec(R"({"color":"blue"})");
    const Report report = look_only(world);
    CHECK_FALSE(has_changes(report));
    REQUIRE(kept(report, Fate::kHold).size() == 1);
    CHECK(report.objects[0].consequences == Texts{"data.color keeps its value by its rule"});
  }
  SECTION("drift that is to be told") {
    Installed world("{}", with(widget_chart(), {{"operator/operator.yaml",
                                                 "children:\n- match: {kind: ConfigMap}\n"
                                                 "  drift: warn\n"}}));
    edit_color(world, "pink");
    const Report report = look_only(world);
    CHECK_FALSE(has_changes(report));
    REQUIRE(kept(report, Fate::kHold) ==
            Texts{"ConfigMap shop/w: drifted; stays so, because the policy for drift is warn"});
    CHECK(report.objects[0].consequences == Texts{R"(data.color: "pink" instead of "red")"});
  }
  SECTION("an object that is kept") {
    const std::string raw =
        R"({"raw":"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, annotations: {helm.sh/resource-policy: keep}}"})";
    Installed world(raw);
    world.spec("{}");
    const Report report = look_only(world);
    CHECK_FALSE(has_changes(report));
    REQUIRE(kept(report, Fate::kHold).size() == 1);
    CHECK(kept(report, Fate::kHold)[0].find("keep") != std::string::npos);
  }
}

TEST_CASE("All hooks are announced, although none has run") {
  World world(hooked_chart());
  world.spec("{}");
  Report report = look_only(world);
  CHECK_FALSE(report.failure);
  CHECK(kept(report, Fate::kHook) ==
        Texts{"Job.batch shop/before: pre-install", "Job.batch shop/after: post-install"});
  CHECK(announced(report).size() == 4);
  CHECK(report.revision == 1);
  CHECK(world.api.count("Job") == 0);
}

TEST_CASE("CRDs and objects of their kinds are announced together") {
  const std::string crd =
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n"
      "  name: foos.example.com\nspec:\n  group: example.com\n  scope: Namespaced\n"
      "  names: {kind: Foo, plural: foos}\n  versions:\n  - {name: v1, served: true}\n";
  const std::string folder = GENERATE(values<std::string>({"crds", "templates"}));
  World world(with(widget_chart(), {{folder + "/foos.yaml", crd},
                                    {"templates/foo.yaml",
                                     "apiVersion: example.com/v1\nkind: Foo\n"
                                     "metadata: {name: w}\n"}}));
  world.api.unserve("Foo");
  world.spec("{}");
  const Report report = look_only(world);
  CHECK_FALSE(report.failure);
  Texts all = announced(report);
  std::ranges::sort(all);
  CHECK(all == Texts{"create ConfigMap shop/w",
                     "create CustomResourceDefinition.apiextensions.k8s.io foos.example.com",
                     "create Foo.example.com shop/w"});
  CHECK(report.revision == 1);
}

TEST_CASE("A deletion is announced") {
  Installed world;
  Value cr = world.cr();
  cr.find("metadata")
      ->mutable_dict()
      .set("finalizers", json(R"(["helm.sdk.operatorframework.io/uninstall-release"])"));
  world.api.put(cr);
  world.api.begin_deletion(world.ref());
  CHECK(announced(look_only(world)) == Texts{"delete ConfigMap shop/w"});
}

TEST_CASE("A Secret in the release is masked") {
  World world(with(widget_chart(), {{"templates/secret.yaml",
                                     "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
                                     "stringData: {password: hunter22}\n"}}));
  world.spec(R"({"color":"hunter22"})");
  const Report report = look_only(world);
  CHECK(report.secrets.masked("x hunter22 y") == "x *** y");
}

TEST_CASE("Pods that restart, scale or stop are named") {
  const auto workload = [](const std::string& image, int replicas, const std::string& more = "") {
    return json(R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":)" +
                std::to_string(replicas) + more +
                R"(,"template":{"spec":{"containers":[{"image":")" + image + R"("}]}}}})");
  };
  CHECK(consequences_of(Fate::kApply, workload("a", 2), workload("b", 2)) ==
        Texts{"restarts the 2 pods of this workload"});
  CHECK(consequences_of(Fate::kApply, workload("a", 2), workload("a", 3)) ==
        Texts{"scales from 2 to 3"});
  CHECK(consequences_of(Fate::kApply, workload("a", 1),
                        workload("b", 1, R"(,"strategy":{"type":"Recreate"})")) ==
        Texts{"restarts the pod of this workload, all at once (strategy Recreate)"});
  CHECK(consequences_of(Fate::kApply, workload("a", 0), workload("b", 0)).empty());
  CHECK(consequences_of(Fate::kDelete, workload("a", 2), Value()) ==
        Texts{"stops the 2 pods of this workload"});
  const Value claim = json(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim"})");
  CHECK(consequences_of(Fate::kDelete, claim, Value()) ==
        Texts{"deletes the claim, and its data unless the volume is retained"});
}

}  // namespace
}  // namespace chartwright::diff
