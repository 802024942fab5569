// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "console/connection.h"
#include "release/owner.h"
#include "revision/record.h"
#include "value/value.h"

namespace chartwright::cmd {

/// Returns a live custom resource as the owner of its records. `home`: the namespace of the
/// operator, where those of a kind in no namespace are.
release::Owner record_owner(const value::Value& cr, const std::string& home);

/// Reads the Secret with the record of a revision. Blocks. Errors: those of the client.
base::Result<value::Value> read_secret(const release::Owner& owner, int64_t revision,
                                       Connection& connection);

/// Decodes the record of a revision within the memory of a render: its author may be anyone who may
/// write Secrets. Errors: those of release::decode_revision, and kParse if it is the record of
/// another revision.
base::Result<release::Revision> decode_record(const value::Value& secret, int64_t revision);

/// Reads and decodes the record of a revision. Blocks. Errors: those of read_secret; kOwnership if
/// another object controls the Secret; those of decode_record, with the number of the revision.
base::Result<release::Revision> load_record(const release::Owner& owner, int64_t revision,
                                            Connection& connection);

/// Returns the sentence about records that could not be read, and about what only they have.
std::string record_gap(const base::Error& error, const release::Owner& owner,
                       std::string_view content);

}  // namespace chartwright::cmd
