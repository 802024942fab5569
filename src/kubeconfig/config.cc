// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig/config.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/file.h"
#include "base/strings.h"
#include "kubeconfig/proxy.h"
#include "yaml/document.h"

namespace chartwright::kube {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using yaml::DocumentNode;

constexpr size_t kMaxConfigBytes = size_t{8} << 20;
constexpr size_t kMaxNamespaceBytes = size_t{4} << 10;

/// One kubeconfig file as read.
struct File {
  std::string path;
  DocumentNode root;
};

/// A named entry (a cluster, user or context) and the file it came from.
struct Entry {
  const File* file = nullptr;
  const DocumentNode* body = nullptr;
};

/// Returns the error for a wrong field, at the position of the field or, if that is missing, of its
/// entry.
Error bad_field(const Entry& entry, std::string_view field, std::string_view problem) {
  const DocumentNode* found = entry.body->find(field);
  const std::string path = entry.body->path + "." + std::string(field);
  return Error(ErrorCode::kInvalidArgument, path + ": " + std::string(problem))
      .at(found == nullptr ? entry.body->pos : found->pos);
}

/// Returns the field's node; nullptr if it is absent or null.
const DocumentNode* field_of(const Entry& entry, std::string_view field) {
  const DocumentNode* found = entry.body->find(field);
  return found == nullptr || found->kind == DocumentNode::Kind::kNull ? nullptr : found;
}

Result<std::string> string_field(const Entry& entry, std::string_view field) {
  const DocumentNode* found = field_of(entry, field);
  return found == nullptr ? Result<std::string>(std::string()) : yaml::document_string(*found);
}

Result<bool> bool_field(const Entry& entry, std::string_view field) {
  const DocumentNode* found = field_of(entry, field);
  return found == nullptr ? Result<bool>(false) : yaml::document_bool(*found);
}

/// Resolves a relative path in a kubeconfig against the file's own folder.
std::string resolve_path(const File& file, const std::string& path) {
  if (path.empty() || path.front() == '/') {
    return path;
  }
  const size_t slash = file.path.rfind('/');
  return slash == std::string::npos ? path : file.path.substr(0, slash + 1) + path;
}

Result<std::string> path_field(const Entry& entry, std::string_view field) {
  CW_TRY(const std::string path, string_field(entry, field));
  return resolve_path(*entry.file, path);
}

/// Resolves the command of a plugin in the same way; one without a slash is looked up in $PATH.
std::string resolve_command(const File& file, const std::string& command) {
  return command.find('/') == std::string::npos
             ? command
             : std::filesystem::path(resolve_path(file, command)).lexically_normal().string();
}

/// Returns the data in `<name>-data` (base64), or otherwise the file path in `<name>`.
Result<PemSource> pem_field(const Entry& entry, const std::string& name) {
  CW_TRY(const std::string encoded, string_field(entry, name + "-data"));
  PemSource source;
  if (!encoded.empty()) {
    auto decoded = base::base64_decode(encoded);
    if (!decoded.ok()) {
      return bad_field(entry, name + "-data", "expected base64");
    }
    source.data = *std::move(decoded);
    return source;
  }
  CW_TRY(source.file, path_field(entry, name));
  return source;
}

Result<File> read_config_file(const std::string& path) {
  CW_TRY(const std::string text, base::read_file(path, kMaxConfigBytes));
  auto root = yaml::parse_document(text, path);
  if (!root.ok()) {
    return std::move(root).error().wrap("broken kubeconfig");
  }
  if (root->kind != DocumentNode::Kind::kNull && root->kind != DocumentNode::Kind::kMap) {
    return Error(ErrorCode::kInvalidArgument, "a kubeconfig is a map at its top level")
        .at(root->pos);
  }
  return File{path, *std::move(root)};
}

/// Returns the entry `name` of `list` from the first file that defines it, as kubectl merges files.
/// `body` is the key of the map in the entry.
Result<std::optional<Entry>> find_entry(const std::vector<File>& files, std::string_view list,
                                        std::string_view body, std::string_view name) {
  for (const File& file : files) {
    const DocumentNode* entries = file.root.find(list);
    if (entries == nullptr) {
      continue;
    }
    CW_TRY(const auto* items, yaml::document_list(*entries));
    for (const DocumentNode& item : *items) {
      const DocumentNode* named = item.find("name");
      if (named == nullptr || named->text != name) {
        continue;
      }
      const DocumentNode* found = item.find(body);
      if (found == nullptr || found->kind != DocumentNode::Kind::kMap) {
        return Error(ErrorCode::kInvalidArgument,
                     item.path + "." + std::string(body) + ": expected a map")
            .at(found == nullptr ? item.pos : found->pos);
      }
      return std::optional<Entry>(Entry{&file, found});
    }
  }
  return std::optional<Entry>();
}

Result<std::string> server_field(const Entry& cluster) {
  CW_TRY(std::string server, string_field(cluster, "server"));
  if (server.empty()) {
    return bad_field(cluster, "server", "missing: the URL of the API server");
  }
  if (!server.starts_with("https://") && !server.starts_with("http://")) {
    return bad_field(cluster, "server", "expected an https:// URL, got \"" + server + "\"");
  }
  const size_t authority = server.find("://") + 3;
  if (server.find_first_of("?#@ ", authority) != std::string::npos || server.size() == authority) {
    return bad_field(cluster, "server", "expected scheme://host:port[/path]");
  }
  while (server.ends_with('/')) {
    server.pop_back();
  }
  return server;
}

base::Status read_cluster(const Entry& cluster, Config& config) {
  CW_TRY(config.server, server_field(cluster));
  CW_TRY(config.ca, pem_field(cluster, "certificate-authority"));
  CW_TRY(config.tls_server_name, string_field(cluster, "tls-server-name"));
  CW_TRY(config.proxy_url, string_field(cluster, "proxy-url"));
  if (!config.proxy_url.empty()) {
    if (const auto status = check_proxy_url(config.proxy_url); !status.ok()) {
      return bad_field(cluster, "proxy-url", status.error().message());
    }
  }
  CW_TRY(const bool insecure, bool_field(cluster, "insecure-skip-tls-verify"));
  if (insecure && !config.ca.empty()) {
    return bad_field(cluster, "insecure-skip-tls-verify",
                     "cannot be combined with a certificate authority");
  }
  config.verify = insecure ? TlsVerify::kSkip : TlsVerify::kVerify;
  return {};
}

base::Status read_user(const Entry& user, Config& config) {
  if (field_of(user, "auth-provider") != nullptr) {
    return bad_field(user, "auth-provider",
                     "auth providers are not supported; use exec, a client certificate, token or "
                     "tokenFile");
  }
  for (const std::string_view unsupported : {"username", "password", "as"}) {
    CW_TRY(const std::string found, string_field(user, unsupported));
    if (!found.empty()) {
      return bad_field(user, unsupported,
                       unsupported == "as" ? "impersonation is not supported"
                                           : "no supported API server takes basic authentication");
    }
  }
  CW_TRY(config.client_cert, pem_field(user, "client-certificate"));
  CW_TRY(config.client_key, pem_field(user, "client-key"));
  if (config.client_cert.empty() != config.client_key.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 user.body->path + ": client-certificate and client-key must be given together")
        .at(user.body->pos);
  }
  auto token = string_field(user, "token");
  if (!token.ok()) {
    return bad_field(user, "token", "expected a string");  // Without quoting the value.
  }
  config.token = *std::move(token);
  CW_TRY(config.token_file, path_field(user, "tokenFile"));
  if (config.token.find_first_of("\r\n") != std::string::npos) {
    return bad_field(user, "token", "may not hold a line break");
  }
  return {};
}

Result<std::string> current_context(const std::vector<File>& files) {
  for (const File& file : files) {
    const DocumentNode* name = file.root.find("current-context");
    if (name != nullptr && !name->text.empty()) {
      return yaml::document_string(*name);
    }
  }
  return Error(ErrorCode::kInvalidArgument, "current-context is not set")
      .at({files.front().path, 0, 0});
}

Error missing_entry(const Entry& context, std::string_view kind, std::string_view name) {
  return bad_field(
      context, kind,
      "there is no " + std::string(kind) + " \"" + std::string(name) + "\" in the kubeconfig");
}

Result<Config> resolve(const std::vector<File>& files, const std::string& wanted_context) {
  std::string name = wanted_context;
  if (name.empty()) {
    CW_TRY(name, current_context(files));
  }
  CW_TRY(const auto context, find_entry(files, "contexts", "context", name));
  if (!context) {
    return Error(ErrorCode::kNotFound, "context \"" + name + "\" does not exist")
        .at({files.front().path, 0, 0});
  }
  CW_TRY(const std::string cluster_name, string_field(*context, "cluster"));
  CW_TRY(const std::string user_name, string_field(*context, "user"));
  CW_TRY(const auto cluster, find_entry(files, "clusters", "cluster", cluster_name));
  if (!cluster) {
    return missing_entry(*context, "cluster", cluster_name);
  }
  Config config;
  CW_TRY_VOID(read_cluster(*cluster, config));
  if (!user_name.empty()) {
    CW_TRY(const auto user, find_entry(files, "users", "user", user_name));
    if (!user) {
      return missing_entry(*context, "user", user_name);
    }
    CW_TRY_VOID(read_user(*user, config));
    if (const DocumentNode* plugin = field_of(*user, "exec")) {
      CW_TRY(config.exec, read_exec_plugin(*plugin, cluster->body->find("extensions")));
      config.exec.command = resolve_command(*user->file, config.exec.command);
    }
  }
  CW_TRY(config.ns, string_field(*context, "namespace"));
  config.source = "kubeconfig " + context->file->path + " (context " + name + ")";
  return config;
}

enum class Missing : uint8_t { kIsError, kIsSkipped };

Result<std::vector<File>> read_files(const std::vector<std::string>& paths, Missing missing) {
  std::vector<File> files;
  for (const std::string& path : paths) {
    auto file = read_config_file(path);
    if (file.ok()) {
      files.push_back(*std::move(file));
    } else if (missing == Missing::kIsError || file.error().code() != ErrorCode::kNotFound) {
      return std::move(file).error();
    }
  }
  return files;
}

Result<Config> in_cluster(const ConfigEnv& env) {
  Config config;
  const bool is_ipv6 = env.service_host.find(':') != std::string::npos;
  const std::string host = is_ipv6 ? "[" + env.service_host + "]" : env.service_host;
  config.server = "https://" + host + ":" + env.service_port;
  config.token_file = env.service_account_dir + "/token";
  config.ca.file = env.service_account_dir + "/ca.crt";
  config.source = "in-cluster";
  config.is_in_cluster = true;
  CW_TRY_DISCARD(base::read_file(config.token_file, kMaxConfigBytes));
  auto ns = base::read_file(env.service_account_dir + "/namespace", kMaxNamespaceBytes);
  if (ns.ok()) {
    config.ns = base::trim(*ns);
  }
  return config;
}

std::vector<std::string> listed_paths(const std::string& list) {
  std::vector<std::string> paths;
  for (const std::string_view path : base::split(list, ':')) {
    if (!path.empty()) {
      paths.emplace_back(path);
    }
  }
  return paths;
}

std::string variable(const char* name) {
  const char* found = std::getenv(name);
  return found == nullptr ? std::string() : std::string(found);
}

}  // namespace

ConfigEnv ConfigEnv::from_process() {
  ConfigEnv env;
  env.kubeconfig = variable("KUBECONFIG");
  env.home = variable("HOME");
  env.service_host = variable("KUBERNETES_SERVICE_HOST");
  env.service_port = variable("KUBERNETES_SERVICE_PORT");
  env.path = variable("PATH");
  for (char** one = environ; *one != nullptr; ++one) {
    env.variables.emplace_back(*one);
  }
  return env;
}

namespace {

/// Returns the kubeconfig files; none where the configuration is that of the pod.
Result<std::vector<File>> find_files(const ConfigOptions& options, const ConfigEnv& env) {
  if (!options.path.empty()) {
    return read_files({options.path}, Missing::kIsError);
  }
  if (!env.kubeconfig.empty()) {
    CW_TRY(auto files, read_files(listed_paths(env.kubeconfig), Missing::kIsSkipped));
    if (files.empty()) {
      return Error(ErrorCode::kNotFound,
                   "no file of KUBECONFIG exists: \"" + env.kubeconfig + "\"");
    }
    return files;
  }
  if (!env.service_host.empty() && !env.service_port.empty()) {
    return std::vector<File>();
  }
  if (!env.home.empty()) {
    CW_TRY(auto files, read_files({env.home + "/.kube/config"}, Missing::kIsSkipped));
    if (!files.empty()) {
      return files;
    }
  }
  return Error(ErrorCode::kNotFound,
               "no Kubernetes configuration: KUBECONFIG is not set, this is not a pod, and "
               "$HOME/.kube/config does not exist");
}

Result<Config> find_config(const ConfigOptions& options, const ConfigEnv& env) {
  CW_TRY(const auto files, find_files(options, env));
  return files.empty() ? in_cluster(env) : resolve(files, options.context);
}

}  // namespace

Result<Config> load_config(const ConfigOptions& options, const ConfigEnv& env) {
  CW_TRY(Config config, find_config(options, env));
  if (!config.exec.command.empty()) {
    // The plugin's own variables come last, and win.
    std::vector<std::string>& environment = config.exec.environment;
    environment.insert(environment.begin(), env.variables.begin(), env.variables.end());
    config.exec.search = env.path;
  }
  return config;
}

Result<std::vector<std::string>> context_names(const ConfigOptions& options, const ConfigEnv& env) {
  CW_TRY(const auto files, find_files(options, env));
  std::vector<std::string> names;
  for (const File& file : files) {
    const DocumentNode* contexts = file.root.find("contexts");
    if (contexts == nullptr) {
      continue;
    }
    CW_TRY(const auto* items, yaml::document_list(*contexts));
    for (const DocumentNode& item : *items) {
      const DocumentNode* name = item.find("name");
      if (name != nullptr && !name->text.empty() &&
          std::find(names.begin(), names.end(), name->text) == names.end()) {
        names.push_back(name->text);
      }
    }
  }
  return names;
}

}  // namespace chartwright::kube
