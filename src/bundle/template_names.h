// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "helm/lint/read_keys.h"
#include "helm/render/operator_template.h"

namespace chartwright::bundle {

/// The names that may stand below a name in a template; none: any may.
struct KnownNames {
  std::map<std::string, KnownNames, std::less<>> below;
};

/// Returns the names that the templates of operator/ may use: .CR, .Live, .Related, .External and
/// those of a chart's templates. `related` and `externals` are the names of the bundle's entries.
KnownNames operator_names(const std::vector<std::string>& related,
                          const std::vector<std::string>& externals);

/// Returns the names that operator/values.yaml may use: .CR without its status.
KnownNames values_names();

/// Returns the keys of the spec that operator/values.yaml reads as `.CR.spec.KEY`. Not complete
/// where it reads the spec in another way. Error: kParse if it does not parse.
base::Result<helm::lint::ReadKeys> keys_of_spec(const helm::OperatorTemplate& values);

/// Checks the names that a template reads from its outermost dot. In the body of `with` and
/// `range`, where the dot is another, only those after `$` are checked. Checks the names of the
/// templates that it calls, too. `file` is its path in errors. Error: kInvalidArgument with
/// file:line:column, and the name that may be meant.
base::Status check_names(const helm::OperatorTemplate& text, const std::string& file,
                         const KnownNames& known);

}  // namespace chartwright::bundle
