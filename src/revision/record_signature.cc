// SPDX-License-Identifier: Apache-2.0
#include "revision/record_signature.h"

#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "value/json.h"

namespace chartwright::release {
namespace {

using value::Value;

std::string_view purpose_of(Reach reach) {
  return reach == Reach::kEverything ? "release" : "release in its own namespace";
}

// A record gives numbers back as floats, so that large ones print otherwise.
base::Result<Value> as_recorded(const Value& values) {
  CW_TRY(const std::string json, value::to_json(values, value::JsonEscape::kNone));
  return value::parse_json(json, value::Numbers::kFloat64);
}

base::Result<std::string> signed_text(const Revision& revision) {
  std::vector<Value> members = {Value::integer(revision.number),
                                Value::string(base::hex_encode(revision.key)),
                                Value::string(revision.manifest)};
  if (revision.reach == Reach::kEverything) {
    CW_TRY(Value config, as_recorded(revision.config));
    members.push_back(std::move(config));
    members.push_back(Value::string(revision.notes));
    members.push_back(hooks_to_record(revision.hooks));
  }
  return value::to_json(Value::list(std::move(members)), value::JsonEscape::kNone);
}

}  // namespace

base::Result<std::string> record_signature(const Revision& revision, const base::Signer& signer) {
  CW_TRY(const std::string text, signed_text(revision));
  return signer.sign(purpose_of(revision.reach), text);
}

base::Result<std::optional<Reach>> verified_reach(const Revision& revision,
                                                  const base::Signer& signer) {
  if (revision.signature.empty()) {
    return std::optional<Reach>();
  }
  Revision claimed = revision;
  for (const Reach reach : {Reach::kEverything, Reach::kOwnNamespace}) {
    claimed.reach = reach;
    CW_TRY(const std::string text, signed_text(claimed));
    CW_TRY(const bool verifies, signer.verifies(purpose_of(reach), text, revision.signature));
    if (verifies) {
      return std::optional(reach);
    }
  }
  return std::optional<Reach>();
}

}  // namespace chartwright::release
