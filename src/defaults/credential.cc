// SPDX-License-Identifier: Apache-2.0
#include "defaults/credential.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "base/ascii.h"
#include "base/strings.h"

namespace chartwright::defaults {
namespace {

using value::Value;

constexpr int kSchemaDepthMax = 30;
constexpr std::array<std::string_view, 10> kParts = {
    "password",   "passwd",     "passphrase", "secret", "token",
    "credential", "privatekey", "accesskey",  "apikey", "authkey"};

/// Last words of names of properties, as they are in a table of credentials, too:
/// "tokenTTLSeconds", "secretName".
constexpr std::array kPropertyEnds = std::to_array<std::string_view>({
    "annotations", "class", "count",   "created", "days",     "enabled", "expiry",   "hours",
    "interval",    "kind",  "labels",  "length",  "lifetime", "minutes", "mode",     "name",
    "namespace",   "path",  "policy",  "port",    "ref",      "refs",    "replicas", "rotation",
    "seconds",     "size",  "timeout", "ttl",     "type",     "version",
});

/// Last words of names of somebody who handles a credential: "createSecretJob".
constexpr std::array kHandlerEnds = std::to_array<std::string_view>({
    "controller",
    "cronjob",
    "dir",
    "driver",
    "image",
    "job",
    "jobs",
    "manager",
    "operator",
    "pod",
    "resources",
    "server",
    "service",
    "webhook",
});

/// Last words of longer names of numbers: "runAsUser".
constexpr std::array kNumberEnds = std::to_array<std::string_view>({
    "attempts",
    "delay",
    "gid",
    "group",
    "id",
    "limit",
    "max",
    "min",
    "number",
    "percentage",
    "priority",
    "retries",
    "threshold",
    "uid",
    "user",
    "weight",
});

/// First words of names of numbers: "maxTokens".
constexpr std::array kNumberStarts =
    std::to_array<std::string_view>({"max", "min", "num", "number"});

Value blank(Secrecy secrecy, const Value& value) {
  if (value.is_string()) {
    return Value::string("");
  }
  return value.is_number() && secrecy == Secrecy::kAll ? Value::integer(0) : value;
}

Value cleaned(Secrecy secrecy, const Value& value, int depth) {
  if (depth > kSchemaDepthMax) {
    return {};
  }
  if (value.is_dict()) {
    Value out = Value::dict();
    for (const auto& [key, member] : value.as_dict()) {
      out.mutable_dict().set(key, cleaned(secrecy_of(key, secrecy), member, depth + 1));
    }
    return out;
  }
  if (value.is_list()) {
    std::vector<Value> items;
    for (const Value& item : value.as_list().items) {
      items.push_back(cleaned(secrecy, item, depth + 1));
    }
    return Value::list(std::move(items));
  }
  const bool is_secret =
      secrecy != Secrecy::kNone || (value.is_string() && is_credential(value.as_string()));
  return is_secret ? blank(secrecy, value) : value;
}

bool is_one_of(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Returns the first word of a name in any style: "existing" of "existingSecret".
std::string first_word(std::string_view name) {
  size_t end = 0;
  while (end < name.size() && base::is_ascii_alphanumeric(name[end]) &&
         !(end > 0 && base::is_ascii_lower(name[end - 1]) && base::is_ascii_upper(name[end]))) {
    ++end;
  }
  return base::to_lower_ascii(name.substr(0, end));
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
  if (!has_part || first_word(key) == "existing") {
    return false;
  }
  // The name of a Secret, or of a key in one.
  const bool is_reference = letters.ends_with("pullsecret") || letters.ends_with("pullsecrets") ||
                            letters.ends_with("passwordkey");
  const std::string end = last_word(key);
  return !is_reference && !is_one_of(kPropertyEnds, end) && !is_one_of(kHandlerEnds, end);
}

Secrecy secrecy_of(std::string_view key, Secrecy around) {
  const std::string end = last_word(key);
  if (names_credential(key)) {
    return is_one_of(kNumberStarts, first_word(key)) ? Secrecy::kTexts : Secrecy::kAll;
  }
  if (around == Secrecy::kNone || is_one_of(kPropertyEnds, end)) {
    return Secrecy::kNone;
  }
  const bool is_number = end.size() < key.size() && is_one_of(kNumberEnds, end);
  return is_number ? Secrecy::kTexts : around;
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

Value without_credentials(Secrecy secrecy, const Value& value) {
  return cleaned(secrecy, value, 0);
}

}  // namespace chartwright::defaults
