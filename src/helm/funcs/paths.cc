// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "go/path.h"
#include "helm/funcs/families.h"

// On Unix, path/filepath and thus the os... functions give the same results.
namespace chartwright::helm::funcs {
namespace {

// Source: Go path.Dir.
std::string dir(std::string_view path) {
  return go::clean_path(path.substr(0, path.rfind('/') + 1));
}

bool is_abs(std::string_view path) { return path.starts_with('/'); }

}  // namespace

void add_paths(Table& table) {
  table.add("base", go::base_name).alias("osBase");
  table.add("dir", dir).alias("osDir");
  table.add("clean", go::clean_path).alias("osClean");
  table.add("ext", go::extension).alias("osExt");
  table.add("isAbs", is_abs).alias("osIsAbs");
}

}  // namespace chartwright::helm::funcs
