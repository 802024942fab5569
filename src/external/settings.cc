// SPDX-License-Identifier: Apache-2.0
#include "external/settings.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "base/strings.h"
#include "go/quote.h"

namespace chartwright::external {
namespace {

using base::Error;
using base::ErrorCode;

base::Result<base::Duration> duration_between(std::string_view text, base::Duration least,
                                              base::Duration most) {
  auto read = base::parse_go_duration(base::trim(text));
  if (!read.ok() || *read < least || *read > most) {
    return Error(ErrorCode::kInvalidArgument,
                 go::quote(std::string(text)) + " is not a duration from " +
                     base::format_go_duration(least) + " to " + base::format_go_duration(most) +
                     ", such as \"30s\"");
  }
  return read;
}

bool is_word(std::string_view text, std::string_view more) {
  const auto fits = [more](char c) {
    return base::is_ascii_letter(c) || base::is_ascii_digit(c) || c == '_' ||
           more.find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

}  // namespace

base::Result<base::Duration> parse_resync(std::string_view text) {
  return duration_between(text, std::chrono::seconds(1), std::chrono::hours(24));
}

base::Result<base::Duration> parse_timeout(std::string_view text) {
  return duration_between(text, std::chrono::milliseconds(10), std::chrono::minutes(1));
}

base::Result<DeletionPolicy> parse_policy(std::string_view text) {
  const std::string_view word = base::trim(text);
  if (word == "Delete") {
    return DeletionPolicy::kDelete;
  }
  if (word == "Orphan") {
    return DeletionPolicy::kOrphan;
  }
  return Error(ErrorCode::kInvalidArgument,
               go::quote(std::string(text)) + " is neither \"Delete\" nor \"Orphan\"");
}

std::optional<kube::Method> http_method(std::string_view name) {
  using kube::Method;
  for (const Method method :
       {Method::kGet, Method::kPost, Method::kPut, Method::kPatch, Method::kDelete}) {
    if (kube::to_string(method) == name) {
      return method;
    }
  }
  return std::nullopt;
}

bool is_grpc_method(std::string_view text) {
  const size_t slash = text.find('/');
  return slash != std::string_view::npos && is_word(text.substr(0, slash), ".") &&
         is_word(text.substr(slash + 1), "");
}

}  // namespace chartwright::external
