// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/client.h"

namespace chartwright::doctor {

enum class FieldCheck : uint8_t {
  kYes,
  kNo,  ///< --disable-openapi-validation
};
enum class Ownership : uint8_t {
  kOurs,    ///< Objects that exist must belong to the release.
  kAny,     ///< --take-ownership: objects that exist are adopted.
  kUnasked  ///< Not checked: an upgrade finds its own objects.
};

/// Options for the checks that `helm install` makes before it writes anything.
struct InstallCheck {
  std::string release;
  std::string ns;  ///< The namespace of the release, and of objects that name none.
  FieldCheck fields = FieldCheck::kYes;
  Ownership ownership = Ownership::kOurs;
};

/// Checks that the server of `client` serves the kind of every object in `manifests` (YAML
/// documents), that their metadata can be read, and that none belongs to another release. Writes
/// nothing. Errors: kInvalidArgument ("unable to build kubernetes objects from release manifest:
/// ..."), kOwnership ("Unable to continue with install: ..."), those of the client. Blocks.
/// Source: helm/helm v3 pkg/action/install.go RunWithContext, pkg/action/validate.go,
/// k8s.io/cli-runtime pkg/resource/visitor.go.
base::Status check_install(std::string_view manifests, const InstallCheck& check,
                           kube::Client& client, const kube::Call& call);

}  // namespace chartwright::doctor
