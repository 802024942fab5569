// SPDX-License-Identifier: Apache-2.0
#include "helm/render/rendered_text.h"

#include "base/strings.h"
#include "helm/render/stored_manifest.h"

namespace chartwright::helm {

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

std::string manifests_text(const Rendered& rendered, const PrintOptions& options) {
  std::string out;
  if (options.crds == PrintCrds::kInclude) {
    for (const Crd& crd : rendered.crds) {
      out += source_block(crd.path, crd.content);
    }
  }
  for (const Manifest& manifest : rendered.manifests) {
    out += source_block(manifest.path, manifest.content);
  }
  return out;
}

std::string hooks_text(const Rendered& rendered, const PrintOptions& options) {
  std::string out;
  for (const Hook& hook : rendered.hooks) {
    if (prints_hook(hook, options)) {
      out += source_block(hook.path, hook.content);
    }
  }
  return out;
}

std::string rendered_text(std::string_view manifests, std::string_view hooks) {
  return std::string(base::trim(manifests)) + "\n" + std::string(hooks);
}

}  // namespace chartwright::helm
