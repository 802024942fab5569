// SPDX-License-Identifier: Apache-2.0
#include "host/secret_mask.h"

#include <algorithm>
#include <iterator>

#include "base/digest.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "value/json.h"

namespace chartwright::host {
namespace {

using value::Value;

constexpr std::string_view kMask = "***";

// Returns `text` as JSON has it between the quotes. `toJson` writes <, > and & as \u003c and so on.
std::string json_text(std::string_view text, value::JsonEscape escape) {
  const std::string quoted = value::to_json(Value::string(text), escape).value_or("\"\"");
  return quoted.substr(1, quoted.size() - 2);
}

size_t common_prefix(std::string_view a, std::string_view b) {
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<size_t>(differ.first - a.begin());
}

template <typename Action>
void for_each_text(const Value* dict, Action action) {
  if (dict == nullptr || !dict->is_dict()) {
    return;
  }
  for (const auto& [key, member] : dict->as_dict()) {
    if (member.is_string()) {
      action(member.as_string());
    }
  }
}

}  // namespace

void SecretMask::add(const Value& object) {
  for_each_text(object.find("data"), [this](const std::string& encoded) {
    add_secret(encoded);
    if (const auto decoded = base::base64_decode(encoded); decoded.ok()) {
      add_lines(*decoded);
    }
  });
  for_each_text(object.find("stringData"), [this](const std::string& plain) { add_text(plain); });
}

void SecretMask::add_text(std::string_view text) {
  add_secret(base::base64_encode(text));
  add_lines(text);
}

void SecretMask::add(const SecretMask& other) {
  secrets_.insert(other.secrets_.begin(), other.secrets_.end());
}

// Adds each line separately, because a template may indent them.
void SecretMask::add_lines(std::string_view text) {
  for (const std::string_view part : base::split(text, '\n')) {
    const std::string_view line = part.ends_with('\r') ? part.substr(0, part.size() - 1) : part;
    add_secret(line);
    add_secret(json_text(line, value::JsonEscape::kNone));
    add_secret(json_text(line, value::JsonEscape::kHtml));
  }
}

void SecretMask::add_secret(std::string_view secret) {
  if (secret.size() >= kSecretBytesMin) {
    secrets_.emplace(secret);
  }
}

// Returns the length of the longest secret that `rest` begins with; 0 if there is none.
size_t SecretMask::secret_at(std::string_view rest) const {
  while (!rest.empty()) {
    const auto above = secrets_.upper_bound(rest);
    if (above == secrets_.begin()) {
      return 0;
    }
    const std::string& nearest = *std::prev(above);
    const size_t shared = common_prefix(rest, nearest);
    if (shared == nearest.size()) {
      return shared;
    }
    rest = rest.substr(0, shared);  // A shorter match can only be a prefix of this.
  }
  return 0;
}

std::string SecretMask::masked(const std::string& text, size_t max_bytes) const {
  if (secrets_.empty()) {
    return base::shortened(text, max_bytes);
  }
  std::string out;
  for (size_t at = 0; at < text.size() && out.size() <= max_bytes;) {
    const size_t length = secret_at(std::string_view(text).substr(at));
    if (length == 0) {
      out += text[at++];
    } else {
      out += kMask;
      at += length;
    }
  }
  return base::shortened(std::move(out), max_bytes);
}

bool SecretMask::begins_secret(std::string_view text) const {
  const auto next = secrets_.lower_bound(text);
  return next != secrets_.end() && next->starts_with(text);
}

std::string SecretMask::masked_cut(const std::string& text) const {
  constexpr std::string_view kCut = "...";
  if (secrets_.empty() || !text.ends_with(kCut)) {
    return masked(text);
  }
  const std::string whole = text.substr(0, text.size() - kCut.size());
  for (size_t at = 0; at + kSecretBytesMin <= whole.size(); ++at) {
    if (begins_secret(std::string_view(whole).substr(at))) {
      return masked(whole.substr(0, at)) + std::string(kMask) + std::string(kCut);
    }
  }
  return masked(text);
}

base::Error SecretMask::masked(const base::Error& error) const {
  if (secrets_.empty()) {
    return error;  // The common case.
  }
  constexpr size_t kTextBytesMax = size_t{64} << 10;
  const auto shown = [this](const std::string& text) { return masked(text, kTextBytesMax); };
  std::vector<base::ErrorCause> causes = error.causes();
  for (base::ErrorCause& cause : causes) {
    cause.message = shown(cause.message);
  }
  base::Error copy(error.code(), shown(error.message()));
  if (error.pos()) {
    copy = std::move(copy).at(*error.pos());
  }
  return std::move(copy)
      .with_http(error.http_status(), error.reason())
      .with_causes(std::move(causes))
      .with_retry_after(error.retry_after_s())
      .with_help(shown(error.help()));
}

}  // namespace chartwright::host
