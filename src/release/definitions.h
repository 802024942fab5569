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
#include "release/owner.h"

namespace chartwright::release {

/// How to treat the CRDs of a chart's crds/ folders. They are never owned or deleted.
enum class DefinitionPolicy : uint8_t {
  kCreate,          ///< Create those that are missing.
  kCreateOrUpdate,  ///< Also update existing ones to match the chart.
  kSkip,            ///< Do nothing.
};

/// Where the CRDs come from.
struct DefinitionSource {
  DefinitionPolicy policy = DefinitionPolicy::kCreate;
  kube::LabelValue chart;  ///< The name of the chart.
  Owner owner = {};        ///< The custom resource whose chart that is.
};

/// Returns the field manager of the CRDs of that chart. All custom resources of the chart apply the
/// same CRD, and none of them owns it: with a manager of each, a field that the chart drops would
/// stay until all had applied it again, and for ever if one were gone. CRDs that two charts have
/// keep the fields of both.
std::string manager_of_definitions(const kube::LabelValue& chart);

/// The result of Definitions::install.
struct DefinitionReport {
  std::vector<std::string> awaited;  ///< Names of the CRDs that are not established yet.
  std::vector<std::string>
      held;  ///< Updates that were refused, each with the reason and a way out.
};

/// Installs CRDs in the cluster, without an owner. Blocks. Serves one reconcile.
///
/// Errors: kForbidden with the rule that the operator's role lacks as help, kOwnership if another
/// CRD has the same names, those of `before_create`, and those of the client. It is not an error
/// if another client creates the CRD at the same time.
class Definitions {
 public:
  /// The references must outlive it. `before_create` is called before a CRD is created, and can
  /// prevent that with an error.
  Definitions(kube::Client& client, const kube::Call& call, const DefinitionSource& source,
              const base::Logger& log, std::function<base::Status()> before_create);

  base::Result<DefinitionReport> install(const std::vector<Definition>& wanted);
  /// Ends the ownership of a CRD by the custom resource; the CRD stays, without an owner. Does
  /// nothing if it is gone or has another owner. Errors: kConflict if it changes meanwhile, and
  /// those of the client.
  base::Status release(const kube::ObjectRef& ref);

 private:
  base::Status install_one(const Definition& wanted, DefinitionReport& report);
  base::Status create(const Definition& wanted);
  base::Result<value::Value> update(const Definition& wanted, value::Value live,
                                    DefinitionReport& report);
  base::Result<std::string> take_shared_fields(const value::Value& body, const value::Value& live);
  bool is_served(const Definition& wanted);

  kube::Client& client_;
  const kube::Call& call_;
  const DefinitionPolicy policy_;
  const std::string manager_;
  const Owner owner_;
  const base::Logger& log_;
  const std::function<base::Status()> before_create_;
};

}  // namespace chartwright::release
