// SPDX-License-Identifier: Apache-2.0
#include "resource/status_signature.h"

#include <string>
#include <utility>
#include <vector>

#include "release/inventory.h"
#include "value/json.h"

namespace chartwright::op {
namespace {

using value::Value;

constexpr std::string_view kPurpose = "status";
constexpr std::string_view kMember = "signature";

// The part that others could misuse: which objects are ours, and which are not to be created again
// or repaired.
// Other digests and states are left out, as they only say what we have seen.
base::Result<std::string> signed_text(const Value& status) {
  std::vector<Value> objects;
  const Value* resources = status.find("resources");
  for (const auto& [ref, entry] :
       release::inventory_from_status(resources ? *resources : Value())) {
    std::vector<Value> item;
    for (const std::string* part :
         {&ref.gvk.group, &ref.gvk.version, &ref.gvk.kind, &ref.ns, &ref.name}) {
      item.push_back(Value::string(*part));
    }
    item.push_back(Value::boolean(entry.role == release::Role::kPartial));
    item.push_back(Value::boolean(entry.unverified));
    if (entry.ending) {
      item.push_back(Value::string(health::to_text(*entry.ending)));
      item.push_back(Value::string(entry.desired));
    }
    if (entry.drift.ignored) {
      item.push_back(
          Value::string(entry.drift.asked ? "drift ignored by request" : "drift ignored"));
    }
    objects.push_back(Value::list(std::move(item)));
  }
  const Value* externals = status.find("externals");
  return value::to_json(
      Value::list({Value::list(std::move(objects)), externals ? *externals : Value()}),
      value::JsonEscape::kNone);
}

}  // namespace

base::Result<Value> signed_status(const Value& status, const base::Signer& signer) {
  CW_TRY(const std::string text, signed_text(status));
  CW_TRY(const std::string signature, signer.sign(kPurpose, text));
  Value with_signature = Value::dict();
  for (const auto& [key, member] : status.as_dict()) {
    with_signature.mutable_dict().set(key, member);
  }
  with_signature.mutable_dict().set(kMember, Value::string(signature));
  return with_signature;
}

base::Result<bool> is_signed(const Value& status, const base::Signer& signer) {
  CW_TRY(const std::string text, signed_text(status));
  return signer.verifies(kPurpose, text, status.string_at({kMember}));
}

}  // namespace chartwright::op
