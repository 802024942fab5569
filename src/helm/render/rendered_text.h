// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "helm/render/inputs.h"

namespace chartwright::helm {

enum class PrintCrds : uint8_t { kOmit, kInclude };
enum class PrintHooks : uint8_t { kAll, kNoTests, kNone };

struct PrintOptions {
  PrintCrds crds = PrintCrds::kOmit;
  PrintHooks hooks = PrintHooks::kAll;
};

/// Whether a hook is printed under these options.
bool prints_hook(const Hook& hook, const PrintOptions& options);

/// The CRDs, if asked for, and the manifests, each under its "# Source:": what a post-renderer
/// gets. Source: helm/helm v3 pkg/action/action.go renderResources.
std::string manifests_text(const Rendered& rendered, const PrintOptions& options);
/// The hooks that are printed, each under its "# Source:".
std::string hooks_text(const Rendered& rendered, const PrintOptions& options);

/// What `helm template` prints of the two. Source: helm/helm v3 cmd/helm/template.go.
std::string rendered_text(std::string_view manifests, std::string_view hooks);

}  // namespace chartwright::helm
