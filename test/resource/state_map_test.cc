// SPDX-License-Identifier: Apache-2.0
#include "resource/cr_state.h"

#include <catch2/catch.hpp>

#include "value/json.h"

namespace chartwright::op {
namespace {

value::Value cr(const std::string& uid, int revision) {
  return CW_MUST(value::parse_json(R"({"metadata":{"name":"w","uid":")" + uid +
                                       R"("},"status":{"revision":)" + std::to_string(revision) +
                                       "}}",
                                   value::Numbers::kInt64));
}

const kube::ObjectRef kRef{{"example.com", "v1", "Widget"}, "shop", "w"};

TEST_CASE("States that are cleared are read from the status again") {
  StateMap states;
  states.get(kRef, cr("u1", 3))->progress.take_over(9);
  states.clear();
  CHECK(states.get(kRef, cr("u1", 3))->progress.revision() == 3);
}

TEST_CASE("A state is read from the status once and then remembered") {
  StateMap states;
  const auto state = states.get(kRef, cr("u1", 3));
  CHECK(state->progress.revision() == 3);
  state->progress.take_over(4);
  CHECK(states.get(kRef, cr("u1", 3)) == state);
  CHECK(states.get(kRef, cr("u1", 3))->progress.revision() == 4);
}

TEST_CASE("A recreated custom resource has a state of its own") {
  StateMap states;
  const auto old = states.get(kRef, cr("u1", 3));
  const auto fresh = states.get(kRef, cr("u2", 0));
  CHECK(fresh->progress.revision() == 0);
  CHECK(fresh->uid == "u2");
  CHECK(old->progress.revision() == 3);  // A reconcile that still holds it may finish.
}

TEST_CASE("A state that is forgotten is read again") {
  StateMap states;
  states.get(kRef, cr("u1", 3))->progress.take_over(9);
  states.forget(kRef);
  states.forget(kRef);
  CHECK(states.get(kRef, cr("u1", 3))->progress.revision() == 3);
}

TEST_CASE("States of different custom resources are apart") {
  StateMap states;
  kube::ObjectRef other = kRef;
  other.ns = "elsewhere";
  CHECK(states.get(kRef, cr("u1", 1)) != states.get(other, cr("u2", 2)));
}

}  // namespace
}  // namespace chartwright::op
