// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "kube/client.h"

namespace chartwright::process {

/// Where the master key of the operator's signatures is kept (base/signer.h). All replicas, and all
/// operators that divide one kind, need the same.
struct KeyPlace {
  /// The Secret, which only the operator may read; without a name: there is none.
  kube::ObjectRef secret;
  std::string folder;  ///< The folder of the file "master-key", where there is no Secret; "": none.
};

/// The type of the Secret, which nobody can change: no template is shown such a Secret.
inline constexpr std::string_view kMasterKeyType = "chartwright.io/master-key";

/// The name of the Secret, unless it is given.
inline constexpr std::string_view kKeySecretName = "chartwright-master-key";

/// Returns the master key, which is made if there is none. Waits for an API server that does not
/// answer. Without a right, or a place, to keep it the key is made for this process alone, with a
/// warning: then nothing that an earlier process has signed is believed. Errors: kInvalidArgument
/// where the place has something else than a key; kCancelled.
base::Result<std::string> obtain_master_key(kube::Client& client, const KeyPlace& place,
                                            base::Clock& clock, const base::Logger& log,
                                            const std::stop_token& stop);

}  // namespace chartwright::process
