// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tmpl/template.h"
#include "value/value.h"

namespace chartwright::tmpl {

class Evaluator;

/// The running execution, as a function's body reaches it through its CallContext.
class Execution {
 public:
  explicit Execution(Evaluator& evaluator) : evaluator_(evaluator) {}

  /// Runs another template of the namespace and returns what it printed, as Go's ExecuteTemplate
  /// called from inside a function: fresh variables, dot and $ = `data`. Errors: as of
  /// Template::execute, with the whole message, so that a function that hands one on gives Go's
  /// "error calling include: template: ...".
  base::Result<std::string> run(std::string_view name, const value::Value& data);

  /// The namespace being executed. To evaluate text inside of it (tpl), copy it (cheap: trees are
  /// shared), parse into the copy and execute that with options().
  const Template& templates() const;
  /// The budget, host, extension and missing-key rule of this execution.
  const ExecOptions& options() const;

 private:
  Evaluator& evaluator_;
};

}  // namespace chartwright::tmpl
