// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig/exec_plugin_config.h"

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "value/json.h"
#include "yaml/document.h"

namespace chartwright::kube {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using yaml::DocumentNode;

constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";
constexpr std::string_view kV1Beta1 = "client.authentication.k8s.io/v1beta1";
/// The name of the cluster's extension that plugins are given.
constexpr std::string_view kExtension = "client.authentication.k8s.io/exec";

Error wrong(const DocumentNode& node, std::string_view problem) {
  return Error(ErrorCode::kInvalidArgument, node.path + ": " + std::string(problem)).at(node.pos);
}

/// Returns the error for a field that is missing, at the position of its map.
Error missing(const DocumentNode& map, std::string_view field, std::string_view problem) {
  return Error(ErrorCode::kInvalidArgument,
               map.path + "." + std::string(field) + ": missing: " + std::string(problem))
      .at(map.pos);
}

const DocumentNode* member(const DocumentNode& map, std::string_view field) {
  const DocumentNode* found = map.find(field);
  return found == nullptr || found->kind == DocumentNode::Kind::kNull ? nullptr : found;
}

/// Returns a string without quoting what it is instead: that may be a secret.
Result<std::string> text_of(const DocumentNode& node) {
  auto text = yaml::document_string(node);
  if (!text.ok()) {
    return wrong(node, "expected a string");
  }
  return text;
}

Result<std::string> text_at(const DocumentNode& map, std::string_view field) {
  const DocumentNode* found = member(map, field);
  return found == nullptr ? Result<std::string>(std::string()) : text_of(*found);
}

Result<std::string> api_version(const DocumentNode& exec) {
  CW_TRY(std::string version, text_at(exec, "apiVersion"));
  const std::string choice = std::string(kV1) + " or " + std::string(kV1Beta1);
  if (version.empty()) {
    return missing(exec, "apiVersion", choice);
  }
  if (version != kV1 && version != kV1Beta1) {
    return wrong(*exec.find("apiVersion"), "\"" + version + "\" is not " + choice);
  }
  return version;
}

/// Checks the mode. There is never a terminal: Never and IfAvailable mean the same.
base::Status check_interactive_mode(const DocumentNode& exec, std::string_view version) {
  CW_TRY(const std::string mode, text_at(exec, "interactiveMode"));
  if (mode == "Never" || mode == "IfAvailable" || (mode.empty() && version == kV1Beta1)) {
    return {};
  }
  if (mode.empty()) {
    return missing(exec, "interactiveMode",
                   "Never or IfAvailable, which " + std::string(kV1) + " requires");
  }
  return wrong(*exec.find("interactiveMode"),
               mode == "Always" ? "\"Always\" needs a terminal, which a plugin never has here: "
                                  "use \"Never\" or \"IfAvailable\""
                                : "\"" + mode + "\" is not Never or IfAvailable");
}

Result<std::vector<std::string>> arguments(const DocumentNode& exec) {
  std::vector<std::string> words;
  if (const DocumentNode* list = member(exec, "args")) {
    CW_TRY(const auto* items, yaml::document_list(*list));
    for (const DocumentNode& item : *items) {
      CW_TRY(std::string word, text_of(item));
      words.push_back(std::move(word));
    }
  }
  return words;
}

Result<std::vector<std::string>> variables(const DocumentNode& exec) {
  std::vector<std::string> all;
  if (const DocumentNode* list = member(exec, "env")) {
    CW_TRY(const auto* items, yaml::document_list(*list));
    for (const DocumentNode& item : *items) {
      if (item.kind != DocumentNode::Kind::kMap) {
        return wrong(item, "expected a map with name and value");
      }
      CW_TRY(std::string variable, text_at(item, "name"));
      if (variable.empty()) {
        return missing(item, "name", "the name of an environment variable");
      }
      CW_TRY(const std::string text, text_at(item, "value"));
      variable += "=" + text;
      all.push_back(std::move(variable));
    }
  }
  return all;
}

/// Replaces control characters, which could drive a terminal, by their code points.
std::string printable(std::string_view text) {
  constexpr std::string_view kSpaces = "\t\n\v\f\r";
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if ((code < 0x20 || code == 0x7f) && kSpaces.find(c) == std::string_view::npos) {
      std::array<char, 8> buffer{};
      std::snprintf(buffer.data(), buffer.size(), "U+%04X", code);
      out += buffer.data();
    } else {
      out += c;
    }
  }
  return out;
}

/// Returns the cluster's extension for plugins as JSON; empty if there is none.
Result<std::string> cluster_config(const DocumentNode* extensions) {
  if (extensions == nullptr) {
    return std::string();
  }
  CW_TRY(const auto* items, yaml::document_list(*extensions));
  for (const DocumentNode& item : *items) {
    const DocumentNode* name = item.find("name");
    const DocumentNode* content = item.find("extension");
    if (name != nullptr && name->text == kExtension && content != nullptr) {
      CW_TRY(const value::Value config, yaml::document_value(*content, value::Numbers::kInt64));
      return value::to_json(config);
    }
  }
  return std::string();
}

}  // namespace

Result<ExecPlugin> read_exec_plugin(const DocumentNode& exec, const DocumentNode* extensions) {
  if (exec.kind != DocumentNode::Kind::kMap) {
    return wrong(exec, "expected a map with apiVersion and command");
  }
  ExecPlugin plugin;
  CW_TRY(plugin.command, text_at(exec, "command"));
  if (plugin.command.empty()) {
    return missing(exec, "command", "the program that prints credentials");
  }
  CW_TRY(plugin.api_version, api_version(exec));
  CW_TRY_VOID(check_interactive_mode(exec, plugin.api_version));
  CW_TRY(plugin.arguments, arguments(exec));
  CW_TRY(plugin.environment, variables(exec));
  CW_TRY(const std::string hint, text_at(exec, "installHint"));
  plugin.install_hint = printable(hint);
  if (const DocumentNode* provide = member(exec, "provideClusterInfo")) {
    CW_TRY(const bool provides, yaml::document_bool(*provide));
    using ClusterInfo = ExecPlugin::ClusterInfo;
    plugin.cluster_info = provides ? ClusterInfo::kProvided : ClusterInfo::kWithheld;
  }
  CW_TRY(plugin.cluster_config, cluster_config(extensions));
  return plugin;
}

}  // namespace chartwright::kube
