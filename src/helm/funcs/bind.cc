// SPDX-License-Identifier: Apache-2.0
#include "helm/funcs/bind.h"

namespace chartwright::helm::funcs {

void add_methods(tmpl::FunctionMap& functions, std::string_view go_type, Table& methods) {
  for (Entry& entry : methods.entries()) {
    entry.function.params.erase(entry.function.params.begin());
    functions.add_method(go_type, std::move(entry.function));
  }
}

}  // namespace chartwright::helm::funcs
