// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tmpl/template.h"
#include "value/value.h"

namespace chartwright::tmpl {

class Evaluator;

/// The current execution. The body of a function reaches it through its CallContext.
class Execution {
 public:
  explicit Execution(Evaluator& evaluator) : evaluator_(evaluator) {}

  /// Runs another template of the namespace and returns its output, like Go's ExecuteTemplate
  /// called from a function: no variables of the caller, dot and $ = `data`. Errors: as
  /// Template::execute, with the whole message, so that a function that returns one produces Go's
  /// "error calling include: template: ...".
  base::Result<std::string> run(std::string_view name, const value::Value& data);

  /// The namespace being executed. To evaluate a string in it (tpl), copy it (cheap: trees are
  /// shared), parse into the copy and execute the copy with options().
  const Template& templates() const;
  /// The budget, host, extension and missing-key rule of this execution.
  const ExecOptions& options() const;

 private:
  Evaluator& evaluator_;
};

}  // namespace chartwright::tmpl
