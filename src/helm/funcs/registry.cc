// SPDX-License-Identifier: Apache-2.0
#include "helm/funcs/registry.h"

#include <utility>

#include "helm/funcs/families.h"

namespace chartwright::helm::funcs {
namespace {

struct Family {
  std::string_view name;
  void (*add)(Table&);
};

constexpr Family kFamilies[] = {
    {"strings", add_strings},     {"words", add_words},
    {"defaults", add_defaults},   {"lists", add_lists},
    {"dicts", add_dicts},         {"math", add_math},
    {"sequences", add_sequences}, {"encoding", add_encoding},
    {"json", add_json},           {"reflection", add_reflection},
    {"paths", add_paths},         {"regular expressions", add_regex},
    {"versions", add_versions},   {"dates", add_dates},
    {"urls", add_urls},           {"random", add_random},
    {"cryptography", add_crypto}, {"certificates", add_certificates},
};

std::vector<Entry> build() {
  std::vector<Entry> entries;
  for (const Family& family : kFamilies) {
    Table table;
    family.add(table);
    for (Entry& entry : table.entries()) {
      entry.family = family.name;
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

}  // namespace

const std::vector<Entry>& registry() {
  static const std::vector<Entry> entries = build();
  return entries;
}

void register_sprig(tmpl::FunctionMap& functions, SemverRelease semver) {
  for (const Entry& entry : registry()) {
    functions.add(entry.function);
    for (const std::string& alias : entry.aliases) {
      tmpl::Function renamed = entry.function;
      renamed.name = alias;
      functions.add(std::move(renamed));
    }
  }
  if (semver != SemverRelease::k3_5) {
    Table changed;
    add_versions_of(semver, changed);
    for (Entry& entry : changed.entries()) {
      functions.add(std::move(entry.function));
    }
  }
}

}  // namespace chartwright::helm::funcs
