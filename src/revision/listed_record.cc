// SPDX-License-Identifier: Apache-2.0
#include "revision/listed_record.h"

#include <algorithm>

#include "base/digest.h"
#include "base/strings.h"
#include "kube/metadata_list.h"

namespace chartwright::release {
namespace {

using value::Value;

// Helm's own limit on release names; longer custom resource names are cut and distinguished by a
// hash.
constexpr size_t kNameMax = 53;
constexpr size_t kNameHashChars = 9;
constexpr size_t kListedMax = 1000;

std::string secret_prefix(const std::string& cr_name) {
  return "sh.helm.release.v1." + record_name(cr_name) + ".v";
}

// The number of the revision that a Secret of that name holds; nullopt if it holds none.
std::optional<int> number_in(std::string_view name, const std::string& cr_name) {
  const std::string prefix = secret_prefix(cr_name);
  const auto number =
      name.starts_with(prefix) ? base::parse_int(name.substr(prefix.size())) : std::nullopt;
  const bool is_plausible = number && *number > 0 && *number <= kRevisionNumberMax;
  if (!is_plausible || name != record_secret_name(cr_name, static_cast<int>(*number))) {
    return std::nullopt;
  }
  return static_cast<int>(*number);
}

}  // namespace

std::string record_name(const std::string& cr_name) {
  if (cr_name.size() <= kNameMax) {
    return cr_name;
  }
  std::string head = cr_name.substr(0, kNameMax - kNameHashChars - 1);
  // A DNS label must not begin with the "-" before the hash.
  head.resize(head.find_last_not_of(".-") + 1);
  return head + "-" + base::sha256_hex(cr_name).substr(0, kNameHashChars);
}

std::string record_secret_name(const std::string& cr_name, int number) {
  return secret_prefix(cr_name) + std::to_string(number);
}

Holder holder_of(const Value& secret, const Owner& owner) {
  if (kube::is_owned_by(secret, owner.uid)) {
    return Holder::kUs;
  }
  for (const kube::OwnerReference& reference : kube::owner_references_of(secret)) {
    if (reference.controller) {
      const kube::Gvk gvk = kube::Gvk::from_api_version(reference.api_version, reference.kind);
      const bool is_namesake = gvk.group_kind() == owner.gvk.group_kind();
      return is_namesake && reference.name == owner.name ? Holder::kPredecessor : Holder::kOther;
    }
  }
  return Holder::kNobody;
}

base::Result<std::vector<ListedRecord>> list_records(kube::Client& client, const kube::Call& call,
                                                     const Owner& owner) {
  const kube::Gvk gvk{"", "v1", "Secret"};
  const kube::MetadataQuery query{
      .gvk = gvk,
      .selection = {owner.release_namespace(), "owner=helm,name=" + record_name(owner.name), ""},
      .objects_max = kListedMax};
  std::vector<ListedRecord> records;
  CW_TRY_VOID(kube::list_metadata(client, query, call, [&](const Value& secret) {
    const auto number = number_in(kube::name_of(secret), owner.name);
    if (!number) {
      return;
    }
    const Holder holder = holder_of(secret, owner);
    records.push_back({{gvk, owner.release_namespace(), std::string(kube::name_of(secret))},
                       *number,
                       holder,
                       holder == Holder::kOther ? describe_owner(secret) : "",
                       std::string(kube::label_of(secret, "status").value_or(""))});
  }));
  std::ranges::sort(records, std::greater(), &ListedRecord::number);
  return records;
}

}  // namespace chartwright::release
