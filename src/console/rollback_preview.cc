// SPDX-License-Identifier: Apache-2.0
#include "console/rollback_preview.h"

#include <algorithm>
#include <utility>

#include "cli/command.h"
#include "console/record_reader.h"
#include "diff/print.h"
#include "diff/revisions.h"
#include "kube/api_status.h"
#include "subject/records.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

base::Result<release::Revision> load(const release::Owner& owner, int number,
                                     Connection& connection) {
  auto record = load_record(owner, number, connection);
  if (record.ok()) {
    return record;
  }
  const ErrorCode code = record.error().code();
  if (kube::lacks_right(record.error()) || (code == ErrorCode::kNotFound && owner.ns.empty())) {
    return Error(code, record_gap(record.error(), owner, "the manifests of the revisions"));
  }
  if (code == ErrorCode::kNotFound) {
    return Error(code, "the record of revision " + std::to_string(number) + " is missing");
  }
  return record;
}

/// Runs on the stack of a render: the author of a record may be anyone who may write Secrets.
base::Status compare(const release::Revision& from, const release::Revision& to,
                     std::string_view digest, std::string& text) {
  CW_TRY_VOID(op::check_digest(to, digest));
  CW_TRY(const diff::Report report, diff::compare_revisions(from, to));
  text = diff::to_text(report, diff::Color::kNo, diff::Unchanged::kHidden);
  return {};
}

std::string_view digest_in(const op::CrState& state, int number) {
  const auto line = std::ranges::find(state.history, number, &op::HistoryItem::revision);
  return line == state.history.end() ? std::string_view() : std::string_view(line->digest);
}

}  // namespace

base::Result<std::string> rollback_preview(const Value& cr, const op::CrState& state, int target,
                                           Connection& connection) {
  const release::Owner owner = record_owner(cr, connection.ns());
  if (owner.release_namespace().empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 "the records are in the namespace of the operator, to be named by -n");
  }
  CW_TRY(const release::Revision from, load(owner, state.progress.revision(), connection));
  CW_TRY(const release::Revision to, load(owner, target, connection));
  std::string text;
  CW_TRY_VOID(on_render_stack([&] { return compare(from, to, digest_in(state, target), text); }));
  return text;
}

}  // namespace chartwright::cmd
