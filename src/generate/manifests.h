// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bundle/watch.h"
#include "generate/access.h"
#include "generate/role.h"

namespace chartwright::generate {

/// The manifests of an operator, for `kubectl apply -k`.
struct Manifests {
  std::vector<GeneratedFile> files;
  std::vector<AccessNote> notes;
};

/// Returns namespace, CRDs, roles, Deployment, samples, roles for users, and the kustomizations
/// that list them; for views, Service and APIServices, too. Without watches, the Deployment serves
/// the views alone. Samples and roles for users are not listed. Errors: those of access_of and
/// crd_of.
base::Result<Manifests> manifests_of(const std::vector<bundle::Watch>& watches,
                                     const ServedViews& served, const Naming& naming);

/// Returns a Dockerfile that adds the watches file, the charts and the views to the operator's
/// image, and the library of gRPC if an external of a chart uses it.
std::string dockerfile(const std::vector<bundle::Watch>& watches, const ServedViews& served,
                       std::string_view base_image);

/// Returns a .dockerignore that leaves everything out of the context of that image but what it
/// copies.
std::string dockerignore(const std::vector<bundle::Watch>& watches, const ServedViews& served);

/// Returns a .gitignore for a project: editors' files, and what has credentials.
std::string gitignore();

/// Returns the file of a kind's sample: "samples/shop.yaml", or "samples/shop.GROUP.yaml" if a kind
/// of that name comes before it in `watches`.
std::string sample_path(const std::vector<bundle::Watch>& watches, const kube::Gvk& gvk);

/// Reports whether a file of the manifests has objects that are applied with the whole. Samples and
/// roles for users are applied where somebody chooses them.
bool is_applied(const GeneratedFile& file);

/// Reports whether a file is one that was generated, and may be replaced.
bool is_generated(std::string_view text);

}  // namespace chartwright::generate
