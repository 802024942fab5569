// SPDX-License-Identifier: Apache-2.0
#include "test/sim/plan.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/check.h"

namespace chartwright::sim {
namespace {

const std::string kPlan = R"(subject: two-widgets
seed: 7
order: first-come locks
do:
  after apply ConfigMap shop/w #1: crash
  before delete Secret shop/x #2: refuse 409
  before get Widget.example.com shop/w #1: lose
  before patch Widget.example.com shop/w #3: delay 31s
  after apply Lease.coordination.k8s.io ops/leader #1: freeze 20s
  before list Widget #1: step paint ConfigMap w-a black
preempt:
  worker:0 at 41: watch:ConfigMap
  worker:1#2 at 2: worker:0
expect: rest
)";

TEST_CASE("A plan is read as it is written") {
  CHECK(to_text(CW_MUST(parse_plan(kPlan))) == kPlan);
  for (const std::string order :
       {"first-come", "walk one-in=8", "walk one-in=8 locks", "priorities depth=3 choices=400",
        "priorities depth=2 choices=90 locks"}) {
    const std::string text = "subject: install\nseed: 1\norder: " + order + "\nexpect: pass\n";
    CHECK(to_text(CW_MUST(parse_plan(text))) == text);
  }
}

TEST_CASE("A plan that is wrong is refused, with the line") {
  const auto error = [](const std::string& text) {
    const auto plan = parse_plan(text);
    return plan.ok() ? "none" : plan.error().message();
  };
  CHECK(error("seed: 1\n") == "a plan needs a line \"subject: NAME\"");
  CHECK(
      error("subject: a\nnonsense\n").starts_with("line 2: \"nonsense\": expected \"KEY: VALUE\""));
  CHECK(error("subject: a\ncolor: red\n").starts_with("line 2: \"color: red\": expected subject"));
  CHECK(error("subject: a\nseed: x\n").starts_with("line 2: \"seed: x\": expected a number"));
  for (const std::string order : {"last-come", "walk", "walk depth=2", "priorities one-in=2",
                                  "first-come depth=2", "walk one-in=0", "walk one-in=2 fine"}) {
    CAPTURE(order);
    CHECK(error("subject: a\norder: " + order + "\n").starts_with("line 2: \"order: "));
  }
  for (const std::string item :
       {"crash", "after x #1", "after x #1: explode", "after x #0: crash", "during x #1: crash",
        "after x: crash", "after x #1: refuse 409", "before x #1: refuse 418",
        "before x #1: delay soon", "before x #1: delay -1s", "before x #1: freeze"}) {
    CAPTURE(item);
    CHECK(error("subject: a\ndo:\n  " + item + "\n").starts_with("line 3: \"" + item + "\": "));
  }
  for (const std::string item : {"a at 1", "a at 0: b", "a at x: b", "a: b"}) {
    CAPTURE(item);
    CHECK(
        error("subject: a\npreempt:\n  " + item + "\n").starts_with("line 3: \"" + item + "\": "));
  }
  CHECK(error("subject: a\n  stray\n").starts_with("line 2: "));
}

}  // namespace
}  // namespace chartwright::sim
