// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "chart/engine.h"

namespace chartwright::chart {

enum class PrintCrds : uint8_t { kOmit, kInclude };
enum class PrintHooks : uint8_t { kAll, kNoTests, kNone };

struct PrintOptions {
  PrintCrds crds = PrintCrds::kOmit;
  PrintHooks hooks = PrintHooks::kAll;
};

/// Whether a hook is printed under these options.
bool prints_hook(const Hook& hook, const PrintOptions& options);

/// A render as `helm template` prints it: CRDs, manifests, then hooks, each under its "# Source:".
/// Source: helm/helm v3 cmd/helm/template.go.
std::string rendered_text(const Rendered& rendered, const PrintOptions& options);

}  // namespace chartwright::chart
