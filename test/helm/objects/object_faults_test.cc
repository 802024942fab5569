// SPDX-License-Identifier: Apache-2.0
#include "helm/objects/object_faults.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "yaml/yaml.h"

// The fields and their types are those of Kubernetes' OpenAPI document.
namespace chartwright::helm {
namespace {

using Lines = std::vector<std::string>;

value::Value parsed(const std::string& yaml) {
  return CW_MUST(yaml::parse_yaml(yaml, value::Numbers::kInt64));
}

Lines faults(const std::string& yaml, const ObjectTypes& types = ObjectTypes::bundled()) {
  Lines lines;
  for (const ObjectFault& fault : find_object_faults(types, parsed(yaml))) {
    lines.push_back(fault.text);
  }
  return lines;
}

const std::string kConfigMap = "apiVersion: v1\nkind: ConfigMap\n";
const std::string kPod = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: a\n";

}  // namespace

TEST_CASE("sound objects have no faults") {
  CHECK(faults(kPod + "    resources: {limits: {cpu: 1, memory: 1Gi}}\n"
                      "    livenessProbe: {httpGet: {port: http}}\n"
                      "    ports: [{containerPort: 80}, {containerPort: 8080.0}]\n"
                      "    env:\n") == Lines{});
  CHECK(faults(kConfigMap + "data: {a: b}\nmetadata: {labels: {x: z}, annotations: }\n") ==
        Lines{});
  CHECK(faults("apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nroleRef: {kind: Role, "
               "name: x}\n") == Lines{});
}

TEST_CASE("fields that are unknown are named with the nearest one") {
  CHECK(faults(kPod + "    imagePullpolicy: Always\n    zzz: 1\n") ==
        Lines{"spec.containers[0].imagePullpolicy: unknown field; did you mean "
              "\"imagePullPolicy\"?",
              "spec.containers[0].zzz: unknown field"});
}

TEST_CASE("values of wrong types are named without the value") {
  CHECK(faults(kPod + "    ports: [{containerPort: '80'}]\n    stdin: 'yes'\n    args: x\n"
                      "    resources: {limits: {cpu: []}}\n    livenessProbe: {httpGet: {port: "
                      "1.5}}\n    env: [{name: a, value: 1}]\n") ==
        Lines{"spec.containers[0].args: expected a list, got a string",
              "spec.containers[0].env[0].value: expected a string, got an integer",
              "spec.containers[0].livenessProbe.httpGet.port: expected an integer or a string, got "
              "a number",
              "spec.containers[0].ports[0].containerPort: expected an integer, got a string",
              "spec.containers[0].resources.limits.cpu: expected a quantity, got a list",
              "spec.containers[0].stdin: expected a boolean, got a string"});
  const Lines secret = faults("apiVersion: v1\nkind: Secret\nstringData: {password: 12345}\n");
  CHECK(secret == Lines{"stringData.password: expected a string, got an integer"});
}

TEST_CASE("fields that are required are missed") {
  CHECK(faults("apiVersion: apps/v1\nkind: Deployment\nspec: {template: {}, selector: }\n") ==
        Lines{"spec.selector: this field is required"});
}

TEST_CASE("the items of a List are looked at, and kinds that nobody knows are not") {
  CHECK(faults(
            "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, dat: {}}\n") ==
        Lines{"items[0].dat: unknown field; did you mean \"data\"?"});
  CHECK(faults("apiVersion: example.com/v1\nkind: Thing\nspec: {a: b}\n") == Lines{});
  CHECK(faults("- a\n") == Lines{});
}

TEST_CASE("custom resources are checked against their definition") {
  ObjectTypes types = ObjectTypes::bundled();
  types.add_crd(parsed(R"(
spec:
  group: example.com
  names: {kind: Shop}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer}
              port: {x-kubernetes-int-or-string: true}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
              labels: {type: object, additionalProperties: {type: string}}
  - name: v2
)"));
  types.add_crd(parsed("spec: {versions: 1}"));
  const std::string shop = "kind: Shop\napiVersion: example.com/";
  CHECK(faults(shop + "v1\nmetadata: {name: x, labls: {}}\nspec: {port: a, free: {x: 1}, labels: "
                      "{a: 1}, sizes: 1}\n",
               types) == Lines{"metadata.labls: unknown field; did you mean \"labels\"?",
                               "spec.labels.a: expected a string, got an integer",
                               "spec.sizes: unknown field; did you mean \"size\"?",
                               "spec.size: this field is required"});
  CHECK(faults(shop + "v2\nspec: {a: b}\n", types) == Lines{});
}

TEST_CASE("documents of clusters are read in both versions of OpenAPI") {
  const std::string schema = R"({"Shop": {"type": "object",
    "x-kubernetes-group-version-kind": [{"group": "e.org", "version": "v1", "kind": "Shop"}],
    "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"},
      "metadata": {"allOf": [{"$ref": "#/x/Meta"}]}, "size": {"$ref": "#/x/a.resource.Quantity"}}},
    "Meta": {"type": "object", "properties": {"name": {"type": "string"}}},
    "a.resource.Quantity": {"type": "string"}})";
  for (const std::string& json : {"{\"swagger\": \"2.0\", \"definitions\": " + schema + "}",
                                  "{\"components\": {\"schemas\": " + schema + "}}"}) {
    ObjectTypes types;
    REQUIRE(types.add_openapi(json).ok());
    CHECK(faults("apiVersion: e.org/v1\nkind: Shop\nmetadata: {namee: x}\nsize: 1\n", types) ==
          Lines{"metadata.namee: unknown field; did you mean \"name\"?"});
    CHECK(types.find("v1", "ConfigMap") == nullptr);
  }
  ObjectTypes types;
  CHECK(types.add_openapi("{}").error().code() == base::ErrorCode::kInvalidArgument);
  CHECK(types.add_openapi("{").error().code() == base::ErrorCode::kParse);
}

TEST_CASE("keys that stand twice in a table are found") {
  Lines lines;
  for (const ObjectFault& fault : find_repeated_keys(
           "a: {b: 1, c: 2, b: 3}\nd:\n- x: 1\n- x: 2\n  y: {x: 1}\n  x: 3\n? [k]\n: v\na: 1\n")) {
    lines.push_back(fault.text);
  }
  CHECK(lines == Lines{"a.b: this key occurs more than once",
                       "d[1].x: this key occurs more than once",
                       "a: this key occurs more than once"});
}

}  // namespace chartwright::helm
