// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client.h"
#include "release/owner.h"

namespace chartwright::release {

/// Far more than counting can reach: a larger number is from a damaged or foreign record.
inline constexpr int64_t kRevisionNumberMax = 1'000'000'000;

/// Returns the name of the release of a custom resource: its own, cut to what Helm takes.
std::string record_name(const std::string& cr_name);
/// Returns the name of the Secret that holds a revision.
std::string record_secret_name(const std::string& cr_name, int number);

/// Who controls a record.
enum class Holder : uint8_t {
  kUs,
  kNobody,
  kPredecessor,  ///< A custom resource of the same name that was deleted; its records will follow.
  kOther,
};
Holder holder_of(const value::Value& secret, const Owner& owner);

/// A record, as its metadata describes it.
struct ListedRecord {
  kube::ObjectRef ref;
  int number = 0;  ///< The number in the name of its Secret.
  Holder holder = Holder::kNobody;
  std::string controller;  ///< For people, if that is another object.
  std::string status;      ///< The status in its label.
};

/// Returns the records of a custom resource's name, newest first. Their contents stay where they
/// are: anyone who may write Secrets can write many large ones. Blocks. Errors: kBudget if there
/// are a hundred times what Helm keeps, and those of kube::list_metadata.
base::Result<std::vector<ListedRecord>> list_records(kube::Client& client, const kube::Call& call,
                                                     const Owner& owner);

}  // namespace chartwright::release
