// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace chartwright::cmd {

/// The flags that manifests were generated with, as far as these say.
struct RecordedFlags {
  std::optional<std::string> name;
  std::optional<std::string> ns;
  std::optional<std::vector<std::string>> watched;
  std::optional<std::string> views;  ///< Folder; only of an operator with charts.
  bool reviews_access = false;       ///< Only of a server of views.
  std::optional<std::string> image;
  std::optional<std::string> tag;
};

/// Returns what the files manager/deployment.yaml and manager/kustomization.yaml say. Error:
/// kParse.
base::Result<RecordedFlags> recorded_flags(std::string_view deployment,
                                           std::string_view kustomization);

/// Returns the domain of the groups of a project of operator-sdk, as its file PROJECT says; "" if
/// it does not. Error: kParse with file:line:column.
base::Result<std::string> recorded_domain(const std::string& project);

/// Returns the image that a Dockerfile begins with; "" if it does not say.
std::string recorded_base(std::string_view dockerfile);

}  // namespace chartwright::cmd
