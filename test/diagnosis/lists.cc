// SPDX-License-Identifier: Apache-2.0
#include "test/diagnosis/lists.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "kube/label_selector.h"
#include "kube/object.h"

namespace chartwright::diagnosis {
namespace {

using value::Value;

bool field_matches(const Value& object, std::string_view selector) {
  const size_t equals = selector.find('=');
  const std::string_view value = selector.substr(equals + 1);
  const bool by_name = selector.starts_with("metadata.name=");
  REQUIRE((by_name || selector.starts_with("involvedObject.uid=") || selector.empty()));
  return selector.empty() || (by_name ? kube::name_of(object) == value
                                      : object.string_at({"involvedObject", "uid"}) == value);
}

}  // namespace

Answer Lists::answer(const Question& question) const {
  REQUIRE((!question.label_selector.empty() || !question.field_selector.empty()));
  const auto labels = CW_MUST(kube::LabelSelector::parse(question.label_selector));
  if (forbidden.contains(question.gvk.kind)) {
    return {Answer::State::kForbidden};
  }
  Answer answer;
  const auto found = objects.find(question.gvk.kind);
  for (const Value& one : found == objects.end() ? std::vector<Value>() : found->second) {
    if (kube::namespace_of(one) == question.ns && labels.matches(one) &&
        field_matches(one, question.field_selector)) {
      answer.cut = answer.objects.size() == question.limit;
      if (!answer.cut) {
        answer.objects.push_back(one);
      }
    }
  }
  return answer;
}

Run run(const Value& child, const Lists& lists, size_t max_questions) {
  Run run;
  Diagnosis diagnosis(child, max_questions);
  while (const auto question = diagnosis.next()) {
    REQUIRE(run.asked.size() < max_questions);
    REQUIRE(diagnosis.next() == question);
    run.asked.push_back(*question);
    diagnosis.answer(*question, lists.answer(*question));
  }
  run.finding = diagnosis.finding();
  return run;
}

}  // namespace chartwright::diagnosis
