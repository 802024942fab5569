// SPDX-License-Identifier: Apache-2.0
#include "host/host.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <array>
#include <memory>

#include "base/digest.h"

namespace chartwright::host {
namespace {

constexpr size_t kNameBytesMax = 255;

std::string address_text(const addrinfo& found) {
  std::array<char, NI_MAXHOST> text{};
  const int failed = getnameinfo(found.ai_addr, found.ai_addrlen, text.data(), text.size(), nullptr,
                                 0, NI_NUMERICHOST);
  return failed == 0 ? text.data() : "";
}

/// Reports whether the C library would take `name` for an address, such as "127.1" or "0177.0.0.1",
/// which Go does not resolve.
bool is_short_address(const std::string& name) {
  in_addr address{};
  return inet_aton(name.c_str(), &address) != 0 && inet_pton(AF_INET, name.c_str(), &address) != 1;
}

std::vector<std::string> resolve(const std::string& name) {
  if (name.empty() || name.size() > kNameBytesMax || name.find('\0') != std::string::npos ||
      is_short_address(name)) {
    return {};
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;  // Returns each address only once.
  addrinfo* list = nullptr;
  if (getaddrinfo(name.c_str(), nullptr, &hints, &list) != 0) {
    return {};
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  std::vector<std::string> addresses;
  for (const addrinfo* found = list; found != nullptr; found = found->ai_next) {
    addresses.push_back(address_text(*found));
  }
  std::erase(addresses, "");
  return addresses;
}

}  // namespace

base::Status SystemHost::random(std::span<uint8_t> out) { return base::fill_random(out); }

base::Status FixedHost::random(std::span<uint8_t> /*out*/) {
  return base::Error(base::ErrorCode::kInvalidArgument,
                     "random numbers are refused here: the template must always give the same "
                     "result");
}

std::optional<std::vector<std::string>> SystemHost::addresses_of(std::string_view name) {
  if (names_ == NameLookup::kNone) {
    return std::nullopt;
  }
  return resolve(std::string(name));
}

}  // namespace chartwright::host
