// SPDX-License-Identifier: Apache-2.0
#include "tmpl/evaluator.h"
#include "tmpl/template.h"

namespace chartwright::tmpl {

base::Status Template::execute(std::string_view name, const value::Value& data,
                               const ExecOptions& options, std::string& out) const {
  return Evaluator(*this, options).execute(name, data, out);
}

base::Status Template::execute(const Tree& tree, const value::Value& data,
                               const ExecOptions& options, std::string& out) const {
  return Evaluator(*this, options).execute(tree, data, out);
}

}  // namespace chartwright::tmpl
