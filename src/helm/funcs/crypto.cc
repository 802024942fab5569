// SPDX-License-Identifier: Apache-2.0
#include <crypt.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/openssl_error.h"
#include "go/base_encoding.h"
#include "helm/funcs/caches.h"
#include "helm/funcs/families.h"
#include "helm/funcs/go_value.h"

// Source: Masterminds/sprig v3.3.0 crypto.go, without keys and certificates.
namespace chartwright::helm::funcs {

/// A parameter of type uint32.
template <>
struct Parameter<uint32_t> {
  static constexpr tmpl::Param kParam = tmpl::Param::kUint32;
  static uint32_t read(const Value& v) { return static_cast<uint32_t>(v.as_int()); }
};

namespace {

// Steps charged for a tenth of a second of hashing.
constexpr uint64_t kSlowHashSteps = 200'000;

// Returns a random salt in bcrypt's variant of base64: another alphabet, no padding.
Result<std::string> bcrypt_salt(tmpl::Host& host) {
  constexpr std::string_view kAlphabet =
      "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::array<uint8_t, 16> bytes{};
  CW_TRY_VOID(host.random(bytes));
  std::string out;
  unsigned pending = 0;
  unsigned pending_bits = 0;
  for (uint8_t byte : bytes) {
    pending = (pending << 8U) | byte;
    pending_bits += 8;
    while (pending_bits >= 6) {
      pending_bits -= 6;
      out += kAlphabet[(pending >> pending_bits) & 0x3FU];
    }
  }
  out += kAlphabet[(pending << (6 - pending_bits)) & 0x3FU];
  return out;
}

// Returns the hash "$2a$10$..." of the password.
Result<std::string> bcrypt(CallContext& ctx, std::string_view password) {
  constexpr size_t kPasswordBytesMax = 72;
  if (password.size() > kPasswordBytesMax) {
    return std::string(
        "failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes");
  }
  if (password.find('\0') != std::string_view::npos) {
    return failure("a password with a zero byte cannot be hashed");
  }
  CW_TRY_VOID(ctx.budget.charge_steps(kSlowHashSteps));
  // Go's 2a is 2b in the C library, whose 2a works around an old bug that Go never had.
  CW_TRY(const std::string salt, bcrypt_salt(ctx.host));
  const std::string setting = "$2b$10$" + salt;
  const auto state = std::make_unique<crypt_data>();
  const char* hash = crypt_r(std::string(password).c_str(), setting.c_str(), state.get());
  if (hash == nullptr || hash[0] == '*') {
    return base::Error(base::ErrorCode::kInternal, "the C library has no bcrypt");
  }
  std::string out(hash);
  out[2] = 'a';
  return out;
}

Result<std::string> htpasswd(CallContext& ctx, std::string_view user, std::string_view password) {
  if (user.find(':') != std::string_view::npos) {
    return "invalid username: " + std::string(user);
  }
  CW_TRY(const std::string hash, bcrypt(ctx, password));
  return std::string(user) + ":" + hash;
}

// A password type of Master Password; each letter of a template is a class of characters.
struct PasswordType {
  std::string_view name;
  std::vector<std::string_view> templates;
};

const std::vector<PasswordType>& password_types() {
  static const std::vector<PasswordType> types = {
      {"maximum", {"anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"}},
      {"long",
       {"CvcvnoCvcvCvcv", "CvcvCvcvnoCvcv", "CvcvCvcvCvcvno", "CvccnoCvcvCvcv", "CvccCvcvnoCvcv",
        "CvccCvcvCvcvno", "CvcvnoCvccCvcv", "CvcvCvccnoCvcv", "CvcvCvccCvcvno", "CvcvnoCvcvCvcc",
        "CvcvCvcvnoCvcc", "CvcvCvcvCvccno", "CvccnoCvccCvcv", "CvccCvccnoCvcv", "CvccCvccCvcvno",
        "CvcvnoCvccCvcc", "CvcvCvccnoCvcc", "CvcvCvccCvccno", "CvccnoCvcvCvcc", "CvccCvcvnoCvcc",
        "CvccCvcvCvccno"}},
      {"medium", {"CvcnoCvc", "CvcCvcno"}},
      {"short", {"Cvcn"}},
      {"basic", {"aaanaaan", "aannaaan", "aaannaaa"}},
      {"pin", {"nnnn"}}};
  return types;
}

std::string_view password_characters(char letter) {
  switch (letter) {
    case 'V':
      return "AEIOU";
    case 'C':
      return "BCDFGHJKLMNPQRSTVWXYZ";
    case 'v':
      return "aeiou";
    case 'c':
      return "bcdfghjklmnpqrstvwxyz";
    case 'a':
      return "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz";
    case 'n':
      return "0123456789";
    case 'o':
      return "@&%?,=[]_:-+*$#!'^~;()/.";
    default:
      return "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()";
  }
}

std::string big_endian(uint32_t number) {
  std::string out;
  for (unsigned shift = 32; shift > 0; shift -= 8) {
    out += static_cast<char>((number >> (shift - 8)) & 0xFFU);
  }
  return out;
}

constexpr std::string_view kPasswordScope = "com.lyndir.masterpassword";

std::string scoped(std::string_view text) {
  return std::string(kPasswordScope) + big_endian(static_cast<uint32_t>(text.size())) +
         std::string(text);
}

using Bytes32 = std::array<unsigned char, 32>;

Result<Bytes32> site_seed(const MasterKey& key, const std::string& message) {
  Bytes32 seed{};
  unsigned size = 0;
  CW_TRY_OPENSSL(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                      reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                      seed.data(), &size));
  return seed;
}

// Identifies a password. A struct, because parameters of the same type are easily confused.
struct PasswordQuery {
  uint32_t counter;
  std::string_view type;
  std::string_view master_password;
  std::string_view user;
  std::string_view site;
};

Result<std::string> derive(CallContext& ctx, const PasswordQuery& query) {
  const auto& types = password_types();
  const auto type = std::find_if(types.begin(), types.end(),
                                 [&query](const PasswordType& t) { return t.name == query.type; });
  if (type == types.end()) {
    return "cannot find password template " + std::string(query.type);
  }
  CW_TRY_VOID(ctx.budget.charge_steps(kSlowHashSteps));
  CW_TRY(const MasterKey key,
         caches_of(ctx).master_keys.derive(query.master_password, scoped(query.user)));
  CW_TRY(const Bytes32 seed, site_seed(key, scoped(query.site) + big_endian(query.counter)));
  const std::string_view form = type->templates[seed[0] % type->templates.size()];
  std::string out;
  for (size_t i = 0; i < form.size(); ++i) {
    const std::string_view characters = password_characters(form[i]);
    out += characters[seed[i + 1] % characters.size()];
  }
  return out;
}

// NOLINTNEXTLINE(readability-function-size): The parameters are those of the template function.
Result<std::string> derive_password(CallContext& ctx, uint32_t counter, std::string_view type,
                                    std::string_view master_password, std::string_view user,
                                    std::string_view site) {
  return derive(ctx, {counter, type, master_password, user, site});
}

constexpr size_t kAesBlock = 16;

enum class Direction : uint8_t { kEncrypt, kDecrypt };

// Applies AES-256 in CBC mode to whole blocks; the key is the password, truncated or padded with
// zeros.
Result<std::string> aes_cbc(std::string_view password, std::string_view iv, std::string_view blocks,
                            Direction direction) {
  std::array<unsigned char, 32> key{};
  std::copy_n(password.begin(), std::min(password.size(), key.size()), key.begin());
  CW_TRY(const int length, base::openssl_length(blocks.size()));
  CW_TRY_OPENSSL_NEW(const auto cipher, EVP_CIPHER_CTX_free, EVP_CIPHER_CTX_new());
  CW_TRY_OPENSSL(EVP_CipherInit_ex(cipher.get(), EVP_aes_256_cbc(), nullptr, key.data(),
                                   reinterpret_cast<const unsigned char*>(iv.data()),
                                   direction == Direction::kEncrypt ? 1 : 0));
  CW_TRY_OPENSSL(EVP_CIPHER_CTX_set_padding(cipher.get(), 0));
  std::string out(blocks.size() + kAesBlock, '\0');
  int size = 0;
  CW_TRY_OPENSSL(EVP_CipherUpdate(cipher.get(), reinterpret_cast<unsigned char*>(out.data()), &size,
                                  reinterpret_cast<const unsigned char*>(blocks.data()), length));
  out.resize(static_cast<size_t>(size));
  return out;
}

base::Status check_cipher_size(std::string_view text) {
  constexpr size_t kTextBytesMax = size_t{1} << 30;
  if (text.size() >= kTextBytesMax) {
    return failure("text is too long to be enciphered");
  }
  return {};
}

Result<std::string> encrypt_aes(CallContext& ctx, std::string_view password,
                                std::string_view text) {
  if (text.empty()) {
    return std::string();
  }
  CW_TRY_VOID(check_cipher_size(text));
  CW_TRY_VOID(ctx.budget.charge_alloc(3 * text.size()));
  std::array<uint8_t, kAesBlock> random{};
  CW_TRY_VOID(ctx.host.random(random));
  const std::string iv(random.begin(), random.end());
  const size_t padding = kAesBlock - text.size() % kAesBlock;
  std::string padded(text);
  padded.append(padding, static_cast<char>(padding));
  CW_TRY(const std::string enciphered, aes_cbc(password, iv, padded, Direction::kEncrypt));
  return go::encode_base64(iv + enciphered);
}

base::Error slice_out_of_range(const std::string& bounds) {
  return failure("runtime error: slice bounds out of range " + bounds);
}

// A wrong password yields garbage, or one of Go's slice errors.
Result<std::string> decrypt_aes(CallContext& ctx, std::string_view password,
                                std::string_view text) {
  if (text.empty()) {
    return std::string();
  }
  CW_TRY_VOID(check_cipher_size(text));
  CW_TRY_VOID(ctx.budget.charge_alloc(2 * text.size()));
  CW_TRY(const std::string bytes, go::decode_base64(text));
  const size_t capacity = text.size() / 4 * 3;  // Capacity of Go's buffer.
  if (capacity < kAesBlock) {
    return slice_out_of_range("[:16] with capacity " + std::to_string(capacity));
  }
  if (bytes.size() < kAesBlock) {
    return slice_out_of_range("[16:" + std::to_string(bytes.size()) + "]");
  }
  const std::string_view blocks = std::string_view(bytes).substr(kAesBlock);
  if (blocks.size() % kAesBlock != 0) {
    return failure("crypto/cipher: input not full blocks");
  }
  if (blocks.empty()) {
    return failure("runtime error: index out of range [-1]");
  }
  CW_TRY(std::string plain,
         aes_cbc(password, bytes.substr(0, kAesBlock), blocks, Direction::kDecrypt));
  const auto padding = static_cast<unsigned char>(plain.back());
  if (padding > plain.size()) {
    return slice_out_of_range(
        "[:" + std::to_string(static_cast<int64_t>(plain.size()) - int64_t{padding}) + "]");
  }
  plain.resize(plain.size() - padding);
  return plain;
}

}  // namespace

void add_crypto(Table& table) {
  table.add("bcrypt", bcrypt).deviates("a password with a zero byte is an error");
  table.add("htpasswd", htpasswd).deviates("a password with a zero byte is an error");
  table.add("derivePassword", derive_password);
  table.add("encryptAES", encrypt_aes);
  table.add("decryptAES", decrypt_aes);
}

}  // namespace chartwright::helm::funcs
