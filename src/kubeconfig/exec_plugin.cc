// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig/exec_plugin.h"

#include <string_view>
#include <utility>

#include "base/child_program.h"
#include "base/digest.h"
#include "base/strings.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::kube {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using value::Value;

constexpr std::string_view kInfoVariable = "KUBERNETES_EXEC_INFO";
constexpr std::string_view kKind = "ExecCredential";

Error failure(std::string_view problem) {
  return Error(ErrorCode::kUnavailable, "getting credentials: " + std::string(problem));
}

Error not_installed(const ExecPlugin& plugin, const Error& why) {
  std::string text = "getting credentials: exec: executable " + plugin.command + " not found";
  if (why.code() != ErrorCode::kNotFound) {
    text += ": " + why.message();
  }
  return Error(why.code(), plugin.install_hint.empty() ? text : text + ": " + plugin.install_hint);
}

Result<Value> cluster_of(const Config& config, const std::string& ca) {
  Value cluster = Value::dict({{"server", Value::string(config.server)}});
  const auto add = [&](std::string_view key, const std::string& text) {
    if (!text.empty()) {
      cluster.mutable_dict().set(key, Value::string(text));
    }
  };
  add("tls-server-name", config.tls_server_name);
  add("certificate-authority-data", ca.empty() ? "" : base::base64_encode(ca));
  add("proxy-url", config.proxy_url);
  if (config.verify == TlsVerify::kSkip) {
    cluster.mutable_dict().set("insecure-skip-tls-verify", Value::boolean(true));
  }
  if (!config.exec.cluster_config.empty()) {
    CW_TRY(Value extension, value::parse_json(config.exec.cluster_config, value::Numbers::kInt64));
    cluster.mutable_dict().set("config", std::move(extension));
  }
  return cluster;
}

/// Returns what the plugin is told in KUBERNETES_EXEC_INFO.
Result<std::string> exec_info(const Config& config, const std::string& ca) {
  Value spec = Value::dict({{"interactive", Value::boolean(false)}});
  if (config.exec.cluster_info == ExecPlugin::ClusterInfo::kProvided) {
    CW_TRY(Value cluster, cluster_of(config, ca));
    spec.mutable_dict().set("cluster", std::move(cluster));
  }
  return value::to_json(Value::dict({{"kind", Value::string(kKind)},
                                     {"apiVersion", Value::string(config.exec.api_version)},
                                     {"spec", std::move(spec)}}));
}

/// Returns the text at `key`; empty if there is none. Error if it is something else.
Result<std::string> text_at(const Value& dict, std::string_view key) {
  const Value* found = dict.find(key);
  if (found == nullptr || found->is_nil()) {
    return std::string();
  }
  if (!found->is_string()) {
    return failure("decoding stdout: " + std::string(key) + " is not a string");
  }
  return found->as_string();
}

/// Decodes JSON or YAML, as client-go does, without its parser's messages: those quote.
Result<Value> decode(std::string_view printed) {
  const bool is_json = base::trim(printed).starts_with('{');
  auto decoded = is_json ? value::parse_json(printed, value::Numbers::kInt64)
                         : yaml::parse_yaml(printed, value::Numbers::kInt64);
  if (!decoded.ok() || !decoded->is_dict()) {
    return failure("decoding stdout: it is not an " + std::string(kKind) + " as JSON");
  }
  return decoded;
}

base::Status check_type(const Value& credential, const std::string& api_version) {
  CW_TRY(const std::string kind, text_at(credential, "kind"));
  CW_TRY(const std::string version, text_at(credential, "apiVersion"));
  if (kind != kKind) {
    return failure("decoding stdout: its kind is not " + std::string(kKind));
  }
  if (version != api_version) {
    return failure("exec plugin is configured to use API version " + api_version +
                   ", plugin returned another version");
  }
  return {};
}

Result<std::optional<base::WallTime>> expiration(const Value& status) {
  CW_TRY(const std::string text, text_at(status, "expirationTimestamp"));
  if (text.empty()) {
    return std::optional<base::WallTime>();
  }
  const auto time = base::parse_rfc3339(text);
  if (!time.ok()) {
    return failure("decoding stdout: expirationTimestamp is not a time");
  }
  return std::optional(*time);
}

Result<ExecCredential> credential_of(std::string_view printed, const std::string& api_version) {
  CW_TRY(const Value decoded, decode(printed));
  CW_TRY_VOID(check_type(decoded, api_version));
  const Value* status = decoded.find("status");
  if (status == nullptr || !status->is_dict()) {
    return failure("exec plugin didn't return a status field");
  }
  ExecCredential credential;
  CW_TRY(credential.token, text_at(*status, "token"));
  CW_TRY(credential.cert, text_at(*status, "clientCertificateData"));
  CW_TRY(credential.key, text_at(*status, "clientKeyData"));
  CW_TRY(credential.expires, expiration(*status));
  if (credential.token.empty() && credential.cert.empty() && credential.key.empty()) {
    return failure("exec plugin didn't return a token or cert/key pair");
  }
  if (credential.cert.empty() != credential.key.empty()) {
    return failure("exec plugin returned only certificate or key, not both");
  }
  // A header must not contain line breaks.
  if (credential.token.find_first_of("\r\n") != std::string::npos) {
    return failure("exec plugin returned a token with a line break");
  }
  return credential;
}

}  // namespace

base::Status check_exec_plugin(const ExecPlugin& plugin) {
  auto found = base::find_program(plugin.command, plugin.search);
  if (!found.ok()) {
    return not_installed(plugin, found.error());
  }
  return {};
}

Result<ExecCredential> run_exec_plugin(const Config& config, const std::string& ca,
                                       const base::Clock& clock, const std::stop_token& stop) {
  const ExecPlugin& plugin = config.exec;
  auto found = base::find_program(plugin.command, plugin.search);
  if (!found.ok()) {
    return Error(ErrorCode::kUnavailable, not_installed(plugin, found.error()).message());
  }
  CW_TRY(const std::string info, exec_info(config, ca));
  base::ChildProgram program{.path = *found,
                             .arguments = plugin.arguments,
                             .environment = plugin.environment,
                             .timeout = plugin.timeout};
  program.environment.push_back(std::string(kInfoVariable) + "=" + info);
  auto ending = base::run_program(program, "", clock, stop);
  const std::string named = "exec: executable " + plugin.command;
  if (!ending.ok()) {
    const ErrorCode code = ending.error().code();
    const bool keeps = code == ErrorCode::kTimeout || code == ErrorCode::kCancelled;
    return Error(keeps ? code : ErrorCode::kUnavailable,
                 "getting credentials: " + named + ": " + ending.error().message());
  }
  if (!ending->failure.empty()) {
    return failure(named + " failed with exit code " + std::to_string(ending->exit_code));
  }
  return credential_of(ending->out, plugin.api_version);
}

}  // namespace chartwright::kube
