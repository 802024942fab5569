// SPDX-License-Identifier: Apache-2.0
#include "chart/rendered_text.h"

#include "base/strings.h"

namespace chartwright::chart {

bool prints_hook(const Hook& hook, const PrintOptions& options) {
  switch (options.hooks) {
    case PrintHooks::kAll:
      return true;
    case PrintHooks::kNoTests:
      return !hook.has_event("test");
    case PrintHooks::kNone:
      break;
  }
  return false;
}

std::string rendered_text(const Rendered& rendered, const PrintOptions& options) {
  std::string manifests;
  if (options.crds == PrintCrds::kInclude) {
    for (const Crd& crd : rendered.crds) {
      manifests += source_block(crd.path, crd.content);
    }
  }
  for (const Manifest& manifest : rendered.manifests) {
    manifests += source_block(manifest.path, manifest.content);
  }
  std::string out(base::trim(manifests));
  out += '\n';
  for (const Hook& hook : rendered.hooks) {
    if (prints_hook(hook, options)) {
      out += source_block(hook.path, hook.content);
    }
  }
  return out;
}

}  // namespace chartwright::chart
