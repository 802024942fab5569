// SPDX-License-Identifier: Apache-2.0
#include "sim/journal.h"

#include "kube/object.h"

namespace chartwright::sim {
namespace {

std::string_view word(Row::What what) {
  switch (what) {
    case Row::What::kCall:
      return "call";
    case Row::What::kCommit:
      return "commit";
    case Row::What::kAnswer:
      return "answer";
    case Row::What::kUser:
      return "user";
    case Row::What::kStart:
      return "start";
    case Row::What::kCrash:
      return "crash";
    case Row::What::kRest:
      return "rest";
  }
  return "";
}

}  // namespace

bool is_write(std::string_view call) {
  return !call.starts_with("get ") && !call.starts_with("list ") && call != "discover" &&
         !call.starts_with("dry-");
}

bool has_changed(const value::Value& before, const value::Value& after) {
  if (before.is_nil() || after.is_nil()) {
    return before.is_nil() != after.is_nil();
  }
  return kube::resource_version_of(before) != kube::resource_version_of(after);
}

std::string to_text(const Journal& journal) {
  std::string text;
  for (const Row& row : journal) {
    text += base::format_go_duration(row.at.time_since_epoch());
    for (const std::string_view part :
         {std::string_view(row.process), std::string_view(row.thread), word(row.what),
          std::string_view(row.call), std::string_view(row.error)}) {
      text += part.empty() ? "" : " ";
      text += part;
    }
    text += '\n';
  }
  return text;
}

}  // namespace chartwright::sim
