// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <vector>

#include "helm/funcs/families.h"

// Source: Go path.go. On Unix, path/filepath and thus the os... functions give the same results.
namespace chartwright::helm::funcs {
namespace {

std::string base_name(std::string_view path) {
  if (path.empty()) {
    return ".";
  }
  const size_t last = path.find_last_not_of('/');
  if (last == std::string_view::npos) {
    return "/";
  }
  path = path.substr(0, last + 1);
  return std::string(path.substr(path.rfind('/') + 1));
}

// Removes the last element unless it is "..". Returns false if nothing was removed.
bool drop_last_element(std::vector<std::string_view>& elements) {
  if (elements.empty() || elements.back() == "..") {
    return false;
  }
  elements.pop_back();
  return true;
}

std::string clean(std::string_view path) {
  const bool rooted = path.starts_with('/');
  std::vector<std::string_view> elements;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view element = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (element.empty() || element == ".") {
      continue;
    }
    if (element != ".." || (!drop_last_element(elements) && !rooted)) {
      elements.push_back(element);
    }
  }
  std::string out = rooted ? "/" : "";
  for (size_t i = 0; i < elements.size(); ++i) {
    out += i == 0 ? "" : "/";
    out += elements[i];
  }
  return out.empty() ? "." : out;
}

std::string dir(std::string_view path) { return clean(path.substr(0, path.rfind('/') + 1)); }

std::string_view ext(std::string_view path) {
  const size_t at = path.find_last_of("./");
  return at == std::string_view::npos || path[at] == '/' ? std::string_view() : path.substr(at);
}

bool is_abs(std::string_view path) { return path.starts_with('/'); }

}  // namespace

void add_paths(Table& table) {
  table.add("base", base_name).alias("osBase");
  table.add("dir", dir).alias("osDir");
  table.add("clean", clean).alias("osClean");
  table.add("ext", ext).alias("osExt");
  table.add("isAbs", is_abs).alias("osIsAbs");
}

}  // namespace chartwright::helm::funcs
