// SPDX-License-Identifier: Apache-2.0
#include "kubeconfig/proxy.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "base/strings.h"
#include "go/quote.h"
#include "go/url.h"
#include "kubeconfig/server_url.h"

namespace chartwright::kube {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

/// An IP address of either version, in the form of version 6.
class Address {
 public:
  /// Parses an address without brackets, whose zone does not matter.
  static std::optional<Address> parse(std::string_view text) {
    Address address;
    const std::string bare(text.substr(0, text.find('%')));
    if (inet_pton(AF_INET6, bare.c_str(), address.bytes_.data()) == 1) {
      return address;
    }
    if (inet_pton(AF_INET, bare.c_str(), address.bytes_.data() + kV4Start) == 1) {
      address.bytes_[kV4Start - 1] = address.bytes_[kV4Start - 2] = 0xFF;
      return address;
    }
    return std::nullopt;
  }

  bool is_v4() const {
    return std::all_of(bytes_.begin(), bytes_.begin() + 10, [](uint8_t b) { return b == 0; }) &&
           bytes_[10] == 0xFF && bytes_[11] == 0xFF;
  }

  bool is_loopback() const {
    Address one;
    one.bytes_.back() = 1;
    return *this == one || (is_v4() && bytes_[kV4Start] == 127);
  }

  /// Reports whether the first bits of an address of the same version are those of `network`.
  bool is_in(const Address& network, size_t bits) const {
    if (is_v4() != network.is_v4()) {
      return false;
    }
    const size_t start = is_v4() ? kV4Start : 0;
    for (size_t bit = 0; bit < bits; ++bit) {
      const size_t at = start + bit / 8;
      const auto mask = static_cast<uint8_t>(0x80U >> (bit % 8));
      if (((bytes_[at] ^ network.bytes_[at]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }

  bool operator==(const Address&) const = default;

 private:
  static constexpr size_t kV4Start = 12;
  std::array<uint8_t, 16> bytes_{};
};

/// The bits before an address of version 4 that is written as one of version 6.
constexpr int64_t kMappedBits = 96;

/// The host that a request goes to: a name in lower case without brackets, and the port.
struct Target {
  std::string host;
  std::string port;
  std::optional<Address> address;
  bool is_localhost;
};

std::string_view without_brackets(std::string_view host) {
  return host.size() >= 2 && host.front() == '[' && host.back() == ']'
             ? host.substr(1, host.size() - 2)
             : host;
}

/// The parts of "host:port" or "[host]:port". Source: Go net.SplitHostPort.
struct HostPort {
  std::string_view host;
  std::string_view port;
};
std::optional<HostPort> split_host_port(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view host = text.substr(0, colon);
  const bool is_bracketed = host.starts_with('[') && host.ends_with(']');
  const std::string_view inner = is_bracketed ? host.substr(1, host.size() - 2) : host;
  const bool has_others = inner.find_first_of("[]") != std::string_view::npos ||
                          (!is_bracketed && inner.find(':') != std::string_view::npos);
  return has_others ? std::nullopt : std::optional(HostPort{inner, text.substr(colon + 1)});
}

/// Reports whether an entry of the form ADDRESS/BITS has the target's address; nullopt if the entry
/// has another form.
std::optional<bool> is_in_network(std::string_view entry, const Target& target) {
  const size_t slash = entry.find('/');
  if (slash == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view digits = entry.substr(slash + 1);
  const std::string_view written = entry.substr(0, slash);
  const auto network = Address::parse(written);
  const auto bits = base::parse_int(digits);
  const bool is_plain = !digits.empty() &&
                        digits.find_first_not_of("0123456789") == std::string_view::npos &&
                        written.find('%') == std::string_view::npos;
  const bool is_v6 = written.find(':') != std::string_view::npos;
  if (!network || !bits || !is_plain || *bits > (is_v6 ? 128 : 32)) {
    return std::nullopt;
  }
  const int64_t skipped = is_v6 && network->is_v4() ? kMappedBits : 0;
  return target.address && *bits >= skipped &&
         target.address->is_in(*network, static_cast<size_t>(*bits - skipped));
}

/// Reports whether an entry of NO_PROXY names the target.
bool is_named(std::string_view entry, const Target& target) {
  if (const auto is_inside = is_in_network(entry, target)) {
    return *is_inside;
  }
  const auto parts = split_host_port(entry);
  std::string_view host = parts ? parts->host : entry;
  const std::string_view port = parts ? parts->port : std::string_view();
  const bool is_port = port.empty() || port == target.port;
  if (const auto address = Address::parse(host); address && host.find('%') == host.npos) {
    return target.address == address && is_port;
  }
  if (host.empty() || target.address) {
    return false;
  }
  if (host.starts_with("*.")) {
    host.remove_prefix(1);
  }
  const std::string suffix = (host.front() == '.' ? "" : ".") + std::string(host);
  return (target.host.ends_with(suffix) || target.host == host) && is_port;
}

/// Reports whether the entries, separated by commas, name the target.
bool is_exempt(std::string_view no_proxy, const Target& target) {
  if (target.is_localhost || (target.address && target.address->is_loopback())) {
    return true;
  }
  for (std::string_view each : base::split(no_proxy, ',')) {
    const std::string entry = base::to_lower_ascii(base::trim(each));
    if (entry == "*" || (!entry.empty() && is_named(entry, target))) {
      return true;
    }
  }
  return false;
}

/// Parses the URL of a proxy; "host:port" is one of http. nullopt if it is neither.
std::optional<go::Url> parse_proxy(const std::string& text) {
  auto url = go::Url::parse(text);
  if (!url.ok() || url->scheme.empty() || url->host.empty()) {
    if (auto plain = go::Url::parse("http://" + text); plain.ok()) {
      return *std::move(plain);
    }
  }
  return url.ok() ? std::optional(*std::move(url)) : std::nullopt;
}

std::string_view default_port(std::string_view scheme) {
  if (scheme == "http") {
    return "80";
  }
  if (scheme == "https") {
    return "443";
  }
  return scheme.starts_with("socks5") ? "1080" : "";
}

std::string first_set(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* found = std::getenv(name);
    if (found != nullptr && *found != '\0') {
      return found;
    }
  }
  return "";
}

}  // namespace

ProxyVariables ProxyVariables::from_process() {
  return {first_set({"http_proxy", "HTTP_PROXY"}), first_set({"https_proxy", "HTTPS_PROXY"}),
          first_set({"no_proxy", "NO_PROXY"}), !first_set({"REQUEST_METHOD"}).empty()};
}

Result<std::string> proxy_for(const std::string& server, const ProxyVariables& variables) {
  const ServerUrl url = split_server_url(server);
  const bool is_plain = url.scheme == "http";
  const std::string& proxy = is_plain ? variables.http_proxy : variables.https_proxy;
  const auto parsed = proxy.empty() ? std::nullopt : parse_proxy(proxy);
  if (!parsed) {
    return std::string();
  }
  if (is_plain && variables.is_cgi) {
    return Error(ErrorCode::kInvalidArgument,
                 "refusing to use HTTP_PROXY value in CGI environment; see "
                 "golang.org/s/cgihttpproxy");
  }
  const std::string_view host = without_brackets(url.host);
  const Target target{base::to_lower_ascii(host), url.port, Address::parse(host),
                      host == "localhost"};
  return is_exempt(variables.no_proxy, target) ? std::string() : parsed->to_string();
}

base::Status check_proxy_url(const std::string& proxy) {
  const auto url = go::Url::parse(proxy);
  if (!url.ok()) {
    return Error(ErrorCode::kInvalidArgument, "not a URL");  // The text may have a password.
  }
  if (url->scheme != "http" && url->scheme != "https" && url->scheme != "socks5") {
    return Error(ErrorCode::kInvalidArgument, "unsupported scheme " + go::quote(url->scheme) +
                                                  ", must be http, https, or socks5");
  }
  return {};
}

std::string proxy_for_curl(const std::string& proxy) {
  auto url = go::Url::parse(proxy);
  if (!url.ok() || url->host.empty()) {
    return proxy;
  }
  const ServerUrl parts = split_server_url(url->scheme + "://" + url->host);
  const bool has_port = !parts.port.empty() && url->host.ends_with(":" + parts.port);
  if (!has_port && !default_port(url->scheme).empty()) {
    url->host = parts.host + ":" + std::string(default_port(url->scheme));
  }
  if (url->scheme == "socks5") {
    url->scheme = "socks5h";
  }
  if (default_port(url->scheme).empty() && !url->scheme.starts_with("socks")) {
    url->user.reset();  // libcurl refuses the scheme, with an error that has the whole URL.
  }
  url->path.clear();
  url->query.clear();
  url->fragment.clear();
  return url->to_string();
}

}  // namespace chartwright::kube
