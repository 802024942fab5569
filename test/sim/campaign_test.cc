// SPDX-License-Identifier: Apache-2.0
#include "test/sim/campaign.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/strings.h"
#include "test/sim/subject.h"
#include "test/source_dir.h"

namespace chartwright::sim {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string verdict(const std::optional<Violation>& violation) {
  return violation ? violation->oracle + ": " + violation->what : "pass";
}

TEST_CASE("Every plan of cases/ ends as it expects") {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/test/sim/cases")) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  REQUIRE_FALSE(files.empty());
  for (const std::filesystem::path& file : files) {
    INFO(file.filename());
    const Plan plan = CW_MUST(parse_plan(text_of(file)));
    const Record record = CW_MUST(run(plan));
    CHECK(record.missed.empty());
    CHECK(verdict(CW_MUST(Campaign::begin(plan.subject)).try_plan(plan)) == plan.expect);
  }
}

TEST_CASE("A plan with an unknown subject or step is refused") {
  Plan plan;
  plan.subject = "nothing";
  CHECK(run(plan).error().message() == "there is no subject \"nothing\"");
  for (const std::string step : {"explode Widget w", "paint Widget", "put Widget w color",
                                 "paint ConfigMap w-a", "hold Widget soon"}) {
    plan = CW_MUST(parse_plan("subject: install\ndo:\n  before apply ConfigMap shop/w-a #1: step " +
                              step + "\n"));
    const auto record = run(plan);
    INFO(step);
    CHECK(record.error().code() == base::ErrorCode::kParse);
  }
}

TEST_CASE("A step of a process that cannot be read is refused") {
  for (const std::string step : {"wait soon", "freeze a", "freeze a soon", "start", "pause a"}) {
    INFO(step);
    const LoadedSubject subject({.name = "one", .kinds = {}, .steps = {step}});
    CHECK(run(Plan{.subject = "one"}, subject).error().code() == base::ErrorCode::kParse);
  }
}

TEST_CASE("The same plan gives the same run") {
  for (const Subject& subject : subjects()) {
    const Campaign campaign = CW_MUST(Campaign::begin(subject.name));
    const Plan plan = campaign.random(1);
    INFO(to_text(plan));
    const Record once = CW_MUST(run(plan));
    const Record again = CW_MUST(run(plan));
    CHECK(once.digest == again.digest);
    CHECK(to_text(once.journal) == to_text(again.journal));
  }
}

TEST_CASE("A run is the same in the order that its deviations describe") {
  const Campaign campaign = CW_MUST(Campaign::begin("two-widgets"));
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    Plan plan = campaign.random(seed);
    const Record record = CW_MUST(run(plan));
    plan.order = {
        .kind = Order::Kind::kFirstCome, .fine = plan.order.fine, .deviations = record.deviations};
    CHECK(to_text(CW_MUST(run(plan)).journal) == to_text(record.journal));
  }
}

TEST_CASE("A failing plan shrinks to what it needs") {
  Campaign campaign = CW_MUST(Campaign::begin("upgrade"));
  Plan plan;
  plan.subject = "upgrade";
  plan.seed = 5;
  plan.order = {.kind = Order::Kind::kWalk, .number = 4};
  plan.incidents = {
      CW_MUST(parse_plan("subject: upgrade\ndo:\n  before apply ConfigMap shop/w-b #1: delay 1s\n"
                         "  after apply ConfigMap shop/w-a #2: step erase Widget w\n"
                         "  before list Widget #1: crash\n"))
          .incidents};
  const auto violation = campaign.try_plan(plan);
  REQUIRE(violation);
  const Failure failure = campaign.shrink(plan, *violation);
  CHECK(failure.violation.oracle == violation->oracle);
  CHECK(failure.plan.order.deviations.empty());
  REQUIRE(failure.plan.incidents.size() == 1);
  CHECK(failure.plan.incidents.front() == plan.incidents[1]);
  CHECK(parse_plan(to_text(failure.plan))->expect == violation->oracle);
}

// More of them, and for longer, tries the program `sim`.
TEST_CASE("Plans at random violate nothing") {
  constexpr uint64_t kPlans = 4;
  const char* const wanted = std::getenv("CW_SIM_PLANS");
  const auto asked = base::parse_int(wanted == nullptr ? "" : wanted);
  const uint64_t plans = asked ? static_cast<uint64_t>(*asked) : kPlans;
  for (const Subject& subject : subjects()) {
    Campaign campaign = CW_MUST(Campaign::begin(subject.name));
    const std::vector<Plan> singles = campaign.singles();
    for (uint64_t seed = 1; seed <= plans; ++seed) {
      const Plan random = campaign.random(seed);
      const Plan& single = singles[seed * 7919 % singles.size()];
      for (const Plan& plan : {random, single}) {
        INFO(to_text(plan));
        CHECK(verdict(campaign.try_plan(plan)) == "pass");
      }
    }
  }
}

}  // namespace
}  // namespace chartwright::sim
