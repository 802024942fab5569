// SPDX-License-Identifier: Apache-2.0
#include "health/readiness.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <string_view>

#include "base/unicode.h"
#include "health/ready_state.h"
#include "test/cases/case_tests.h"
#include "test/document_table.h"
#include "test/value/json_text.h"
#include "yaml/yaml.h"

namespace chartwright::health {
namespace {

using value::testing::json;

std::string text_of(const Readiness& readiness) {
  return std::string(to_string(readiness.state)) + (readiness.message.empty() ? "" : ": ") +
         readiness.message + "\n";
}

// Returns our word for a state of kstatus; "" for Unknown, for which we have none.
std::string_view state_of(std::string_view kstatus) {
  const std::string_view state = kstatus.substr(0, kstatus.find_first_of(":\n"));
  if (state == "Current") {
    return "Ready";
  }
  if (state == "InProgress") {
    return "Progressing";
  }
  return state == "Failed" || state == "Terminating" ? state : "";
}

void check_readiness(const cases::CaseFile& file, const cases::Case& one) {
  REQUIRE(file.engine == "kstatus");
  REQUIRE(one.sections.size() >= 3);
  CHECK(one.sections.front().name == "object");
  const auto object = yaml::parse_yaml(*one.find("object"), value::Numbers::kInt64);
  REQUIRE(object.ok());
  const Readiness found = readiness_of(*object);
  CHECK(text_of(found) == *one.find("want"));
  CHECK(found.message.size() <= Readiness::kMessageBytesMax);
  CHECK((found.state == ReadyState::kReady) == found.message.empty());

  const bool differs = state_of(*one.find("kstatus")) != to_string(found.state);
  const std::string* why = one.find("why");
  INFO("a state that is not that of kstatus needs a section `why`, and only such a state has one");
  CHECK(differs == (why != nullptr && !why->empty()));
}

// The oracle writes what kstatus says of each object; the rest is written by hand.
const bool kReadinessRegistered = cases::register_case_files("readiness", check_readiness);

TEST_CASE("States have the words that the status shows") {
  CHECK(to_string(ReadyState::kReady) == "Ready");
  CHECK(to_string(ReadyState::kProgressing) == "Progressing");
  CHECK(to_string(ReadyState::kFailed) == "Failed");
  CHECK(to_string(ReadyState::kTerminating) == "Terminating");
}

TEST_CASE("The documentation has each kind that has a rule, and no other") {
  std::set<std::string> documented;
  for (const auto& row : document_rows("docs/operate/readiness.md", "| kind | ready | failed |")) {
    for (const std::string& kind : code_spans(row.front())) {
      INFO(kind);
      CHECK(documented.insert(kind).second);
    }
  }
  std::set<std::string> judged;
  for (const kube::GroupKind& kind : kinds_with_rule()) {
    judged.insert(kind.kind);
  }
  CHECK(judged.size() == kinds_with_rule().size());
  CHECK(documented == judged);
}

TEST_CASE("A message is cut at a whole character, however long it is") {
  for (const std::string& part : {std::string("a"), std::string("\u00e9"), std::string("\x01"),
                                  std::string("\xff"), std::string("\n"), std::string(" ")}) {
    std::string message = "x";
    for (int i = 0; i < 100'000; ++i) {
      message += part;
    }
    const value::Value object = value::Value::dict(
        {{"status", value::Value::dict(
                        {{"conditions", value::Value::list({value::Value::dict(
                                            {{"type", value::Value::string("Ready")},
                                             {"status", value::Value::string("False")},
                                             {"reason", value::Value::string(message)},
                                             {"message", value::Value::string(message)}})})}})}});
    const std::string text = readiness_of(object).message;
    CHECK(text.size() <= Readiness::kMessageBytesMax);
    CHECK(base::is_valid_utf8(text));
    CHECK(std::ranges::none_of(text, [](char c) { return c == '\n' || c == '\x01'; }));
  }
}

TEST_CASE("A document that is not a dict is ready") {
  for (const char* text : {"null", "7", "[]", "\"Pod\"", "{}"}) {
    CHECK(readiness_of(json(text)).state == ReadyState::kReady);
  }
}

}  // namespace
}  // namespace chartwright::health
