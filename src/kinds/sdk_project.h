// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/watch.h"

namespace chartwright::kinds {

/// Returns the plurals that a file PROJECT of operator-sdk has, which are those that it would not
/// choose itself. None if the file cannot be read.
/// Source: kubernetes-sigs/kubebuilder pkg/config/v3/config.go.
std::map<kube::GroupKind, std::string> recorded_plurals(std::string_view project);

/// Gives the kinds of `watches` the plural and the scope that the project of operator-sdk around
/// `path`, a chart or a watches file, has for them: that of the CRD in its config/crd/bases, else
/// the plural in its file PROJECT. A plural in operator.yaml stays. The project is the nearest
/// folder above `path` that has one of the two, at most three levels up; without one, and for kinds
/// that it does not have, nothing changes.
void take_sdk_names(const std::string& path, std::vector<bundle::Watch>& watches);

}  // namespace chartwright::kinds
