// SPDX-License-Identifier: Apache-2.0
#include "console/report_draft.h"

#include <utility>

#include "console/event_search.h"
#include "console/pod_log.h"
#include "kube/api_status.h"
#include "report/event_line.h"
#include "report/pod_choice.h"
#include "report/table.h"

namespace chartwright::cmd {
namespace {

using value::Value;

constexpr int64_t kReportedLines = 10'000;
constexpr int64_t kReportedLogBytes = int64_t{1} << 20;

}  // namespace

ReportDraft::Path path_of(const kube::ObjectRef& ref, std::string_view ending) {
  return {ref.group_kind().to_string(), ref.ns.empty() ? "_cluster" : ref.ns,
          ref.name + std::string(ending)};
}

ReportDraft::Path below(const ReportDraft::Path& folder, const ReportDraft::Path& path) {
  ReportDraft::Path joined = folder;
  joined.insert(joined.end(), path.begin(), path.end());
  return joined;
}

std::string read_gap(const kube::ObjectRef& ref, const base::Error& error) {
  if (kube::lacks_right(error)) {
    return "no right to get " + ref.to_string();
  }
  return ref.to_string() + " could not be read: " + error.message();
}

std::optional<Value> ReportDraft::read(const kube::ObjectRef& ref) {
  auto object = connection_.client().get(ref, connection_.call());
  if (!object.ok()) {
    files_.gap(read_gap(ref, object.error()));
    return std::nullopt;
  }
  return *std::move(object);
}

void ReportDraft::add_object(const Path& path, const Value& object) {
  const kube::ObjectRef ref = kube::ref_of(object);
  secrets_.show_names(ref);
  if (kube::is_secret(ref.gvk)) {
    secrets_.learn(object);
  }
  files_.add_object(path, redacted(object));
}

void ReportDraft::add_logs(const Path& folder, const Value& pod) {
  const kube::ObjectRef ref = kube::ref_of(pod);
  for (const LogQuery& query : logs_of(pod, kReportedLines, kReportedLogBytes)) {
    auto log = read_log(ref, query, connection_);
    const std::string which = "the log of container " + query.container + " of " + ref.to_string() +
                              (query.previous ? ", the run before," : "");
    if (!log.ok()) {
      files_.gap(which + " could not be read: " + log.error().message());
      continue;
    }
    if (log->size() >= static_cast<size_t>(kReportedLogBytes)) {
      files_.gap(which + " was cut after " + std::to_string(kReportedLogBytes) + " bytes");
      log->resize(log->find_last_of('\n', log->size() - 2) + 1);  // The last line may be cut.
    }
    files_.add(below(folder, {ref.name + "." + query.container +
                              (query.previous ? ".previous.log" : ".log")}),
               *std::move(log), Keep::kEnd);
  }
}

void ReportDraft::add_tree(TreeReport tree) {
  const kube::ObjectRef ref = tree.tree.nodes().front().ref;
  for (const std::string& gap : tree.gaps) {
    files_.gap(ref.to_string() + ": " + gap);
  }
  tree.gaps.clear();
  trees_.push_back(std::move(tree));
}

void ReportDraft::add_events() {
  EventSearch search(std::exchange(trees_, {}), connection_);
  Table table(event_header(true));
  for (const EventLine& line : search.list()) {
    table.add(event_row(line, true));
  }
  for (const std::string& gap : search.gaps()) {
    files_.gap(gap);
  }
  files_.add({"events.txt"}, table.text());
}

}  // namespace chartwright::cmd
