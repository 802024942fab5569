// SPDX-License-Identifier: Apache-2.0
#include "go/url.h"

#include <arpa/inet.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/strings.h"
#include "go/quote.h"

namespace chartwright::go {
namespace {

using base::Result;

// The part of a URL, which determines the characters that need no escape.
enum class Part : uint8_t { kPath, kSegment, kHost, kZone, kUser, kFragment };

base::Error url_error(std::string message) {
  return base::Error(base::ErrorCode::kParse, std::move(message));
}

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// Source: Go net/url shouldEscape.
bool must_escape(char c, Part part) {
  if (base::is_ascii_alphanumeric(c) || is_one_of(c, "-_.~")) {
    return false;
  }
  switch (part) {
    case Part::kPath:
      return !is_one_of(c, "$&+,/:;=@");
    case Part::kSegment:
      return !is_one_of(c, "$&+:=@");
    case Part::kHost:
    case Part::kZone:
      return !is_one_of(c, "!$&'()*+,;=:[]<>\"");
    case Part::kUser:
      return !is_one_of(c, "$&+,;=");
    case Part::kFragment:
      return !is_one_of(c, "$&+,/:;=?@!()*");
  }
  return true;
}

std::string escape(std::string_view text, Part part) {
  std::string out;
  for (char c : text) {
    if (must_escape(c, part)) {
      base::append_percent_encoded(out, c);
    } else {
      out += c;
    }
  }
  return out;
}

// Decodes the escape at the start of `text`. A host may escape only non-ASCII bytes, a zone a few
// more.
Result<char> unescape_byte(std::string_view text, Part part) {
  const std::string_view escape = text.substr(0, 3);
  const base::Error error = url_error("invalid URL escape " + quote(escape));
  const int high = escape.size() == 3 ? base::hex_digit_value(escape[1]) : -1;
  const int low = escape.size() == 3 ? base::hex_digit_value(escape[2]) : -1;
  if (high < 0 || low < 0) {
    return error;
  }
  const auto byte = static_cast<char>(high * 16 + low);
  if (part == Part::kHost && high < 8 && escape != "%25") {
    return error;
  }
  if (part == Part::kZone && escape != "%25" && byte != ' ' && must_escape(byte, Part::kHost)) {
    return error;
  }
  return byte;
}

Result<std::string> unescape(std::string_view text, Part part) {
  std::string out;
  while (!text.empty()) {
    const char c = text[0];
    if (c == '%') {
      CW_TRY(const char byte, unescape_byte(text, part));
      out += byte;
      text.remove_prefix(3);
      continue;
    }
    const bool in_host = part == Part::kHost || part == Part::kZone;
    if (in_host && static_cast<unsigned char>(c) < 0x80 && must_escape(c, part)) {
      return url_error("invalid character " + quote(text.substr(0, 1)) + " in host name");
    }
    out += c;
    text.remove_prefix(1);
  }
  return out;
}

// Reports whether `text` is "" or a colon and digits.
bool is_port(std::string_view text) {
  return text.empty() ||
         (text[0] == ':' && std::all_of(text.begin() + 1, text.end(), base::is_ascii_digit<char>));
}

base::Error bad_port(std::string_view text) {
  return url_error("invalid port " + quote(text) + " after host");
}

// Checks an IPv6 address with an optional zone. Source: Go netip.ParseAddr.
base::Status check_ip6(const std::string& address) {
  const std::string plain = address.substr(0, address.find('%'));
  in6_addr six{};
  in_addr four{};
  const bool has_zone = plain.size() != address.size();
  if (!has_zone && inet_pton(AF_INET, plain.c_str(), &four) == 1) {
    return url_error("invalid IP-literal");
  }
  const bool empty_zone = has_zone && plain.size() + 1 == address.size();
  if (plain.find('\0') != std::string::npos || empty_zone ||
      inet_pton(AF_INET6, plain.c_str(), &six) != 1) {
    return url_error("invalid host: ParseAddr(" + quote(address) + "): unable to parse IP");
  }
  return {};
}

// Parses "[address]:port".
Result<std::string> parse_bracketed_host(std::string_view host) {
  const size_t close = host.rfind(']');
  if (close == std::string_view::npos) {
    return url_error("missing ']' in host");
  }
  const std::string_view port = host.substr(close + 1);
  if (!is_port(port)) {
    return bad_port(port);
  }
  const std::string_view inside = host.substr(1, close - 1);
  const size_t zone = std::min(inside.find("%25"), inside.size());
  CW_TRY(std::string address, unescape(inside.substr(0, zone), Part::kHost));
  CW_TRY(const std::string zone_name, unescape(inside.substr(zone), Part::kZone));
  address += zone_name;
  CW_TRY_VOID(check_ip6(address));
  return "[" + address + "]" + std::string(port);
}

Result<std::string> parse_host(std::string_view scheme, std::string_view host) {
  const size_t open = host.rfind('[');
  if (open == 0) {
    return parse_bracketed_host(host);
  }
  if (open != std::string_view::npos) {
    return url_error("invalid IP-literal");
  }
  const bool strict = scheme == "http" || scheme == "https";
  const size_t colon = strict ? host.find(':') : host.rfind(':');
  if (colon != std::string_view::npos && !is_port(host.substr(colon))) {
    return bad_port(host.substr(colon));
  }
  return unescape(host, Part::kHost);
}

bool is_user_info(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return base::is_ascii_alphanumeric(c) || is_one_of(c, "-._:~!$&'()*+,;=%@");
  });
}

Result<UserInfo> parse_user(std::string_view text) {
  if (!is_user_info(text)) {
    return url_error("net/url: invalid userinfo");
  }
  UserInfo out;
  const size_t colon = std::min(text.find(':'), text.size());
  CW_TRY(out.name, unescape(text.substr(0, colon), Part::kUser));
  if (colon < text.size()) {
    CW_TRY(out.password, unescape(text.substr(colon + 1), Part::kUser));
  }
  return out;
}

// Parses user@host.
base::Status parse_authority(std::string_view text, Url& url) {
  const size_t at = text.rfind('@');
  const std::string_view host = at == std::string_view::npos ? text : text.substr(at + 1);
  CW_TRY(url.host, parse_host(url.scheme, host));
  if (at != std::string_view::npos) {
    CW_TRY(url.user, parse_user(text.substr(0, at)));
  }
  return {};
}

// Removes and returns the scheme of `rest` if it starts with "scheme:".
Result<std::string> take_scheme(std::string_view& rest) {
  for (size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    const bool letter = base::is_ascii_alphanumeric(c) && !base::is_ascii_digit(c);
    if (letter || (i > 0 && (base::is_ascii_digit(c) || is_one_of(c, "+-.")))) {
      continue;
    }
    if (c != ':') {
      break;
    }
    if (i == 0) {
      return url_error("missing protocol scheme");
    }
    const std::string scheme = base::to_lower_ascii(rest.substr(0, i));
    rest.remove_prefix(i + 1);
    return scheme;
  }
  return std::string();
}

base::Status parse_without_fragment(std::string_view text, Url& url) {
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; })) {
    return url_error("net/url: invalid control character in URL");
  }
  std::string_view rest = text;
  if (text != "*") {
    CW_TRY(url.scheme, take_scheme(rest));
  }
  const size_t question = std::min(rest.find('?'), rest.size());
  url.query = rest.substr(std::min(question + 1, rest.size()));
  rest = rest.substr(0, question);
  if (!rest.starts_with('/') && !url.scheme.empty()) {
    url.opaque = rest;
    return {};
  }
  if (!rest.starts_with('/') && rest.substr(0, rest.find('/')).find(':') != rest.npos) {
    return url_error("first path segment in URL cannot contain colon");
  }
  if (rest.starts_with("//") && (!url.scheme.empty() || !rest.starts_with("///"))) {
    rest.remove_prefix(2);
    const size_t slash = std::min(rest.find('/'), rest.size());
    CW_TRY_VOID(parse_authority(rest.substr(0, slash), url));
    rest.remove_prefix(slash);
  }
  CW_TRY(url.path, unescape(rest, Part::kPath));
  return {};
}

base::Error in_url(std::string_view text, base::Error error) {
  return std::move(error).wrap("parse " + quote(text));
}

}  // namespace

std::string escape_path_segment(std::string_view text) { return escape(text, Part::kSegment); }

std::string escape_query(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == ' ') {
      out += '+';
    } else if (base::is_uri_unreserved(c)) {
      out += c;
    } else {
      base::append_percent_encoded(out, c);
    }
  }
  return out;
}

std::string UserInfo::to_string() const {
  std::string out = escape(name, Part::kUser);
  if (password) {
    out += ":" + escape(*password, Part::kUser);
  }
  return out;
}

Result<Url> Url::parse(std::string_view text) {
  const size_t hash = std::min(text.find('#'), text.size());
  const std::string_view before = text.substr(0, hash);
  Url url;
  base::Status parsed = parse_without_fragment(before, url);
  if (!parsed.ok()) {
    return in_url(before, std::move(parsed).error());
  }
  Result<std::string> fragment =
      unescape(text.substr(std::min(hash + 1, text.size())), Part::kFragment);
  if (!fragment.ok()) {
    return in_url(text, std::move(fragment).error());
  }
  url.fragment = std::move(fragment).value();
  return url;
}

std::string_view Url::hostname() const {
  std::string_view out = host;
  const size_t colon = out.rfind(':');
  if (colon != std::string_view::npos && is_port(out.substr(colon))) {
    out = out.substr(0, colon);
  }
  return out.starts_with('[') && out.ends_with(']') ? out.substr(1, out.size() - 2) : out;
}

std::string Url::to_string() const {
  std::string out = scheme.empty() ? "" : scheme + ":";
  if (!opaque.empty()) {
    out += opaque;
  } else {
    if (!host.empty() || user || (!scheme.empty() && !path.empty())) {
      out += "//" + (user ? user->to_string() + "@" : std::string()) + escape(host, Part::kHost);
    }
    const std::string escaped = path == "*" ? path : escape(path, Part::kPath);
    if (!escaped.empty() && escaped[0] != '/' && !host.empty()) {
      out += '/';
    }
    // "a:b" alone would be parsed as a scheme.
    if (out.empty() && escaped.substr(0, escaped.find('/')).find(':') != std::string::npos) {
      out += "./";
    }
    out += escaped;
  }
  out += query.empty() ? "" : "?" + query;
  out += fragment.empty() ? "" : "#" + escape(fragment, Part::kFragment);
  return out;
}

}  // namespace chartwright::go
