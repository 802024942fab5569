// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "go/base_encoding.h"
#include "go/format.h"
#include "go/time.h"
#include "helm/funcs/families.h"
#include "helm/funcs/go_value.h"
#include "pki/pki.h"

// Source: Masterminds/sprig v3.3.0 crypto.go, keys and certificates.
namespace chartwright::helm::funcs {
namespace {

// A sprig.certificate: a struct of two strings.
class CertificateValue final : public value::Native {
 public:
  CertificateValue(std::string certificate, std::string key)
      : certificate_(std::move(certificate)), key_(std::move(key)) {}
  const std::string& certificate() const { return certificate_; }
  const std::string& key() const { return key_; }

  std::string_view go_type() const override { return "sprig.certificate"; }
  std::string_view go_kind() const override { return "struct"; }
  std::optional<Value> field(std::string_view name) const override {
    if (name == "Cert") {
      return Value::string(certificate_);
    }
    return name == "Key" ? std::optional<Value>(Value::string(key_)) : std::nullopt;
  }
  std::string to_string() const override { return "{" + certificate_ + " " + key_ + "}"; }
  std::vector<Member> members() const override {
    return {{"Cert", Value::string(certificate_)}, {"Key", Value::string(key_)}};
  }
  Result<Value> to_json_value() const override {
    return Value::dict({{"Cert", Value::string(certificate_)}, {"Key", Value::string(key_)}});
  }

 private:
  std::string certificate_;
  std::string key_;
};

Value make_certificate(std::string certificate, std::string key) {
  return Value::native(
      std::make_shared<const CertificateValue>(std::move(certificate), std::move(key)));
}

}  // namespace

/// A parameter of type sprig.certificate.
template <>
struct Parameter<const CertificateValue&> {
  static constexpr tmpl::Param kParam = tmpl::Param::kCertificate;
  static const CertificateValue& read(const Value& v) {
    // The executor accepts no other type.
    return dynamic_cast<const CertificateValue&>(v.as_native());
  }
};

namespace {

// Steps charged for generating a key; most of the time is spent on finding primes.
constexpr uint64_t kRsa2048Steps = 400'000;
constexpr uint64_t kRsa4096Steps = 4'000'000;
constexpr uint64_t kDsaSteps = 8'000'000;
constexpr uint64_t kCurveSteps = 2'000;

Result<pki::PrivateKey> new_rsa_key(CallContext& ctx) {
  CW_TRY_VOID(ctx.budget.charge_steps(kRsa2048Steps));
  return pki::PrivateKey::generate(pki::PrivateKey::Kind::kRsa2048);
}

Result<pki::PrivateKey> given_key(CallContext& ctx, std::string_view pem) {
  CW_TRY_VOID(ctx.budget.charge_steps(kCurveSteps));
  Result<pki::PrivateKey> key = pki::PrivateKey::parse_pem(std::string(pem));
  if (!key.ok()) {
    return failure("parsing private key: " + key.error().message());
  }
  return key;
}

Result<std::string> gen_private_key(CallContext& ctx, std::string_view type) {
  struct Choice {
    std::string_view name;
    pki::PrivateKey::Kind kind;
    uint64_t steps;
  };
  constexpr Choice kChoices[] = {{"", pki::PrivateKey::Kind::kRsa4096, kRsa4096Steps},
                                 {"rsa", pki::PrivateKey::Kind::kRsa4096, kRsa4096Steps},
                                 {"dsa", pki::PrivateKey::Kind::kDsa, kDsaSteps},
                                 {"ecdsa", pki::PrivateKey::Kind::kEcdsaP256, kCurveSteps},
                                 {"ed25519", pki::PrivateKey::Kind::kEd25519, kCurveSteps}};
  for (const Choice& choice : kChoices) {
    if (choice.name == type) {
      CW_TRY_VOID(ctx.budget.charge_steps(choice.steps));
      CW_TRY(const pki::PrivateKey key, pki::PrivateKey::generate(choice.kind));
      return key.to_pem();
    }
  }
  return "Unknown type " + std::string(type);
}

// Returns the 4 bytes of an IPv4 address, even if it is written as an IPv4-mapped IPv6 address, or
// the 16 bytes of any other IPv6 address.
std::optional<std::string> parse_ip(const std::string& text) {
  if (text.find('\0') != std::string::npos) {
    return std::nullopt;
  }
  in_addr four{};
  if (inet_pton(AF_INET, text.c_str(), &four) == 1) {
    return std::string(reinterpret_cast<const char*>(&four), sizeof(four));
  }
  in6_addr six{};
  if (inet_pton(AF_INET6, text.c_str(), &six) != 1) {
    return std::nullopt;
  }
  const std::string bytes(reinterpret_cast<const char*>(&six), sizeof(six));
  return IN6_IS_ADDR_V4MAPPED(&six) ? bytes.substr(12) : bytes;
}

Result<std::vector<std::string>> ip_addresses(ListArg ips) {
  std::vector<std::string> out;
  for (const Value& ip : ips.items()) {
    if (!ip.is_string()) {
      return failure("error parsing ip: " + go::format_value(ip) + " is not a string");
    }
    std::optional<std::string> bytes = parse_ip(ip.as_string());
    if (!bytes) {
      return failure("error parsing ip: " + ip.as_string());
    }
    out.push_back(std::move(*bytes));
  }
  return out;
}

Result<std::vector<std::string>> dns_names(ListArg names) {
  std::vector<std::string> out;
  for (const Value& name : names.items()) {
    if (!name.is_string()) {
      return failure("error processing alternate dns name: " + go::format_value(name) +
                     " is not a string");
    }
    out.push_back(name.as_string());
  }
  return out;
}

// The parameters of a certificate.
struct Request {
  std::string_view common_name;
  const ListArg* ips;  // nullptr for no addresses and no names.
  const ListArg* names;
  int64_t days;
};

Result<pki::CertificateTemplate> fill_template(CallContext& ctx, const Request& request) {
  pki::CertificateTemplate out;
  out.common_name = request.common_name;
  if (request.ips != nullptr) {
    CW_TRY(out.addresses, ip_addresses(*request.ips));
    CW_TRY(out.dns_names, dns_names(*request.names));
  }
  // Go's Duration overflows after 292 years.
  constexpr uint64_t kNanosecondsPerDay = uint64_t{86'400} * 1'000'000'000;
  const uint64_t validity = static_cast<uint64_t>(request.days) * kNanosecondsPerDay;
  const go::Time now = go::Time::from_wall(ctx.host.now());
  out.not_before = now.seconds;
  out.not_after = now.plus(base::Duration(static_cast<int64_t>(validity))).seconds;
  CW_TRY_VOID(ctx.host.random(out.serial));
  return out;
}

Result<Value> sign(const pki::CertificateTemplate& contents, const pki::PrivateKey& key,
                   const pki::Issuer& issuer) {
  Result<std::string> certificate = pki::create_certificate(contents, key, issuer);
  if (!certificate.ok()) {
    return failure("error creating certificate: " + certificate.error().message());
  }
  CW_TRY(std::string key_pem, key.to_pem());
  return make_certificate(std::move(certificate).value(), std::move(key_pem));
}

Result<Value> make_authority(CallContext& ctx, std::string_view cn, int64_t days,
                             const pki::PrivateKey& key) {
  CW_TRY(pki::CertificateTemplate contents, fill_template(ctx, {cn, nullptr, nullptr, days}));
  contents.use = pki::CertificateUse::kAuthority;
  return sign(contents, key, {nullptr, key});
}

Result<Value> gen_ca(CallContext& ctx, std::string_view cn, int64_t days) {
  CW_TRY(const pki::PrivateKey key, new_rsa_key(ctx));
  return make_authority(ctx, cn, days, key);
}

Result<Value> gen_ca_with_key(CallContext& ctx, std::string_view cn, int64_t days,
                              std::string_view pem) {
  CW_TRY(const pki::PrivateKey key, given_key(ctx, pem));
  return make_authority(ctx, cn, days, key);
}

Result<Value> gen_self_signed(CallContext& ctx, std::string_view cn, ListArg ips, ListArg names,
                              int64_t days) {
  CW_TRY(const pki::PrivateKey key, new_rsa_key(ctx));
  CW_TRY(const pki::CertificateTemplate contents, fill_template(ctx, {cn, &ips, &names, days}));
  return sign(contents, key, {nullptr, key});
}

// NOLINTNEXTLINE(readability-function-size): The parameters are those of the template function.
Result<Value> gen_self_signed_with_key(CallContext& ctx, std::string_view cn, ListArg ips,
                                       ListArg names, int64_t days, std::string_view pem) {
  CW_TRY(const pki::PrivateKey key, given_key(ctx, pem));
  CW_TRY(const pki::CertificateTemplate contents, fill_template(ctx, {cn, &ips, &names, days}));
  return sign(contents, key, {nullptr, key});
}

Result<Value> sign_with_authority(CallContext& ctx, const Request& request,
                                  const CertificateValue& authority, const pki::PrivateKey& key) {
  const Result<pki::X509Certificate> signer =
      pki::X509Certificate::parse_pem(authority.certificate());
  if (!signer.ok() && signer.error().code() == base::ErrorCode::kNotFound) {
    return failure("unable to decode certificate");
  }
  if (!signer.ok()) {
    return failure("error parsing certificate: decodedSignerCert.Bytes: " +
                   signer.error().message());
  }
  const Result<pki::PrivateKey> signer_key = pki::PrivateKey::parse_pem(authority.key());
  if (!signer_key.ok()) {
    return failure("error parsing private key: " + signer_key.error().message());
  }
  CW_TRY(const pki::CertificateTemplate contents, fill_template(ctx, request));
  return sign(contents, key, {&*signer, *signer_key});
}

// NOLINTNEXTLINE(readability-function-size): The parameters are those of the template function.
Result<Value> gen_signed(CallContext& ctx, std::string_view cn, ListArg ips, ListArg names,
                         int64_t days, const CertificateValue& authority) {
  CW_TRY(const pki::PrivateKey key, new_rsa_key(ctx));
  return sign_with_authority(ctx, {cn, &ips, &names, days}, authority, key);
}

// NOLINTNEXTLINE(readability-function-size): The parameters are those of the template function.
Result<Value> gen_signed_with_key(CallContext& ctx, std::string_view cn, ListArg ips, ListArg names,
                                  int64_t days, const CertificateValue& authority,
                                  std::string_view pem) {
  CW_TRY(const pki::PrivateKey key, given_key(ctx, pem));
  return sign_with_authority(ctx, {cn, &ips, &names, days}, authority, key);
}

Result<Value> build_custom_cert(std::string_view certificate64, std::string_view key64) {
  const Result<std::string> certificate = go::decode_base64(certificate64);
  if (!certificate.ok()) {
    return failure("unable to decode base64 certificate");
  }
  const Result<std::string> key = go::decode_base64(key64);
  if (!key.ok()) {
    return failure("unable to decode base64 private key");
  }
  const Result<pki::X509Certificate> parsed = pki::X509Certificate::parse_pem(*certificate);
  if (!parsed.ok() && parsed.error().code() == base::ErrorCode::kNotFound) {
    return failure("unable to decode certificate");
  }
  if (!parsed.ok()) {
    return failure("error parsing certificate: decodedCert.Bytes: " + parsed.error().message());
  }
  const Result<pki::PrivateKey> parsed_key = pki::PrivateKey::parse_pem(*key);
  if (!parsed_key.ok()) {
    return failure("error parsing private key: " + parsed_key.error().message());
  }
  return make_certificate(*certificate, *key);
}

}  // namespace

void add_certificates(Table& table) {
  constexpr std::string_view kLong = "a name of more than a megabyte is an error";
  constexpr std::string_view kMalformed =
      "other words about malformed keys and certificates; a name of more than a megabyte is an "
      "error";
  table.add("genPrivateKey", gen_private_key);
  table.add("genCA", gen_ca).deviates(kLong);
  table.add("genCAWithKey", gen_ca_with_key).deviates(kMalformed);
  table.add("genSelfSignedCert", gen_self_signed).deviates(kLong);
  table.add("genSelfSignedCertWithKey", gen_self_signed_with_key).deviates(kMalformed);
  table.add("genSignedCert", gen_signed).deviates(kLong);
  table.add("genSignedCertWithKey", gen_signed_with_key).deviates(kMalformed);
  table.add("buildCustomCert", build_custom_cert)
      .deviates("other words about malformed keys and certificates");
}

}  // namespace chartwright::helm::funcs
