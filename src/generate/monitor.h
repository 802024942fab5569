// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "generate/role.h"

namespace chartwright::generate {

/// Returns the words for the objects that tell Prometheus of an operator: "none", "pod", "service".
std::vector<std::string> monitor_words();

/// Returns the objects that tell the Prometheus Operator where the metrics are: a PodMonitor, or a
/// Service with a ServiceMonitor; none for "none".
std::vector<GeneratedFile> monitor_files(const Naming& naming);

/// Returns the folder of these objects for one of the words: "pod-monitor".
std::string monitor_folder(const std::string& monitor);

/// Returns the word for the objects that the topmost kustomization of an earlier run lists; "none"
/// for "".
std::string recorded_monitor(std::string_view kustomization);

}  // namespace chartwright::generate
