// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/unicode.h"
#include "go/base_encoding.h"
#include "helm/funcs/families.h"
#include "helm/funcs/go_value.h"
#include "helm/funcs/random_bytes.h"

// Source: Masterminds/sprig v3.3.0 strings.go, crypto.go, functions.go. All randomness comes from
// the host.
namespace chartwright::helm::funcs {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kLettersAndDigits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kAscii =
    " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz"
    "{|}~";

template <const std::string_view& kAlphabet>
Result<std::string> random_text(CallContext& ctx, int64_t count) {
  if (count <= 0) {
    return std::string();
  }
  CW_TRY_VOID(ctx.budget.charge_steps(static_cast<uint64_t>(count)));
  CW_TRY_VOID(ctx.budget.charge_alloc(static_cast<size_t>(count)));
  // Larger bytes are rejected, since they would favour the first characters.
  const size_t fair = 256 - 256 % kAlphabet.size();
  RandomBytes bytes(ctx.host);
  std::string out;
  out.reserve(static_cast<size_t>(count));
  while (out.size() < static_cast<size_t>(count)) {
    CW_TRY(const uint8_t byte, bytes.next());
    if (byte < fair) {
      out += kAlphabet[byte % kAlphabet.size()];
    }
  }
  return out;
}

Result<std::string> rand_bytes(CallContext& ctx, int64_t count) {
  if (count < 0) {
    return failure("runtime error: makeslice: len out of range");
  }
  CW_TRY_VOID(ctx.budget.charge_steps(static_cast<uint64_t>(count)));
  CW_TRY_VOID(ctx.budget.charge_alloc(static_cast<size_t>(count)));
  std::vector<uint8_t> bytes(static_cast<size_t>(count));
  CW_TRY_VOID(ctx.host.random(bytes));
  return go::encode_base64(std::string(bytes.begin(), bytes.end()));
}

// Returns a random integer in [min, max).
Result<GoInt> rand_int(CallContext& ctx, int64_t min, int64_t max) {
  const auto range = static_cast<int64_t>(static_cast<uint64_t>(max) - static_cast<uint64_t>(min));
  if (range <= 0) {
    return failure("invalid argument to Intn");
  }
  RandomBytes bytes(ctx.host);
  CW_TRY(const uint64_t draw, random_below(bytes, static_cast<uint64_t>(range)));
  return GoInt{static_cast<int64_t>(static_cast<uint64_t>(min) + draw)};
}

// Shuffles the code points.
Result<std::string> shuffle(CallContext& ctx, std::string_view text) {
  CW_TRY_VOID(ctx.budget.charge_steps(text.size()));
  CW_TRY_VOID(ctx.budget.charge_alloc(text.size() * sizeof(char32_t)));
  std::vector<char32_t> runes;
  while (!text.empty()) {
    const base::DecodedRune next = base::decode_rune(text);
    runes.push_back(next.rune);
    text.remove_prefix(next.size);
  }
  RandomBytes bytes(ctx.host);
  for (size_t i = runes.size(); i > 1; --i) {
    CW_TRY(const uint64_t other, random_below(bytes, i));
    std::swap(runes[i - 1], runes[other]);
  }
  std::string out;
  for (char32_t rune : runes) {
    base::append_rune(out, rune);
  }
  return out;
}

Result<std::string> uuidv4(CallContext& ctx) {
  std::array<uint8_t, 16> bytes{};
  CW_TRY_VOID(ctx.host.random(bytes));
  return base::uuid_v4(bytes);
}

}  // namespace

void add_random(Table& table) {
  table.add("randAlphaNum", random_text<kLettersAndDigits>);
  table.add("randAlpha", random_text<kLetters>);
  table.add("randNumeric", random_text<kDigits>);
  table.add("randAscii", random_text<kAscii>);
  table.add("randBytes", rand_bytes);
  table.add("randInt", rand_int);
  table.add("shuffle", shuffle);
  table.add("uuidv4", uuidv4);
}

}  // namespace chartwright::helm::funcs
