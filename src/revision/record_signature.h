// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/signer.h"
#include "revision/record.h"

namespace chartwright::release {

/// Returns the signature of a revision's record: of its number, manifest and digest key, and of its
/// values, notes and hooks if its reach is Reach::kEverything. Its status and description, which
/// change later, are not signed. Errors: those of value::to_json and of the signer.
base::Result<std::string> record_signature(const Revision& revision, const base::Signer& signer);

/// Returns how far the signature of a record reaches; nullopt if it has none that verifies, since
/// somebody else wrote or changed it. Errors: as record_signature.
base::Result<std::optional<Reach>> verified_reach(const Revision& revision,
                                                  const base::Signer& signer);

}  // namespace chartwright::release
