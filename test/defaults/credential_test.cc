// SPDX-License-Identifier: Apache-2.0
#include "defaults/credential.h"

#include <catch2/catch.hpp>

#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::defaults {
namespace {

std::string cleaned(std::string_view key, const std::string& yaml) {
  const auto value = yaml::parse_yaml(yaml, value::Numbers::kInt64);
  REQUIRE(value.ok());
  return value::to_json(without_credentials(secrecy_of(key), *value)).value_or("");
}

}  // namespace

TEST_CASE("A credential is known by its name") {
  CHECK(names_credential("password"));
  CHECK(names_credential("rootPassword"));
  CHECK(names_credential("MONGO_INITDB_ROOT_PASSWORD"));
  CHECK(names_credential("api-key"));
  CHECK(names_credential("bearerToken"));
  CHECK_FALSE(names_credential("publicKey"));
  CHECK_FALSE(names_credential("image"));
  CHECK_FALSE(names_credential(""));
}

TEST_CASE("A name that tells something about a credential, or who handles it, is not one") {
  for (const char* name :
       {"createSecretJob", "secretName", "TOKEN_TTL", "tokenTTLSeconds", "password-policy",
        "secretsManager", "passwordLength", "token.path", "tokenReviewer_image",
        "secretAnnotations", "existingSecret", "existing_secret", "existingSecretPasswordKey",
        "imagePullSecrets", "pull-secret", "adminPasswordKey", "secretKeyRef", "secretType"}) {
    INFO(name);
    CHECK_FALSE(names_credential(name));
  }
  for (const char* name : {"jobSecret", "secretData", "nameToken", "passwordJobs1", "secretname",
                           "TokenValue", "createsecretjob", "secret", "secrets", "secret_",
                           "secretKey", "preexistingSecret", "nonexisting_token", "maxTokens"}) {
    INFO(name);
    CHECK(names_credential(name));
  }
  CHECK(cleaned("createSecretJob",
                "{runAsUser: 2000, image: {tag: a}, password: x, token: {a: z}}") ==
        R"({"image":{"tag":"a"},"password":"","runAsUser":2000,"token":{"a":""}})");
}

TEST_CASE("A credential is known by its content") {
  CHECK(is_credential("-----BEGIN RSA PRIVATE KEY-----\nMII"));
  CHECK(is_credential("mongodb://root:pass@db:27017/x"));
  CHECK(is_credential("amqp://u:p/a@b@host"));
  CHECK_FALSE(is_credential("http://host:80/path"));
  CHECK_FALSE(is_credential("git@example.com:a/b"));
  CHECK_FALSE(is_credential("http://user@host"));
}

TEST_CASE("A property of a credential is shown, as is a number that only sounds like one") {
  CHECK(cleaned("secret", "{name: a, path: /b, annotations: {c: d}, enabled: yes, data: {e: f}}") ==
        R"({"annotations":{"c":"d"},"data":{"e":""},"enabled":true,"name":"a","path":"/b"})");
  CHECK(cleaned("secret", "{name: {password: p}}") == R"({"name":{"password":""}})");
  CHECK(cleaned("secretBackend", "{runAsUser: 1000, replicas: 2, fsGroup: x, user: 12, 7: 8}") ==
        R"({"7":0,"fsGroup":"","replicas":2,"runAsUser":1000,"user":0})");
  CHECK(cleaned("maxTokens", "4096") == "4096");
  CHECK(cleaned("maxTokens", "abc") == R"("")");
  CHECK(cleaned("password", "1234") == "0");
  CHECK(cleaned("passwords", "{admin: 1234, server: x, job: z}") ==
        R"({"admin":0,"job":"","server":""})");
  CHECK(cleaned("password", "''") == R"("")");
  CHECK(cleaned("useToken", "true") == "true");
}

TEST_CASE("Credentials are blank wherever they are, and the rest stays") {
  CHECK(cleaned("auth", "{user: me, password: p, pin: 1, used: true}") ==
        R"({"password":"","pin":1,"used":true,"user":"me"})");
  CHECK(cleaned("tokens", "{a: [x, 1, true, null], b: {c: z}}") ==
        R"({"a":["",0,true,null],"b":{"c":""}})");
  CHECK(cleaned("urls", "[redis://:p@h, redis://h]") == R"(["","redis://h"])");
  CHECK(cleaned("password", "p") == R"("")");
}

}  // namespace chartwright::defaults
