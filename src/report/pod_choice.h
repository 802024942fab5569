// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/object.h"
#include "report/why_report.h"
#include "value/value.h"

namespace chartwright::cmd {

/// Returns the pods that hold up a custom resource, the worst first, each once.
std::vector<kube::ObjectRef> failing_pods(const WhyReport& report);

/// Returns the container of a live pod whose log is most worth reading: an init container that has
/// not ended well, else one that is not ready, of these one that has ended before others, else the
/// one that an annotation for kubectl names, else the first. "" if the pod has none.
std::string container_to_read(const value::Value& pod);

/// Returns an error, with the names that there are, where the pod has no container of that name.
base::Status check_container(const value::Value& pod, const std::string& name);

/// The part of a log to read.
struct LogQuery {
  std::string container;
  int64_t lines = 0;
  int64_t bytes = 0;
  bool previous = false;  ///< The run before the last restart.
};
/// Returns what to ask for to read the last `lines` lines of each container of a live pod, `bytes`
/// at most, and the same of the run before, where there was one.
std::vector<LogQuery> logs_of(const value::Value& pod, int64_t lines, int64_t bytes);
/// Returns the path and query with which the API server gives the log of a pod.
std::string log_target(const kube::ObjectRef& pod, const LogQuery& query);

}  // namespace chartwright::cmd
