// SPDX-License-Identifier: Apache-2.0
#include "report/redaction.h"

#include <catch2/catch.hpp>

#include "base/digest.h"
#include "yaml/yaml.h"

namespace chartwright::cmd {
namespace {

using value::Value;

Value read_yaml(const std::string& text) {
  return CW_MUST(yaml::parse_yaml(text, value::Numbers::kInt64));
}

std::string redacted_yaml(const std::string& text) {
  return CW_MUST(yaml::to_yaml(redacted(read_yaml(text))));
}

/// Returns a Secret with one value.
Value secret_with(const std::string& plain) {
  return Value::dict({{"apiVersion", Value::string("v1")},
                      {"kind", Value::string("Secret")},
                      {"data", Value::dict({{"key", Value::string(base::base64_encode(plain))}})}});
}

std::string without_secret(const std::string& plain, const std::string& text) {
  SeenSecrets secrets;
  secrets.learn(secret_with(plain));
  return secrets.mask().masked(text);
}

}  // namespace

TEST_CASE("The values of a Secret are replaced by their sizes, and the keys stay") {
  CHECK(redacted_yaml(R"(apiVersion: v1
kind: Secret
metadata: {name: db}
type: Opaque
data: {password: aHVudGVyMg==, empty: "", odd: "%%%", wrong: 7}
stringData: {user: admin}
)") == R"(apiVersion: v1
data:
  empty: '*** (0 bytes)'
  odd: '*** (3 bytes)'
  password: '*** (7 bytes)'
  wrong: '***'
kind: Secret
metadata:
  name: db
stringData:
  user: '*** (5 bytes)'
type: Opaque
)");
  CHECK(redacted_yaml("{apiVersion: v1, kind: Secret, data: hunter2}").find("hunter2") ==
        std::string::npos);
}

TEST_CASE("The values of a ConfigMap are replaced by their sizes") {
  CHECK(
      redacted_yaml("{apiVersion: v1, kind: ConfigMap, data: {a: 'x=1'}, binaryData: {b: eA==}}") ==
      "apiVersion: v1\nbinaryData:\n  b: '*** (1 bytes)'\ndata:\n  a: '*** (3 bytes)'\n"
      "kind: ConfigMap\n");
}

TEST_CASE("An object that an annotation quotes loses its secrets, too") {
  const std::string key = "kubectl.kubernetes.io/last-applied-configuration";
  const std::string text = redacted_yaml(
      "apiVersion: v1\nkind: Secret\nmetadata:\n  annotations:\n    " + key +
      ": '{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"data\":{\"a\":\"aHVudGVyMg==\"}}'\n");
  CHECK(text.find("(7 bytes)") != std::string::npos);
  CHECK(text.find("aHVudGVyMg") == std::string::npos);
  const std::string odd =
      redacted_yaml("kind: Secret\nmetadata:\n  annotations:\n    " + key + ": hunter2\n");
  CHECK(odd.find("hunter2") == std::string::npos);
}

TEST_CASE("Credentials in a custom resource are masked, known by their name or content") {
  CHECK(redacted_yaml(R"(kind: Shop
spec:
  adminPassword: hunter2
  apiKey: 1234
  emptyPassword: ""
  existingSecret: db
  database: {url: "postgres://u:hunter2@db/shop"}
  replicas: 2
status: {deployedRelease: {name: one, manifest: "data: x"}}
)") == R"(kind: Shop
spec:
  adminPassword: '***'
  apiKey: '***'
  database:
    url: '***'
  emptyPassword: ""
  existingSecret: db
  replicas: 2
status:
  deployedRelease:
    manifest: '*** (7 bytes)'
    name: one
)");
}

TEST_CASE("The value of a variable is masked by its name, and a reference to a Secret stays") {
  CHECK(redacted_yaml(R"(kind: Deployment
spec:
  env:
  - {name: DB_PASSWORD, value: hunter2}
  - {name: MODE, value: fast}
  - {name: TOKEN, valueFrom: {secretKeyRef: {name: db, key: token}}}
)") == R"(kind: Deployment
spec:
  env:
  - name: DB_PASSWORD
    value: '***'
  - name: MODE
    value: fast
  - name: TOKEN
    valueFrom:
      secretKeyRef:
        key: token
        name: db
)");
}

TEST_CASE("A CRD stays as its author has published it") {
  const std::string crd = R"(kind: CustomResourceDefinition
spec:
  schema:
    properties:
      password:
        description: of the administrator
        type: string
)";
  CHECK(redacted_yaml(crd) == crd);
}

TEST_CASE("An object of any shape is redacted") {
  CHECK(redacted(Value::string("text")).as_string() == "text");
  CHECK(redacted(Value()).is_nil());
  Value deep = Value::string("hunter2");
  for (int i = 0; i < 5000; ++i) {
    deep = Value::list({deep});
  }
  const std::string text =
      CW_MUST(yaml::to_yaml(redacted(Value::dict({{"kind", Value::string("A")}, {"spec", deep}}))));
  CHECK(text.find("hunter2") == std::string::npos);
}

TEST_CASE("The contents of a Secret are masked wherever they are quoted") {
  CHECK(without_secret("hunter2", "password=hunter2;") == "password=***;");
  CHECK(without_secret("hunter2", "data: " + base::base64_encode("hunter2")) == "data: ***");
  CHECK(without_secret("a\"b\tcd", "a: \"a\\\"b\\tcd\"\n") == "a: \"***\"\n");
  CHECK(without_secret("first\n  second line\n", "  first\n      second line\n") ==
        "  ***\n      ***\n");
  CHECK(without_secret("key: hunter2\nmetadata:\n", "metadata:\n  x: y\n") ==
        "metadata:\n  x: y\n");
}

TEST_CASE("Names that a report shows in any case stay") {
  SeenSecrets secrets;
  secrets.learn(secret_with("shop"));
  secrets.learn(secret_with("true"));
  secrets.learn(Value::dict({{"data", Value::string("no table")}}));
  secrets.show_names({{"example.com", "v1", "Shop"}, "team", "shop"});
  CHECK(secrets.mask().masked("name: shop, ready: true") == "name: shop, ready: true");
}

}  // namespace chartwright::cmd
