// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "bundle/watch.h"
#include "doctor/doctor.h"
#include "generate/access.h"
#include "generate/role.h"
#include "kube/client.h"

namespace chartwright::doctor {

/// An API server that is asked, and the limits of each request to it.
struct Server {
  kube::Client& client;
  const kube::Call& call;
  base::Clock& clock;  ///< On which is waited for what the server has, but does not tell yet.
};

/// Sets the account of `naming` to that of the caller, if that is a service account.
/// Blocks.
void name_caller(generate::Naming& naming, kube::Client& client, const kube::Call& call);

/// Returns the faults of a cluster: kinds of `watches` that the API server does not serve and
/// publish as the operator needs them, and rights of `access` that its caller lacks in the watched
/// namespaces (SelfSubjectAccessReview).
///
/// Resources have the names and the scope that the server says they have, whatever `access` takes
/// them to be. A CRD is read if the caller may; else what the server publishes of it is, which may
/// come seconds after the CRD: that is waited for, and a fault if it does not come. No fix gives a
/// caller that has its rights in its own namespace those in all.
/// Errors: those of the client. Blocks.
base::Result<std::vector<Complaint>> check_cluster(const std::vector<bundle::Watch>& watches,
                                                   const generate::Access& access,
                                                   const generate::Naming& naming,
                                                   const Server& server);

}  // namespace chartwright::doctor
