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

// Why a URL cannot be used; "" if it can.
std::string_view fault_of_url(std::string_view url) {
  std::string_view rest = url;
  if (url.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (url.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return "it must begin with \"https://\" or \"http://\"";
  }
  if (!std::all_of(rest.begin(), rest.end(), is_graphic)) {
    return "it has a space or a character that URLs do not have";
  }
  if (rest.find('@') != std::string_view::npos) {
    return "credentials belong in a Secret that \"bearer\" or \"basic\" names";
  }
  if (rest.find_first_of("?#") != std::string_view::npos) {
    return "a query belongs to the calls";
  }
  return rest.empty() || rest.front() == '/' ? "it names no host" : "";
}

// Reports whether what is sent to the URL can be read on the way.
bool is_in_the_clear(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) {
    return false;
  }
  url.remove_prefix(kScheme.size());
  const std::string_view host = url.substr(0, url.find('/'));
  const std::string_view name = host.substr(0, host.rfind(':'));
  return name != "localhost" && name != "127.0.0.1" && name != "[::1]" && host != "[::1]";
}

bool is_port(std::string_view text) {
  const auto port = base::parse_int(text);
  return port && *port > 0 && *port <= 65535;
}

// Names that gRPC resolves by itself, rather than a host and a port.
// Source: grpc/grpc doc/naming.md.
bool has_grpc_scheme(std::string_view address) {
  constexpr std::array<std::string_view, 7> kSchemes = {
      "dns:", "unix:", "unix-abstract:", "ipv4:", "ipv6:", "vsock:", "xds:"};
  return std::ranges::any_of(
      kSchemes, [address](std::string_view scheme) { return address.starts_with(scheme); });
}

}  // namespace

bool is_graphic(char c) { return static_cast<unsigned char>(c - '!') <= '~' - '!'; }

base::Status check_base_url(std::string_view url) {
  if (const std::string_view fault = fault_of_url(url); !fault.empty()) {
    // Not quoted: what is wrong with it may be that it has a password.
    return Error(ErrorCode::kInvalidArgument, "baseURL cannot be used: " + std::string(fault));
  }
  return {};
}

base::Status check_for_credentials(std::string_view url) {
  if (is_in_the_clear(url)) {
    return Error(ErrorCode::kInvalidArgument,
                 "baseURL is http://, over which no credentials are sent: use https://, or set "
                 "\"plaintext: true\" beside them");
  }
  return {};
}

base::Status check_grpc_address(std::string_view address) {
  if (address.empty()) {
    return Error(ErrorCode::kInvalidArgument, "address is empty; it is \"host:port\"");
  }
  const size_t colon = address.rfind(':');
  const std::string_view host = address.substr(0, colon);
  const bool is_plain = colon != std::string_view::npos && !host.empty() &&
                        host.find('/') == std::string_view::npos &&
                        is_port(address.substr(colon + 1)) && std::ranges::all_of(host, is_graphic);
  if (is_plain || has_grpc_scheme(address)) {
    return {};
  }
  // Not quoted: it may have a password.
  return Error(ErrorCode::kInvalidArgument,
               "the address is not \"host:port\", such as \"store.example.com:443\": it has no "
               "scheme and no path; TLS is used unless there is \"plaintext: true\"");
}

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
