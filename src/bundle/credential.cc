// SPDX-License-Identifier: Apache-2.0
#include "bundle/credential.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "base/strings.h"

namespace chartwright::bundle {
namespace {

using value::Value;

constexpr int kSchemaDepthMax = 30;
constexpr std::array<std::string_view, 10> kParts = {
    "password",   "passwd",     "passphrase", "secret", "token",
    "credential", "privatekey", "accesskey",  "apikey", "authkey"};

/// Last words of names that tell something about a credential, or of somebody who handles it:
/// "secretName", "tokenTTLSeconds", "createSecretJob".
constexpr std::array kHarmlessEnds = std::to_array<std::string_view>({
    "annotations", "controller", "count",    "created",  "cronjob", "days",     "dir",
    "driver",      "enabled",    "expiry",   "hours",    "image",   "interval", "job",
    "jobs",        "labels",     "length",   "lifetime", "manager", "minutes",  "mode",
    "name",        "namespace",  "operator", "path",     "pod",     "policy",   "port",
    "replicas",    "resources",  "rotation", "seconds",  "server",  "service",  "size",
    "timeout",     "ttl",        "version",  "webhook",
});

Value blank(const Value& value) {
  if (value.is_string()) {
    return Value::string("");
  }
  return value.is_number() ? Value::integer(0) : value;
}

Value cleaned(bool is_named, const Value& value, int depth) {
  if (depth > kSchemaDepthMax) {
    return {};
  }
  if (value.is_dict()) {
    Value out = Value::dict();
    for (const auto& [key, member] : value.as_dict()) {
      out.mutable_dict().set(key, cleaned(is_named || names_credential(key), member, depth + 1));
    }
    return out;
  }
  if (value.is_list()) {
    std::vector<Value> items;
    for (const Value& item : value.as_list().items) {
      items.push_back(cleaned(is_named, item, depth + 1));
    }
    return Value::list(std::move(items));
  }
  const bool is_secret = is_named || (value.is_string() && is_credential(value.as_string()));
  return is_secret ? blank(value) : value;
}

/// Returns the last word of a name in any style: "job" of "createSecretJob", "TOKEN_JOB" and
/// "token-job", "ttl" of "tokenTTL".
std::string last_word(std::string_view name) {
  const size_t end = name.find_last_not_of("_-. ") + 1;
  size_t start = end;
  while (start > 0 && base::is_ascii_alphanumeric(name[start - 1])) {
    --start;
    const bool begins_word = start > 0 && base::is_ascii_upper(name[start]) &&
                             (base::is_ascii_lower(name[start - 1]) ||
                              (start + 1 < end && base::is_ascii_lower(name[start + 1])));
    if (begins_word) {
      break;
    }
  }
  return base::to_lower_ascii(name.substr(start, end - start));
}

}  // namespace

bool names_credential(std::string_view key) {
  std::string letters;
  for (const char c : key) {
    if (base::is_ascii_alphanumeric(c)) {
      letters += base::to_ascii_lower(c);
    }
  }
  const bool has_part = std::any_of(
      kParts.begin(), kParts.end(),
      [&letters](std::string_view part) { return letters.find(part) != std::string::npos; });
  return has_part && std::ranges::find(kHarmlessEnds, last_word(key)) == kHarmlessEnds.end();
}

bool is_credential(std::string_view text) {
  if (text.find("-----BEGIN ") != std::string_view::npos) {
    return true;
  }
  const size_t scheme = text.find("://");
  const size_t at = text.find('@', scheme);
  return scheme != std::string_view::npos && at != std::string_view::npos &&
         text.substr(scheme + 3, at - scheme - 3).find(':') != std::string_view::npos;
}

Value without_credentials(std::string_view key, const Value& value) {
  return cleaned(names_credential(key), value, 0);
}

}  // namespace chartwright::bundle
