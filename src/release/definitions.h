// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "kube/client.h"
#include "release/definition.h"

namespace chartwright::release {

/// What is done with the CRDs of a chart's crds/ folders. None is ever owned or deleted.
enum class DefinitionPolicy : uint8_t {
  kCreate,          ///< Those that are missing are created.
  kCreateOrUpdate,  ///< And those that are there brought to what the chart says.
  kSkip,            ///< Nothing.
};

/// What came of it.
struct DefinitionReport {
  std::vector<std::string> awaited;  ///< Names of those that are not established yet.
  std::vector<std::string>
      held;  ///< Updates that were refused, each with the reason and a way out.
};

/// Brings CRDs into the cluster for everybody. Blocks; serves one reconcile.
///
/// Errors: kForbidden with the rule that the operator's role lacks as help, kOwnership where
/// another CRD has the names, those of `before_create`, and whatever the client reports. A CRD that
/// somebody else creates at the same time is as good as ours.
class Definitions {
 public:
  /// The references must outlive it. `before_create` is asked before anything is created.
  Definitions(kube::Client& client, const kube::Call& call, DefinitionPolicy policy,
              const base::Logger& log, std::function<base::Status()> before_create);

  base::Result<DefinitionReport> install(const std::vector<Definition>& wanted);
  /// Gives a CRD up that `owner` holds: it stays, as nobody's. One that is gone, or another's, is
  /// left alone. Errors: kConflict where it changes meanwhile, and those of the client.
  base::Status release(const kube::ObjectRef& ref, const Owner& owner);

 private:
  base::Status install_one(const Definition& wanted, DefinitionReport& report);
  base::Status create(const Definition& wanted);
  base::Result<value::Value> update(const Definition& wanted, value::Value live,
                                    DefinitionReport& report);
  bool is_served(const Definition& wanted);

  kube::Client& client_;
  const kube::Call& call_;
  const DefinitionPolicy policy_;
  const base::Logger& log_;
  const std::function<base::Status()> before_create_;
};

}  // namespace chartwright::release
