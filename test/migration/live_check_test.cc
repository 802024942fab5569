// SPDX-License-Identifier: Apache-2.0
#include "migration/live_check.h"

#include <catch2/catch.hpp>

namespace chartwright::cmd {
namespace {

diff::Member shop() { return {{{"example.com", "v1", "Shop"}, "team", "one"}, {}}; }

}  // namespace

TEST_CASE("A custom resource goes on, changes, or fails") {
  diff::Member member = shop();
  CHECK(finding_of(member).grade == Grade::kOk);
  CHECK(finding_of(member).text == "Shop.example.com team/one goes on, and no object changes");
  member.report.notes = {"the custom resource is paused"};
  CHECK(finding_of(member).grade == Grade::kWarn);
  member.report.objects.resize(2);
  member.report.objects[0].fate = diff::Fate::kApply;
  member.report.objects[1].fate = diff::Fate::kOwnership;
  const Finding changed = finding_of(member);
  CHECK(changed.grade == Grade::kWarn);
  CHECK(changed.text == "Shop.example.com team/one: 1 object would change");
  CHECK(changed.fix == "chartwright diff Shop/one -n team");
  member.report.failure = base::Error(base::ErrorCode::kTemplate, "password is hunter2");
  member.report.secrets.add_text("hunter2");
  const Finding failed = finding_of(member);
  CHECK(failed.grade == Grade::kFail);
  CHECK(failed.text == "Shop.example.com team/one: the reconcile would fail: password is ***");
}

}  // namespace chartwright::cmd
