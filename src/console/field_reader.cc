// SPDX-License-Identifier: Apache-2.0
#include "console/field_reader.h"

#include <utility>
#include <vector>

#include "cli/command.h"
#include "console/record_reader.h"
#include "host/capabilities.h"
#include "host/cluster_lookup.h"
#include "host/host.h"
#include "kube/object.h"
#include "origin/explain.h"
#include "report/summary.h"

namespace chartwright::cmd {
namespace {

using base::ErrorCode;
using value::Value;

/// The records in which the first revision with a value is looked for.
constexpr size_t kWalkedMax = 10;

/// Reads for one question, and hands what it reads to an explanation.
class FieldReader {
 public:
  FieldReader(const Value& cr, const std::string& chart, Connection& connection)
      : connection_(connection), chart_(chart), owner_(record_owner(cr, connection.ns())) {}

  base::Result<origin::FieldAnswer> answer(const Value& cr, const origin::Question& question);

 private:
  void read_child(origin::Subject& subject);
  void read_revision(origin::Subject& subject);
  base::Status trace(const origin::Subject& subject, origin::Explanation& explanation);
  void walk(const origin::Subject& subject, origin::Explanation& explanation);

  Connection& connection_;
  const std::string& chart_;
  const release::Owner owner_;
  std::vector<std::string> gaps_;
};

void FieldReader::read_child(origin::Subject& subject) {
  auto live = connection_.client().get(subject.child->ref, connection_.call());
  if (live.ok()) {
    subject.live = *std::move(live);
  } else if (live.error().code() != ErrorCode::kNotFound) {
    gaps_.push_back("the live object cannot be read: " + live.error().message());
  }
}

void FieldReader::read_revision(origin::Subject& subject) {
  if (subject.in_force == 0) {
    gaps_.emplace_back("no revision is in force yet");
    return;
  }
  if (owner_.release_namespace().empty()) {
    gaps_.emplace_back("the records are in the namespace of the operator, to be named by -n");
    return;
  }
  auto revision = load_record(owner_, subject.in_force, connection_);
  if (revision.ok()) {
    subject.revision = *std::move(revision);
  } else {
    gaps_.push_back(record_gap(revision.error(), owner_, "the values and the templates"));
  }
}

/// Runs on the stack of a render.
base::Status FieldReader::trace(const origin::Subject& subject, origin::Explanation& explanation) {
  CW_TRY(const auto chart, chart_.empty() ? origin::recorded_chart(*subject.revision)
                                          : helm::RenderableChart::load(chart_));
  CW_TRY(const auto capabilities,
         host::read_capabilities(connection_.mapper(), connection_.call()));
  host::SystemHost machine(connection_.clock());
  host::ClusterLookup lookup(connection_.client(), connection_.call());
  const helm::RenderContext context{
      .host = machine, .clock = connection_.clock(), .cluster = &lookup};
  return explanation.trace({chart, !chart_.empty(), capabilities, context});
}

void FieldReader::walk(const origin::Subject& subject, origin::Explanation& explanation) {
  origin::SinceSearch search = explanation.since_search();
  bool goes_on = search.add(*subject.revision);
  int64_t number = subject.in_force;
  for (size_t walked = 1; goes_on && walked < kWalkedMax && --number > 0; ++walked) {
    const auto revision = load_record(owner_, number, connection_);
    if (!revision.ok()) {
      break;  // Those before it are older than what the history keeps.
    }
    const base::Status read = on_render_stack([&]() -> base::Status {
      goes_on = search.add(*revision);
      return {};
    });
    goes_on = goes_on && read.ok();
  }
  explanation.add_since(search);
}

base::Result<origin::FieldAnswer> FieldReader::answer(const Value& cr,
                                                      const origin::Question& question) {
  const Summary summary = summary_of(cr);
  origin::Subject subject{
      cr, owner_.release_namespace(), {}, {}, question.field, summary.paused, summary.revision, {}};
  if (question.child) {
    const Value* children = cr.find_path({"status", "resources"});
    CW_TRY(subject.child,
           origin::find_child(*question.child, release::inventory_from_status(
                                                   children == nullptr ? Value() : *children)));
    read_child(subject);
  }
  read_revision(subject);
  std::optional<origin::Explanation> explanation;
  CW_TRY_VOID(on_render_stack([&]() -> base::Status {
    explanation.emplace(subject);
    return explanation->compare();
  }));
  for (const std::string& gap : gaps_) {
    explanation->add_gap(gap);
  }
  if (subject.revision) {
    const base::Status traced = on_render_stack([&] { return trace(subject, *explanation); });
    if (!traced.ok()) {
      explanation->add_gap(
          "the lines of the templates, as the chart cannot be rendered" +
          std::string(chart_.empty() ? " from the record (--chart gives all of it)" : "") + ": " +
          traced.error().message());
    }
    walk(subject, *explanation);
  }
  return explanation->answer();
}

}  // namespace

base::Result<origin::FieldAnswer> read_field(const Value& cr, const origin::Question& question,
                                             const std::string& chart, Connection& connection) {
  return FieldReader(cr, chart, connection).answer(cr, question);
}

}  // namespace chartwright::cmd
