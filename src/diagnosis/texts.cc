// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/texts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "kube/names.h"

namespace chartwright::diagnosis {
namespace {

// Messages may have 32 KiB. Their beginning says what they are about.
constexpr size_t kReadBytesMax = 4096;

/// Returns what follows the first `mark`; nullopt without one.
std::optional<std::string_view> after(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  return at == std::string_view::npos ? std::nullopt : std::optional(text.substr(at + mark.size()));
}

std::string_view before(std::string_view text, std::string_view mark) {
  return text.substr(0, text.find(mark));
}

/// Reports whether `c` may be part of a key of a Secret or ConfigMap.
bool is_key_byte(char c) { return base::is_ascii_word(c) || c == '-' || c == '.'; }

std::string_view leading(std::string_view text, bool (*takes)(char)) {
  return text.substr(0, static_cast<size_t>(std::ranges::find_if_not(text, takes) - text.begin()));
}

/// Kubernetes makes random suffixes of these.
/// Source: k8s.io/apimachinery pkg/util/rand/rand.go.
bool is_suffix_byte(char c) {
  return std::string_view("bcdfghjklmnpqrstvwxz2456789").find(c) != std::string_view::npos;
}

/// Returns the length of "-HASH-SUFFIX", "-HASH" or "-SUFFIX" at the beginning of `text`, or 0.
size_t generated_size(std::string_view text) {
  constexpr size_t kShortest = 5;
  constexpr size_t kLongest = 10;
  size_t size = 0;
  for (int part = 0; part < 2 && text.substr(size).starts_with('-'); ++part) {
    const size_t length = leading(text.substr(size + 1), is_suffix_byte).size();
    const size_t end = size + 1 + length;
    const bool ends = end == text.size() || !(base::is_ascii_alphanumeric(text[end]));
    if (length < kShortest || length > kLongest || !ends) {
      break;
    }
    size = end;
  }
  return size;
}

/// Source: k8s.io/kubernetes pkg/kubelet/kubelet_pods.go makeEnvironmentVariables,
/// pkg/volume/secret/secret.go and pkg/volume/configmap/configmap.go MakePayload.
std::optional<std::string> missing_key(std::string_view message) {
  if (const auto rest = after(message, "couldn't find key ")) {
    const std::string_view key = leading(*rest, is_key_byte);
    for (const std::string_view kind : {"ConfigMap", "Secret"}) {
      if (const auto owner = after(*rest, " in " + std::string(kind) + " ")) {
        const auto name = leading(after(*owner, "/").value_or(""), is_key_byte);
        return "no key " + base::quote_bytes(key) + " in " + std::string(kind) + " " +
               std::string(name);
      }
    }
  }
  for (const std::string_view mark :
       {"references non-existent secret key: ", "references non-existent config key: "}) {
    if (const auto rest = after(message, mark)) {
      return "no key " + base::quote_bytes(leading(*rest, is_key_byte)) +
             (contains(mark, "secret") ? " in the Secret" : " in the ConfigMap");
    }
  }
  return std::nullopt;
}

/// A text in a message, and the words of ours for it.
struct Wording {
  std::string_view text;
  std::string_view words;
};

std::string_view worded(std::string_view message, std::span<const Wording> table,
                        std::string_view otherwise) {
  const auto found = std::ranges::find_if(
      table, [message](const Wording& one) { return contains(message, one.text); });
  return found == table.end() ? otherwise : found->words;
}

}  // namespace

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view text_at(const value::Value& object, std::initializer_list<std::string_view> path) {
  return object.string_at(path).substr(0, kReadBytesMax);
}

int64_t integer_at(const value::Value& object, std::initializer_list<std::string_view> path,
                   int64_t otherwise) {
  const value::Value* found = object.find_path(path);
  return found != nullptr && found->is_int() ? found->as_int() : otherwise;
}

std::string one_line(std::string_view text, size_t max_bytes) {
  std::string line;
  text = text.substr(0, 4 * max_bytes);
  bool pending = false;
  while (!text.empty()) {
    const base::DecodedRune next = base::decode_rune(text);
    const std::string_view bytes = text.substr(0, next.size);
    text.remove_prefix(next.size);
    const bool invalid = next.rune == base::kRuneError && next.size == 1;
    if (invalid || next.rune == ' ' || !base::is_print(next.rune)) {
      pending = !line.empty();
      continue;
    }
    line += pending ? " " : "";
    line += bytes;
    pending = false;
  }
  return base::shortened(std::move(line), max_bytes);
}

std::string_view first_sentence(std::string_view text) {
  text = before(text, ". ");
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::string_view identifier(std::string_view text, std::string_view otherwise) {
  constexpr size_t kLongest = 64;
  const bool fits =
      !text.empty() && text.size() <= kLongest && leading(text, is_key_byte).size() == text.size();
  return fits ? text : otherwise;
}

std::string without_generated_names(std::string_view text, std::string_view base) {
  std::string out;
  while (!base.empty() && !text.empty()) {
    const size_t at = text.find(base);
    if (at == std::string_view::npos) {
      break;
    }
    out += text.substr(0, at + base.size());
    text.remove_prefix(at + base.size());
    text.remove_prefix(generated_size(text));
  }
  return out + std::string(text);
}

std::string restarts_text(int64_t count, Exact exact) {
  if (count <= 0) {
    return "";
  }
  const uint64_t rounded = std::bit_floor(static_cast<uint64_t>(count));
  const bool is_exact = exact == Exact::kYes || count == 1;
  return (is_exact ? std::to_string(count) : std::to_string(rounded) + "+") +
         (count == 1 ? " restart" : " restarts");
}

// Source: k8s.io/kube-scheduler framework/types.go FitError.Error.
std::string scheduling_reasons(std::string_view message) {
  const auto reasons = after(message, "nodes are available: ");
  std::vector<std::string> found;
  for (std::string_view one : base::split(first_sentence(reasons.value_or(message)), ',')) {
    one = base::trim(one);
    if (reasons) {
      one = base::trim(one.substr(leading(one, base::is_ascii_digit<char>).size()));
    }
    found.emplace_back(one);
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return base::join(found, ", ");
}

std::optional<std::string> missing_reference(std::string_view message) {
  for (const std::string_view kind :
       {"secret", "configmap", "persistentvolumeclaim", "serviceaccount"}) {
    const std::string mark = std::string(kind) + " \"";
    for (auto rest = after(message, mark); rest; rest = after(*rest, mark)) {
      const std::string_view name = before(*rest, "\"");
      if (kube::is_dns_subdomain(name) && rest->substr(name.size()).starts_with("\" not found")) {
        return mark + std::string(name) + "\" not found";
      }
    }
  }
  return missing_key(message);
}

std::string_view pull_failure(std::string_view message) {
  // Texts of registries, and of containerd and CRI-O.
  static constexpr std::array<Wording, 15> kFailures = {{
      {"401 Unauthorized", "access denied"},
      {"403 Forbidden", "access denied"},
      {"unauthorized", "access denied"},
      {"authentication required", "access denied"},
      {"access denied", "access denied"},
      {"authorization failed", "access denied"},
      {"toomanyrequests", "too many requests"},
      {"429 Too Many Requests", "too many requests"},
      {"no such host", "no such host"},
      {"connection refused", "connection refused"},
      {"x509: ", "certificate not trusted"},
      {"timeout", "timeout"},
      {"deadline exceeded", "timeout"},
      {"not found", "not found"},
      {"manifest unknown", "not found"},
  }};
  return worded(message, kFailures, "");
}

// Source: k8s.io/kubernetes pkg/kubelet/prober/prober.go, pkg/probe.
std::string probe_failure(std::string_view message) {
  std::string probe = "probe";
  for (const std::string_view type : {"Readiness", "Liveness", "Startup"}) {
    if (message.starts_with(type)) {
      probe = base::to_lower_ascii(type) + " probe";
    }
  }
  if (const auto status = after(message, " probe failed: HTTP probe failed with statuscode: ")) {
    const std::string_view digits = leading(*status, base::is_ascii_digit<char>);
    return probe + ": HTTP status " + std::string(digits.substr(0, 3));
  }
  static constexpr std::array<Wording, 6> kFailures = {{
      {"connection refused", "connection refused"},
      {"connection reset", "connection reset"},
      {"timed out", "timeout"},
      {"imeout", "timeout"},
      {"deadline exceeded", "timeout"},
      {"no such host", "no such host"},
  }};
  return probe + ": " + std::string(worded(message, kFailures, "failed"));
}

// Source: k8s.io/apiserver pkg/admission/plugin (resourcequota, webhook, policy) and
// k8s.io/kubernetes plugin/pkg/admission (limitranger, serviceaccount, podsecurity).
Sign refusal(std::string_view message) {
  for (const std::string_view mark : {" failed error: ", "Error creating: ", " is forbidden: "}) {
    message = after(message, mark).value_or(message);
  }
  Sign sign{Code::kAdmissionDenied, std::string(message), std::string(message)};
  if (message.starts_with("exceeded quota: ") || message.starts_with("failed quota: ")) {
    sign.code = Code::kQuotaExceeded;
    // The numbers in use change with every pod of the namespace.
    sign.stable = before(message, ", requested: ");
  } else if (contains(message, "error looking up service account")) {
    sign.code = Code::kConfigMissing;
    sign.stable = missing_reference(message).value_or(sign.stable);
  } else if (const auto webhook = after(message, "failed calling webhook \"")) {
    sign.stable = "failed calling webhook \"" + std::string(before(*webhook, "\"")) + "\"";
  }
  return sign;
}

// Source: k8s.io/kubernetes pkg/volume/util/types.go generateVolumeMsg.
std::string_view volume_step(std::string_view message) {
  const size_t volume = message.find("for volume \"");
  if (volume == std::string_view::npos) {
    return before(message, ": ");
  }
  const size_t name = volume + std::string_view("for volume \"").size();
  const size_t end = message.find('"', name);
  return end == std::string_view::npos ? message : message.substr(0, end + 1);
}

}  // namespace chartwright::diagnosis
