// SPDX-License-Identifier: Apache-2.0
#include "bundle/credential.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"

namespace chartwright::bundle {
namespace {

using value::Value;

constexpr int kSchemaDepthMax = 30;
constexpr std::array<std::string_view, 10> kParts = {
    "password",   "passwd",     "passphrase", "secret", "token",
    "credential", "privatekey", "accesskey",  "apikey", "authkey"};

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

}  // namespace

bool names_credential(std::string_view key) {
  std::string letters;
  for (const char c : key) {
    if (base::is_ascii_alphanumeric(c)) {
      letters += base::to_ascii_lower(c);
    }
  }
  return std::any_of(kParts.begin(), kParts.end(), [&letters](std::string_view part) {
    return letters.find(part) != std::string::npos;
  });
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
