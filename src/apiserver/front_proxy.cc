// SPDX-License-Identifier: Apache-2.0
#include "apiserver/front_proxy.h"

#include <algorithm>
#include <utility>

#include "apiserver/request.h"
#include "base/strings.h"
#include "value/json.h"
#include "views/api_errors.h"

namespace chartwright::apiserver {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;
using views::unauthorized;

constexpr std::string_view kName = "ConfigMap kube-system/extension-apiserver-authentication";

enum class Case : uint8_t { kAsIs, kLower };

/// Reads a member that is a JSON list of strings.
base::Result<std::vector<std::string>> read_list(const Value& config_map, std::string_view key,
                                                 Case letters) {
  std::vector<std::string> texts;
  const std::string_view json = config_map.string_at({"data", key});
  if (json.empty()) {
    return texts;
  }
  const auto list = value::parse_json(json, value::Numbers::kInt64);
  if (!list.ok() || !list->is_list()) {
    return Error(ErrorCode::kInvalidArgument,
                 std::string(kName) + ": " + std::string(key) + " is not a JSON list");
  }
  for (const Value& item : list->as_list().items) {
    if (item.is_string()) {
      texts.push_back(letters == Case::kLower ? base::to_lower_ascii(item.as_string())
                                              : item.as_string());
    }
  }
  return texts;
}

std::string first_of(const runtime::HttpRequest& request, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (const std::string_view text = request.header(name); !text.empty()) {
      return std::string(text);
    }
  }
  return "";
}

/// Adds a header X-Remote-Extra-KEY to the extra data of the user.
void add_extra(const std::string& key, const std::string& text, User& user) {
  const auto known = std::find_if(user.extra.begin(), user.extra.end(),
                                  [&](const auto& one) { return one.first == key; });
  if (known == user.extra.end()) {
    user.extra.emplace_back(key, std::vector<std::string>{text});
  } else {
    known->second.push_back(text);
  }
}

}  // namespace

base::Result<FrontProxyConfig> read_front_proxy(const Value& config_map) {
  FrontProxyConfig config;
  config.authorities = config_map.string_at({"data", "requestheader-client-ca-file"});
  if (config.authorities.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 std::string(kName) +
                     " has no requestheader-client-ca-file: the API server must run with "
                     "--requestheader-client-ca-file and --proxy-client-cert-file");
  }
  CW_TRY(config.allowed_names, read_list(config_map, "requestheader-allowed-names", Case::kAsIs));
  CW_TRY(config.user_headers,
         read_list(config_map, "requestheader-username-headers", Case::kLower));
  CW_TRY(config.uid_headers, read_list(config_map, "requestheader-uid-headers", Case::kLower));
  CW_TRY(config.group_headers, read_list(config_map, "requestheader-group-headers", Case::kLower));
  CW_TRY(config.extra_prefixes,
         read_list(config_map, "requestheader-extra-headers-prefix", Case::kLower));
  return config;
}

void FrontProxy::set(FrontProxyConfig config) {
  const base::MutexLock lock(mutex_);
  config_ = std::move(config);
}

base::Result<User> FrontProxy::authenticate(const runtime::HttpRequest& request) const {
  const base::MutexLock lock(mutex_);
  if (!request.client_name) {
    return unauthorized("Unauthorized: only the API server's aggregator may ask");
  }
  const auto& names = config_.allowed_names;
  if (!names.empty() &&
      std::find(names.begin(), names.end(), *request.client_name) == names.end()) {
    return unauthorized("Unauthorized: the client's certificate is not the aggregator's");
  }
  User user;
  user.name = first_of(request, config_.user_headers);
  if (user.name.empty()) {
    return unauthorized("Unauthorized: the request names no user");
  }
  user.uid = first_of(request, config_.uid_headers);
  for (const auto& [name, text] : request.headers) {
    const auto& groups = config_.group_headers;
    if (!text.empty() && std::find(groups.begin(), groups.end(), name) != groups.end()) {
      user.groups.push_back(text);
    }
    for (const std::string& prefix : config_.extra_prefixes) {
      if (!prefix.empty() && name.starts_with(prefix)) {
        const std::string key = name.substr(prefix.size());
        // One that is malformed counts as it is.
        add_extra(percent_decoded(key).value_or(key), text, user);
      }
    }
  }
  return user;
}

}  // namespace chartwright::apiserver
