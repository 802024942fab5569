// SPDX-License-Identifier: Apache-2.0
// `chartwright why`: why a custom resource is not ready, from it down to the cause.
#include <algorithm>

#include "console/commands.h"
#include "console/table.h"
#include "console/wanted.h"
#include "console/why_report.h"
#include "go/quote.h"
#include "kube/api_status.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
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

WhyReport report_on(const Value& cr, Connection& connection) {
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

class WhyCommand final : public Command {
 public:
  std::string_view name() const override { return "why"; }
  std::string_view summary() const override {
    return "Say why a custom resource is not ready, down to the pod, its events, and what to do";
  }
  void declare(FlagSet& flags) override {
    declare_place_flags(flags, place_);
    flags.text(output_, {.name = "output",
                         .letter = 'o',
                         .help = "text, json or yaml",
                         .takes = {.words = {"text", "json", "yaml"}}});
    flags.arguments(arguments_, "KIND/NAME|KIND NAME", "the custom resources");
  }
  base::Result<int> run(Streams& streams) override {
    if (output_ != "text" && output_ != "json" && output_ != "yaml") {
      return Error(ErrorCode::kInvalidArgument,
                   "--output: " + go::quote(output_) + " is not text, json or yaml");
    }
    CW_TRY(const auto connection, Connection::open(place_));
    CW_TRY(const auto refs, named_objects(arguments_, *connection));
    int code = kExitOk;
    std::vector<WhyReport> reports;
    for (const kube::ObjectRef& ref : refs) {
      const auto cr = connection->client().get(ref, connection->call());
      if (!cr.ok()) {
        print_error(cr.error(), streams);
        code = kExitError;
        continue;
      }
      reports.push_back(report_on(*cr, *connection));
    }
    CW_TRY_VOID(print(reports, connection->clock().wall(), streams));
    return code;
  }

 private:
  base::Status print(const std::vector<WhyReport>& reports, base::WallTime now,
                     Streams& streams) const {
    if (output_ == "text") {
      for (const WhyReport& report : reports) {
        streams.tell((&report == &reports.front() ? "" : "\n") + text_of(report, now));
      }
      return {};
    }
    std::vector<Value> items;
    std::ranges::transform(reports, std::back_inserter(items),
                           [](const WhyReport& report) { return to_value(report); });
    CW_TRY(const std::string text,
           document_of(std::move(items), output_ == "json" ? DataForm::kJson : DataForm::kYaml));
    streams.out(text);
    return {};
  }

  PlaceFlags place_;
  std::vector<std::string> arguments_;
  std::string output_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_why_command() { return std::make_unique<WhyCommand>(); }

}  // namespace chartwright::cmd
