// SPDX-License-Identifier: Apache-2.0
#include "migration/sdk_files.h"

#include <algorithm>

#include "base/strings.h"
#include "kube/object.h"
#include "resource/annotations.h"

namespace chartwright::cmd {
namespace {

using value::Value;

constexpr int kPatchDepthMax = 30;
constexpr std::string_view kOurImage = "chartwright";
constexpr std::string_view kTheirImage = "helm-operator";

/// Returns "helm-operator" of "quay.io/operator-framework/helm-operator:v1.42.3".
std::string_view base_name_of(std::string_view image) {
  const std::string_view name = image.substr(image.find_last_of('/') + 1);
  return name.substr(0, name.find_first_of(":@"));
}

/// Returns the images of the instructions FROM, with their flags left out.
std::vector<std::string> base_images(std::string_view text) {
  std::vector<std::string> images;
  for (const std::string_view line : base::split(text, '\n')) {
    std::vector<std::string_view> words;
    for (const std::string_view word : base::split(line, ' ')) {
      if (const std::string_view trimmed = base::trim(word); !trimmed.empty()) {
        words.push_back(trimmed);
      }
    }
    if (words.empty() || base::to_lower_ascii(words.front()) != "from") {
      continue;
    }
    const auto image = std::find_if(words.begin() + 1, words.end(),
                                    [](std::string_view word) { return !word.starts_with("--"); });
    if (image != words.end()) {
      images.emplace_back(*image);
    }
  }
  return images;
}

/// Adds the name of a flag that a text gives: "--leader-elect" of "--leader-elect=true".
void add_flag(const Value& text, FlagNames& given) {
  if (text.is_string() && text.as_string().starts_with("--")) {
    given.insert(text.as_string().substr(0, text.as_string().find('=')));
  }
}

/// Adds the flags of the members `args` and `command`, and of JSON patches, which add one as
/// `value`.
void add_flags(const Value& document, FlagNames& given, int depth) {
  if (depth > kPatchDepthMax) {
    return;
  }
  if (document.is_list()) {
    for (const Value& item : document.as_list().items) {
      add_flags(item, given, depth + 1);
    }
    return;
  }
  if (!document.is_dict()) {
    return;
  }
  for (const std::string_view list : {"args", "command", "value"}) {
    for (const Value& item : document.items_at({list})) {
      add_flag(item, given);
    }
  }
  const bool is_patch = document.string_at({"path"}).find("/args") != std::string_view::npos;
  if (const Value* added = document.find("value"); added != nullptr && is_patch) {
    add_flag(*added, given);
  }
  for (const auto& [key, member] : document.as_dict()) {
    add_flags(member, given, depth + 1);
  }
}

}  // namespace

std::vector<Finding> check_dockerfile(std::string_view text) {
  std::vector<Finding> findings;
  for (const std::string& image : base_images(text)) {
    if (base_name_of(image) == kTheirImage) {
      findings.push_back({Grade::kWarn, "Dockerfile", "the base image is still " + image,
                          "FROM chartwright:" CW_VERSION});
    } else if (base_name_of(image) == kOurImage) {
      findings.push_back({Grade::kOk, "Dockerfile", "the base image is " + image});
    }
  }
  return findings;
}

std::vector<Finding> check_arguments(const std::vector<Value>& documents, const FlagNames& known) {
  FlagNames given;
  for (const Value& document : documents) {
    add_flags(document, given, 0);
  }
  std::vector<Finding> findings;
  for (const std::string& flag : given) {
    if (!known.contains(flag)) {
      findings.push_back({Grade::kFail, "arguments",
                          "the manager is given " + flag + ", which chartwright run does not have",
                          "remove it from the manifests"});
    }
  }
  if (findings.empty() && !given.empty()) {
    findings.push_back({Grade::kOk, "arguments",
                        "all " + std::to_string(given.size()) + " flags of the manager are known"});
  }
  return findings;
}

std::vector<Finding> check_annotations(const Value& cr) {
  std::vector<Finding> findings;
  for (const std::string& text : op::unused_annotations(cr)) {
    findings.push_back({Grade::kWarn, "annotations", kube::ref_of(cr).to_string() + ": " + text,
                        "see the table of differences in compatibility.md"});
  }
  return findings;
}

std::vector<Value> bound_roles(const std::vector<Value>& documents) {
  std::set<std::string, std::less<>> bound;
  for (const Value& document : documents) {
    if (const std::string_view name = document.string_at({"roleRef", "name"}); !name.empty()) {
      bound.insert(std::string(document.string_at({"roleRef", "kind"})) + "/" + std::string(name));
    }
  }
  std::vector<Value> roles;
  std::ranges::copy_if(documents, std::back_inserter(roles), [&](const Value& document) {
    const std::string kind(document.string_at({"kind"}));
    const bool is_role = kind == "Role" || kind == "ClusterRole";
    return is_role &&
           (bound.empty() || bound.contains(kind + "/" + std::string(kube::name_of(document))));
  });
  return roles;
}

}  // namespace chartwright::cmd
