// SPDX-License-Identifier: Apache-2.0
#include "console/why_reader.h"

#include "kube/api_status.h"

namespace chartwright::cmd {
namespace {

using diagnosis::Answer;
using diagnosis::Question;
using value::Value;

// More than that nobody reads at once, and each may cost eight requests.
constexpr size_t kChildrenMax = 10;

Answer answer_to(const Question& question, Connection& connection) {
  kube::ListOptions options;
  options.selection = {question.ns, question.label_selector, question.field_selector};
  options.limit = static_cast<int64_t>(question.limit);
  auto page = connection.client().list(question.gvk, options, connection.call());
  if (!page.ok()) {
    return {kube::lacks_right(page.error()) ? Answer::State::kForbidden
                                            : Answer::State::kUnavailable};
  }
  return {Answer::State::kListed, std::move(page->items), !page->continue_token.empty()};
}

void look_into(ChildReport& child, Connection& connection) {
  auto live = connection.client().get(child.ref, connection.call());
  if (!live.ok()) {
    child.error = live.error().message();
    return;
  }
  diagnosis::Diagnosis diagnosis(*std::move(live), diagnosis::kThoroughQuestions);
  while (const auto question = diagnosis.next()) {
    diagnosis.answer(*question, answer_to(*question, connection));
  }
  child.finding = diagnosis.finding();
}

}  // namespace

WhyReport read_why(const Value& cr, Connection& connection) {
  WhyReport report{summary_of(cr), unready_children(cr)};
  if (report.children.size() > kChildrenMax) {
    report.more = report.children.size() - kChildrenMax;
    report.children.resize(kChildrenMax);
  }
  for (ChildReport& child : report.children) {
    look_into(child, connection);
  }
  return report;
}

}  // namespace chartwright::cmd
