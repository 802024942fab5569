// SPDX-License-Identifier: Apache-2.0
#include "console/why_reader.h"

namespace chartwright::cmd {
namespace {

using value::Value;

// More than that nobody reads at once, and each may cost eight requests.
constexpr size_t kChildrenMax = 10;

void look_into(ChildReport& child, Connection& connection) {
  auto live = connection.client().get(child.ref, connection.call());
  if (!live.ok()) {
    child.error = live.error().message();
    return;
  }
  diagnosis::Diagnosis diagnosis(*std::move(live), diagnosis::kThoroughQuestions);
  while (const auto question = diagnosis.next()) {
    diagnosis.answer(*question,
                     diagnosis::answer_of(connection.client().list(
                         question->gvk, diagnosis::list_options(*question), connection.call())));
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
