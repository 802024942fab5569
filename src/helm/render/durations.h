// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "helm/funcs/bind.h"

namespace chartwright::helm {

/// Adds Helm 4's functions for durations. Source: helm/helm v4.3 pkg/engine/funcs.go.
void add_durations(funcs::Table& table);

}  // namespace chartwright::helm
