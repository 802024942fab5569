// SPDX-License-Identifier: Apache-2.0
#include "kube/query.h"

#include <utility>

namespace chartwright::kube {

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kUnreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (kUnreserved.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 0xF];
  }
  return out;
}

void Query::add(std::string_view key, std::string_view value) {
  if (value.empty()) {
    return;
  }
  text_ += text_.empty() ? '?' : '&';
  text_ += percent_encode(key) + "=" + percent_encode(value);
}

std::string Query::append_to(std::string path) const { return std::move(path) + text_; }

}  // namespace chartwright::kube
