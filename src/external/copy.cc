// SPDX-License-Identifier: Apache-2.0
#include "external/copy.h"

#include "base/digest.h"
#include "value/json.h"

namespace chartwright::external {
namespace {

using value::Value;

constexpr std::string_view kPurpose = "externals";
constexpr std::string_view kRecords = "records";
constexpr std::string_view kSignature = "signature";

/// Returns a member of a Secret's data; "" for one that is missing or no base64.
std::string decoded(const Value& secret, std::string_view key) {
  return base::base64_decode(secret.string_at({"data", key})).value_or("");
}

}  // namespace

std::string copy_name(const kube::ObjectRef& owner) {
  constexpr size_t kDigits = 20;
  const std::string identity = owner.group_kind().to_string() + " " + owner.ns + "/" + owner.name;
  return std::string(kCopyPrefix) + base::sha256_hex(identity).substr(0, kDigits);
}

base::Result<Value> copy_data(const Records& records, const base::Signer* signer) {
  const Value all = to_status(records);
  CW_TRY(const std::string text,
         value::to_json(all.is_nil() ? Value::dict() : all, value::JsonEscape::kNone));
  std::string signature;
  if (signer != nullptr) {
    CW_TRY(signature, signer->sign(kPurpose, text));
  }
  return Value::dict({{kRecords, Value::string(base::base64_encode(text))},
                      {kSignature, Value::string(base::base64_encode(signature))}});
}

base::Result<Copy> read_copy(const Value& secret, const base::Signer* signer) {
  Copy copy;
  const std::string text = decoded(secret, kRecords);
  const auto parsed = value::parse_json(text, value::Numbers::kInt64);
  copy.is_readable = parsed.ok() && parsed->is_dict();
  if (copy.is_readable) {
    copy.records = read_records(*parsed);
  }
  if (copy.is_readable && signer != nullptr) {
    CW_TRY(copy.is_vouched_for, signer->verifies(kPurpose, text, decoded(secret, kSignature)));
  }
  return copy;
}

}  // namespace chartwright::external
