// SPDX-License-Identifier: Apache-2.0
#include "helm/render/object_name.h"

#include <algorithm>
#include <vector>

#include "base/ascii.h"
#include "base/strings.h"
#include "go/quote.h"

namespace chartwright::helm {
namespace {

constexpr size_t kLabelBytesMax = 63;
constexpr size_t kSubdomainBytesMax = 253;
constexpr const char* kLabelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

using Faults = std::vector<std::string>;

bool is_small_or_digit(char c) { return base::is_ascii_lower(c) || base::is_ascii_digit(c); }

bool is_label(std::string_view text) {
  return !text.empty() && is_small_or_digit(text.front()) && is_small_or_digit(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_small_or_digit(c) || c == '-'; });
}

bool is_subdomain(std::string_view text) {
  const auto parts = base::split(text, '.');
  return std::all_of(parts.begin(), parts.end(), is_label);
}

std::string too_long(size_t bytes) {
  return "must be no more than " + std::to_string(bytes) + " characters";
}

Faults subdomain_faults(std::string_view name) {
  Faults faults;
  if (name.size() > kSubdomainBytesMax) {
    faults.push_back(too_long(kSubdomainBytesMax));
  }
  if (!is_subdomain(name)) {
    faults.push_back(
        std::string("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
                    "characters, '-' or '.', and must start and end with an alphanumeric character "
                    "(e.g. 'example.com', regex used for validation is '") +
        kLabelPattern + "(\\." + kLabelPattern + ")*')");
  }
  return faults;
}

Faults label_faults(std::string_view name) {
  Faults faults;
  if (name.size() > kLabelBytesMax) {
    faults.push_back(too_long(kLabelBytesMax));
  }
  if (is_label(name)) {
    return faults;
  }
  faults.push_back(
      is_subdomain(name)
          ? "must not contain dots"
          : std::string("a lowercase RFC 1123 label must consist of lower case alphanumeric "
                        "characters or '-', and must start and end with an alphanumeric character "
                        "(e.g. 'my-name',  or '123-abc', regex used for validation is '") +
                kLabelPattern + "')");
  return faults;
}

Faults service_faults(std::string_view name) {
  Faults faults;
  if (name.size() > kLabelBytesMax) {
    faults.push_back(too_long(kLabelBytesMax));
  }
  if (!is_label(name) || !base::is_ascii_lower(name.front())) {
    faults.push_back(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
        "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
  }
  return faults;
}

/// Checks a name that may be anything that is valid as a segment of a URL path, as for roles.
Faults path_faults(std::string_view name) {
  if (name == "." || name == "..") {
    return {"may not be '" + std::string(name) + "'"};
  }
  Faults faults;
  for (char c : {'/', '%'}) {
    if (name.find(c) != std::string_view::npos) {
      faults.push_back(std::string("may not contain '") + c + "'");
    }
  }
  return faults;
}

Faults faults_of(std::string_view kind, std::string_view name) {
  const std::string lower = base::to_lower_ascii(kind);
  if (lower == "service") {
    return service_faults(name);
  }
  if (lower == "namespace") {
    return label_faults(name);
  }
  if (lower == "certificatesigningrequest") {
    return {};
  }
  if (lower == "role" || lower == "clusterrole" || lower == "rolebinding" ||
      lower == "clusterrolebinding") {
    return path_faults(name);
  }
  return subdomain_faults(name);
}

}  // namespace

std::optional<std::string> object_name_fault(std::string_view kind, const std::string& name) {
  Faults faults = faults_of(kind, name);
  if (faults.empty()) {
    return std::nullopt;
  }
  const std::string quoted = go::quote(name);
  for (std::string& fault : faults) {
    fault.insert(0, "metadata.name: Invalid value: " + quoted + ": ");
  }
  const std::string all =
      faults.size() == 1 ? faults.front() : "[" + base::join(faults, ", ") + "]";
  return "object name does not conform to Kubernetes naming requirements: " + quoted + ": " + all;
}

}  // namespace chartwright::helm
