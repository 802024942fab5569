// SPDX-License-Identifier: Apache-2.0
#include "fields/manager.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/digest.h"

namespace chartwright::fields {
namespace {

constexpr std::string_view kManagerPrefix = "chartwright-";
constexpr size_t kManagerDigits = 12;

bool is_hex(char c) { return base::is_ascii_hex_digit(c) && !base::is_ascii_upper(c); }

// The digits of a UUID, as the API server gives to every object; empty for another uid.
std::string digits_of_uuid(std::string_view uid) {
  constexpr size_t kDigits = 32;
  std::string digits(uid);
  std::erase(digits, '-');
  return digits.size() == kDigits && std::ranges::all_of(digits, is_hex) ? digits : "";
}

}  // namespace

std::string manager_of_owner(std::string_view uid) {
  std::string digits = digits_of_uuid(uid);
  if (digits.empty()) {
    digits = base::sha256_hex(uid);
  }
  return std::string(kManagerPrefix) + digits.substr(0, kManagerDigits);
}

bool is_manager_of_owner(std::string_view manager) {
  if (!manager.starts_with(kManagerPrefix)) {
    return false;
  }
  manager.remove_prefix(kManagerPrefix.size());
  return manager.size() == kManagerDigits && std::ranges::all_of(manager, is_hex);
}

bool is_our_manager(std::string_view manager) {
  return manager == kFieldManager || is_manager_of_owner(manager);
}

}  // namespace chartwright::fields
