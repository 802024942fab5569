// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/web.h"

#include <string>

#include "base/strings.h"
#include "base/unicode.h"
#include "go/regexp.h"
#include "go/url.h"

namespace chartwright::helm {
namespace {

using go::Regexp;

constexpr size_t kUrlRunesMax = 2083;
constexpr size_t kUrlBytesMin = 3;

/// The characters beyond ASCII that are allowed like letters.
const std::string kWide = R"(\x{00A0}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFEF})";

std::string one_of(const std::string& members) { return "[" + members + kWide + "]"; }

/// Returns a pattern for a word with first and last characters of `edge` and others of `middle`.
std::string word(const std::string& edge, const std::string& middle) {
  return one_of(edge) + "(?:" + one_of(middle) + "*" + one_of(edge) + ")?";
}

std::string email_pattern() {
  const std::string atom = one_of(R"(a-zA-Z0-9!#$%&'*+\-/=?^_`{|}~)") + "+";
  const std::string dotted = atom + R"((?:\.)" + atom + ")*";
  const std::string folded_space = R"((?:(?:[ \t]*\r\n)?[ \t]+)?)";
  const std::string quoted_text = one_of(R"(\x01-\x08\x0b\x0c\x0e-\x1f\x7f!\x23-\x5b\x5d-\x7e)");
  // The library escapes with a parenthesis, unlike the standard, which uses a backslash.
  const std::string quoted_pair = R"(\([\x01-\x09\x0b-\x0d\x0e-\x7f])";
  // The library expects a quote before every character.
  const std::string quoted = "(?:\"" + folded_space + "(?:" + quoted_text + "|" + quoted_pair +
                             "))*" + folded_space + "\"";
  const std::string label = word("a-zA-Z0-9", R"(a-zA-Z0-9\-._~)");
  const std::string top = word("a-zA-Z", R"(a-zA-Z0-9\-_~)");
  return "^(?:" + dotted + "|" + quoted + ")@(?:" + label + R"(\.)+)" + top + R"(\.?$)";
}

/// Returns a pattern for IPv6 in all abbreviated forms, and with IPv4 at the end.
std::string ip6_pattern() {
  const std::string h = "[0-9a-fA-F]{1,4}";
  const std::string octet = "(?:25[0-5]|(?:2[0-4]|1?[0-9])?[0-9])";
  const std::string ip4 = "(?:" + octet + R"(\.){3})" + octet;
  std::string pattern = "(?:(?:" + h + ":){7}" + h + "|(?:" + h + ":){1,7}:";
  for (int left = 6; left >= 1; --left) {
    const std::string right = std::to_string(7 - left);
    pattern += "|(?:" + h + ":){1," + std::to_string(left) + "}(?::" + h + "){1," + right + "}";
  }
  return pattern + "|:(?:(?::" + h + "){1,7}|:)" + "|fe80:(?::[0-9a-fA-F]{0,4}){0,4}%[0-9a-zA-Z]+" +
         "|::(?:ffff(?::0{1,4})?:)?" + ip4 + "|(?:" + h + ":){1,4}:" + ip4 + ")";
}

std::string url_pattern() {
  const std::string ip4 =
      R"((?:[1-9]\d?|1\d\d|2[01]\d|22[0-3]|24\d|25[0-5])(?:\.(?:\d{1,2}|1\d\d|2[0-4]\d|25[0-5])){2})"
      R"(\.(?:[0-9]\d?|1\d\d|2[0-4]\d|25[0-5]))";
  const std::string subdomain =
      R"((?:www\.|[a-zA-Z0-9]+(?:[-_.]?[a-zA-Z0-9])*[a-zA-Z0-9]\.[a-zA-Z0-9]+))";
  const std::string wide = R"(\x{00a1}-\x{ffff})";
  const std::string name = "(?:[a-zA-Z0-9](?:[a-zA-Z0-9\\-_]+)?[a-zA-Z0-9](?:[-.][a-zA-Z0-9]+)*|" +
                           subdomain + "?)?" + "(?:[a-zA-Z" + wide + "0-9]+-?-?)*[a-zA-Z" + wide +
                           "0-9]+(?:\\.[a-zA-Z" + wide + "]+)?";
  return R"(^(?:(?:ftp|tcp|udp|wss?|https?)://)?(?:\S+(?::\S*)?@)?)" + ("(?:" + ip4) + R"(|\[)" +
         ip6_pattern() + R"(\]|)" + name + R"()\.?(?::\d{1,5})?(?:[/?#]\S*)?$)";
}

}  // namespace

bool is_email(std::string_view text) {
  static const Regexp pattern = CW_MUST(Regexp::compile(email_pattern()));
  return pattern.matches(text);
}

bool is_url(std::string_view text) {
  if (base::rune_count(text) >= kUrlRunesMax || text.size() <= kUrlBytesMin ||
      text.starts_with('.')) {
    return false;
  }
  const bool has_port_only =
      text.find(':') != std::string_view::npos && text.find("://") == std::string_view::npos;
  const auto url = go::Url::parse((has_port_only ? "http://" : "") + std::string(text));
  if (!url.ok() || url->host.starts_with('.')) {
    return false;
  }
  if (url->host.empty() && !url->path.empty() && url->path.find('.') == std::string::npos) {
    return false;
  }
  static const Regexp pattern = CW_MUST(Regexp::compile(url_pattern()));
  return pattern.matches(text);
}

bool is_request_url(std::string_view text) {
  // A request URL has no fragment: '#' is an ordinary character there, which hosts cannot contain.
  const auto url = go::Url::parse(base::replace_all(text, "#", "%23"));
  return url.ok() && !url->scheme.empty();
}

}  // namespace chartwright::helm
