// SPDX-License-Identifier: Apache-2.0
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "test/helm/funcs/render.h"

// Reads the certificates back with OpenSSL and checks their printed form, which was compared with
// that of Go's certificates.
namespace chartwright::helm::funcs {
namespace {

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

Certificate read_certificate(const std::string& pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), X509_free);
  REQUIRE(certificate != nullptr);
  return certificate;
}

std::string text_of(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()), BIO_free);
  REQUIRE(X509_print_ex(bio.get(), certificate, XN_FLAG_ONELINE,
                        X509_FLAG_NO_SIGDUMP | X509_FLAG_NO_PUBKEY | X509_FLAG_NO_SERIAL) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

std::vector<Certificate> render_certificates(const std::string& text) {
  const std::string out = render(text);
  std::vector<Certificate> certificates;
  for (std::string_view pem : base::split(out, '@')) {
    certificates.push_back(read_certificate(std::string(pem)));
  }
  return certificates;
}

constexpr const char* kChain =
    R"({{ $ca := genCAWithKey "the ca" 365 (genPrivateKey "ecdsa") }}{{ $ca.Cert }}@)"
    R"({{ (genSignedCertWithKey "srv" (list "1.2.3.4" "::1") (list "a.example") 30 $ca)"
    R"( (genPrivateKey "ed25519")).Cert }}@)"
    R"({{ (genSelfSignedCertWithKey "" nil (list "b.example") 100000)"
    R"( (genPrivateKey "ed25519")).Cert }})";

}  // namespace

TEST_CASE("An authority's certificate says what Go's says") {
  const auto certificates = render_certificates(kChain);
  const std::string text = text_of(certificates[0].get());
  INFO(text);
  CHECK(text.find("Issuer: CN = the ca") != std::string::npos);
  CHECK(text.find("Not Before: May  6 07:08:09 2024 GMT") != std::string::npos);
  CHECK(text.find("Not After : May  6 07:08:09 2025 GMT") != std::string::npos);
  CHECK(text.find("X509v3 Key Usage: critical\n"
                  "                Digital Signature, Key Encipherment, Certificate Sign\n"
                  "            X509v3 Extended Key Usage: \n"
                  "                TLS Web Server Authentication, TLS Web Client Authentication\n"
                  "            X509v3 Basic Constraints: critical\n"
                  "                CA:TRUE\n"
                  "            X509v3 Subject Key Identifier: \n") != std::string::npos);
  CHECK(text.find("Authority Key Identifier") == std::string::npos);
}

TEST_CASE("A signed certificate is signed by its authority") {
  const auto certificates = render_certificates(kChain);
  X509* authority = certificates[0].get();
  X509* signed_one = certificates[1].get();
  CHECK(X509_verify(signed_one, X509_get0_pubkey(authority)) == 1);
  CHECK(X509_check_issued(authority, signed_one) == X509_V_OK);
  const std::string text = text_of(signed_one);
  INFO(text);
  CHECK(text.find("Subject: CN = srv") != std::string::npos);
  CHECK(text.find("CA:FALSE") != std::string::npos);
  CHECK(text.find("DNS:a.example, IP Address:1.2.3.4, IP Address:0:0:0:0:0:0:0:1") !=
        std::string::npos);
}

TEST_CASE("A self-signed certificate without a name has critical alternative names") {
  const auto certificates = render_certificates(kChain);
  X509* alone = certificates[2].get();
  CHECK(X509_verify(alone, X509_get0_pubkey(alone)) == 1);
  const std::string text = text_of(alone);
  INFO(text);
  CHECK(text.find("X509v3 Subject Alternative Name: critical") != std::string::npos);
  CHECK(text.find("Not After : Feb 19 07:08:09 2298 GMT") != std::string::npos);
}

TEST_CASE("A name that OpenSSL would not read again is refused") {
  const std::string key = R"({{ $k := genPrivateKey "ed25519" }})";
  const std::string ca = key + R"({{ $ca := genCAWithKey "ca" 1 $k }})";
  const auto refusal = [](const std::string& text) {
    const std::string out = render(text);
    const size_t at = out.find("error creating certificate: ");
    return at == std::string::npos ? out.substr(0, 200) : out.substr(at + 28);
  };
  // An encoded name is 25 bytes longer than its string.
  const auto [length, size] = GENERATE(table<std::string, std::string>(
      {{"1048552", "1048577"}, {"1048576", "1048601"}, {"10000000", "10000025"}}));
  const std::string name = "(repeat " + length + " \"a\")";
  const std::string want = "x509: a name of " + size + " bytes; it may have 1048576";
  CHECK(refusal(key + "{{ genCAWithKey " + name + " 1 $k }}") == want);
  CHECK(refusal(key + "{{ genSelfSignedCertWithKey " + name + " nil nil 1 $k }}") == want);
  CHECK(refusal(ca + "{{ genSignedCertWithKey " + name + " nil nil 1 $ca $k }}") == want);
  CHECK(refusal("{{ genCA " + name + " 1 }}") == want);
}

TEST_CASE("The longest name that an authority may have is read again") {
  const auto longest =
      render_certificates(R"({{ $k := genPrivateKey "ed25519" }})"
                          R"({{ $ca := genCAWithKey (repeat 1048551 "a") 1 $k }}{{ $ca.Cert }}@)"
                          R"({{ (genSignedCertWithKey "srv" nil nil 1 $ca $k).Cert }})");
  CHECK(X509_check_issued(longest[0].get(), longest[1].get()) == X509_V_OK);
}

TEST_CASE("Alternative names may be many and long") {
  const auto certificates = render_certificates(
      R"({{ $names := list }}{{ range until 2000 }}{{ $names = append $names (printf "n%d" .) }})"
      R"({{ end }}{{ $ips := list }}{{ range until 200 }}{{ $ips = append $ips (printf "10.0.0.%d" .) }})"
      R"({{ end }}{{ (genSelfSignedCertWithKey "a" $ips (append $names (repeat 10000000 "a")) 1)"
      R"( (genPrivateKey "ed25519")).Cert }})");
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificates[0].get(), NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  REQUIRE(names != nullptr);
  CHECK(sk_GENERAL_NAME_num(names.get()) == 2201);
  CHECK(ASN1_STRING_length(sk_GENERAL_NAME_value(names.get(), 2000)->d.ia5) == 10'000'000);
}

}  // namespace chartwright::helm::funcs
