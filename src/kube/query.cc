// SPDX-License-Identifier: Apache-2.0
#include "kube/query.h"

#include <utility>

#include "base/ascii.h"
#include "base/strings.h"

namespace chartwright::kube {

namespace {

/// Escapes everything that is neither unreserved nor in `kept` as %XX.
std::string escape(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (base::is_uri_unreserved(c) || kept.find(c) != std::string_view::npos) {
      out += c;
    } else {
      base::append_percent_encoded(out, c);
    }
  }
  return out;
}

}  // namespace

std::string percent_encode(std::string_view text) { return escape(text, ""); }

std::string escape_segment(std::string_view text) { return escape(text, "$&+=:@"); }

void Query::add(std::string_view key, std::string_view value) {
  if (value.empty()) {
    return;
  }
  text_ += text_.empty() ? '?' : '&';
  text_ += percent_encode(key) + "=" + percent_encode(value);
}

std::string Query::append_to(std::string path) const { return std::move(path) + text_; }

}  // namespace chartwright::kube
