// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "funcs/bind.h"

namespace chartwright::chart {

/// Helm 4's functions of durations. Source: helm/helm v4.3 pkg/engine/funcs.go.
void add_durations(funcs::Table& table);

}  // namespace chartwright::chart
