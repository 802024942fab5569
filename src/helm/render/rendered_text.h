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

/// Reports whether a hook is printed with these options.
bool prints_hook(const Hook& hook, const PrintOptions& options);

/// Returns the manifests, after the CRDs if they are included, each under its "# Source:". This is
/// the input of a post-renderer. Source: helm/helm v3 pkg/action/action.go renderResources.
std::string manifests_text(const Rendered& rendered, const PrintOptions& options);
/// Returns the hooks to print, each under its "# Source:".
std::string hooks_text(const Rendered& rendered, const PrintOptions& options);

/// Joins the two as `helm template` prints them. Source: helm/helm v3 cmd/helm/template.go.
std::string rendered_text(std::string_view manifests, std::string_view hooks);

}  // namespace chartwright::helm
