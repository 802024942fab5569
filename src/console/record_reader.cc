// SPDX-License-Identifier: Apache-2.0
#include "console/record_reader.h"

#include "base/printable.h"
#include "cli/command.h"
#include "kube/api_status.h"
#include "kube/object.h"
#include "revision/listed_record.h"
#include "revision/revision.h"

namespace chartwright::cmd {

using base::Error;
using base::ErrorCode;
using value::Value;

release::Owner record_owner(const Value& cr, const std::string& home) {
  const kube::ObjectRef ref = kube::ref_of(cr);
  return {ref.gvk, ref.ns, ref.name, std::string(kube::uid_of(cr)), home};
}

base::Result<Value> read_secret(const release::Owner& owner, int64_t revision,
                                Connection& connection) {
  const std::string name = release::record_secret_name(owner.name, static_cast<int>(revision));
  return connection.client().get({{"", "v1", "Secret"}, owner.release_namespace(), name},
                                 connection.call());
}

base::Result<release::Revision> decode_record(const Value& secret, int64_t revision) {
  release::Revision decoded;
  CW_TRY_VOID(on_render_stack([&]() -> base::Status {
    CW_TRY(decoded, release::decode_revision(secret));
    return {};
  }));
  if (decoded.number != revision) {
    return Error(ErrorCode::kParse, "the record of another revision");
  }
  return decoded;
}

base::Result<release::Revision> load_record(const release::Owner& owner, int64_t revision,
                                            Connection& connection) {
  CW_TRY(const Value secret, read_secret(owner, revision, connection));
  if (release::holder_of(secret, owner) != release::Holder::kUs) {
    return Error(ErrorCode::kOwnership, "the record of revision " + std::to_string(revision) +
                                            " belongs to another object, and is not read");
  }
  auto decoded = decode_record(secret, revision);
  return decoded.ok() ? std::move(decoded)
                      : std::move(decoded).error().wrap("the record of revision " +
                                                        std::to_string(revision) + " is damaged");
}

std::string record_gap(const Error& error, const release::Owner& owner, std::string_view content) {
  const std::string& ns = owner.release_namespace();
  if (error.code() == ErrorCode::kNotFound) {
    return "no records in " + ns + ": they are in the namespace of the operator, to be named by -n";
  }
  if (kube::lacks_right(error)) {
    return "no right to get Secrets in " + ns + ", which have " + std::string(content);
  }
  return base::printable(error.message());
}

}  // namespace chartwright::cmd
