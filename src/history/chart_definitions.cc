// SPDX-License-Identifier: Apache-2.0
#include "history/chart_definitions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "helm/chart/document_reader.h"
#include "kube/object.h"
#include "release/desired.h"
#include "yaml/yaml.h"

namespace chartwright::op {
namespace {

using base::Error;
using release::Definition;
using value::Value;

// Adds the place of an error in the document, as a line of the file.
Error located(Error error, const std::string& file, int lines_before) {
  const int line = error.pos() ? error.pos()->line : 1;
  return std::move(error).at({file, lines_before + std::max(line, 1), 0});
}

base::Status append_definitions(const std::string& document, std::vector<Definition>& all) {
  CW_TRY(Value parsed, yaml::parse_yaml(document, value::Numbers::kInt64));
  if (parsed.is_nil()) {
    return {};
  }
  CW_TRY(std::vector<Value> objects, release::expand_lists(std::move(parsed)));
  for (Value& object : objects) {
    CW_TRY(Definition one, release::read_definition(std::move(object)));
    all.push_back(std::move(one));
  }
  return {};
}

}  // namespace

base::Result<std::vector<Definition>> read_definitions(const std::vector<helm::Crd>& files) {
  std::vector<Definition> all;
  for (const helm::Crd& file : files) {
    auto documents = helm::split_documents(file.content);
    if (!documents.ok()) {
      return located(std::move(documents).error(), file.path, 0);
    }
    for (const helm::YamlDocument& document : *documents) {
      auto read = append_definitions(document.text, all);
      if (!read.ok()) {
        return located(std::move(read).error(), file.path, document.lines_before);
      }
    }
  }
  return all;
}

bool bring_definition(const std::vector<helm::Crd>& files, std::string_view name) {
  return std::any_of(files.begin(), files.end(), [name](const helm::Crd& file) {
    if (file.content.find(name) == std::string::npos) {
      return false;  // Cheaper than parsing it.
    }
    const auto definitions = read_definitions({file});
    return definitions.ok() &&
           std::any_of(definitions->begin(), definitions->end(),
                       [name](const Definition& one) { return one.ref.name == name; });
  });
}

std::vector<Definition> definitions_among(const std::vector<Value>& objects) {
  std::vector<Definition> found;
  for (const Value& object : objects) {
    if (!release::is_definition(kube::gvk_of(object).group_kind())) {
      continue;
    }
    if (auto one = release::read_definition(object); one.ok()) {
      found.push_back(*std::move(one));
    }
  }
  return found;
}

base::Result<std::vector<Definition>> chosen_definitions(const std::vector<helm::Crd>& files,
                                                         release::DefinitionPolicy policy) {
  if (policy == release::DefinitionPolicy::kSkip) {
    return std::vector<Definition>();
  }
  return read_definitions(files);
}

}  // namespace chartwright::op
