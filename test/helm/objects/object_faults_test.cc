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

TEST_CASE("Sound objects have no faults") {
  CHECK(faults(kPod + "    resources: {limits: {cpu: 1, memory: 1Gi}}\n"
                      "    livenessProbe: {httpGet: {port: http}}\n"
                      "    ports: [{containerPort: 80}, {containerPort: 8080.0}]\n"
                      "    env:\n") == Lines{});
  CHECK(faults(kConfigMap + "data: {a: b}\nmetadata: {labels: {x: z}, annotations: }\n") ==
        Lines{});
  CHECK(faults("apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nroleRef: {kind: Role, "
               "name: x}\n") == Lines{});
}

TEST_CASE("Fields that are unknown are named with the nearest one") {
  CHECK(faults(kPod + "    imagePullpolicy: Always\n    zzz: 1\n") ==
        Lines{"spec.containers[0].imagePullpolicy: unknown field; did you mean "
              "\"imagePullPolicy\"?",
              "spec.containers[0].zzz: unknown field"});
}

TEST_CASE("No more than a hundred faults are told") {
  std::string pod = kPod;
  for (int i = 0; i < 200; ++i) {
    pod += "    zzz" + std::to_string(i) + ": 1\n";
  }
  CHECK(faults(pod).size() == 100);
}

TEST_CASE("Values of wrong types are named without the value") {
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

TEST_CASE("Fields that are required are missed") {
  CHECK(faults("apiVersion: apps/v1\nkind: Deployment\nspec: {template: {}, selector: }\n") ==
        Lines{"spec.selector: this field is required"});
}

TEST_CASE("List items with the same key are named with it") {
  CHECK(
      faults(kPod + "    env: [{name: A, value: x}, {name: B}, {name: A, value: z}, {name: A}]\n"
                    "    volumeMounts: [{name: a, mountPath: /a}, {name: b, mountPath: /a}]\n"
                    "  topologySpreadConstraints:\n"
                    "  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}\n"
                    "  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}\n"
                    "  - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}\n") ==
      Lines{"spec.containers[0].env[2]: the same key as env[0] (name: A); the last one stays",
            "spec.containers[0].env[3]: the same key as env[0] (name: A); the last one stays",
            "spec.containers[0].volumeMounts[1]: the same key as volumeMounts[0] (mountPath: /a); "
            "the last one stays",
            "spec.topologySpreadConstraints[2]: the same key as topologySpreadConstraints[0] "
            "(topologyKey: zone, whenUnsatisfiable: DoNotSchedule); the last one stays"});
}

TEST_CASE("A key field that an item lacks has its default") {
  CHECK(
      faults(kPod + "    ports:\n    - {containerPort: 80, name: a}\n"
                    "    - {containerPort: 80, protocol: UDP}\n"
                    "    - {containerPort: 80.0, protocol: TCP, name: b}\n"
                    "  imagePullSecrets: [{name: ''}, {}, {name: a b}, {name: a b}]\n") ==
      Lines{"spec.containers[0].ports[2]: the same key as ports[0] (containerPort: 80, protocol: "
            "TCP); the last one stays",
            "spec.imagePullSecrets[1]: the same key as imagePullSecrets[0] (name: \"\"); the last "
            "one stays",
            "spec.imagePullSecrets[3]: the same key as imagePullSecrets[2] (name: \"a b\"); the "
            "last one stays"});
  CHECK(faults("apiVersion: v1\nkind: Service\nspec: {ports: [{port: 53, protocol: UDP}, "
               "{port: 53}, {name: x, port: 53, protocol: TCP}, {port: 54, targetPort: 53}]}\n") ==
        Lines{"spec.ports[2]: the same key as ports[1] (port: 53, protocol: TCP); the last one "
              "stays"});
}

TEST_CASE("Equal items of a set are told without their value") {
  CHECK(faults(kConfigMap + "metadata: {finalizers: [e.org/a, e.org/b, e.org/a, null, null]}\n") ==
        Lines{"metadata.finalizers[2]: the same item as finalizers[0]; the last one stays"});
}

TEST_CASE("Lists whose items need not differ have no repeated items") {
  CHECK(faults(kPod + "    args: [a, a]\n    envFrom: [{secretRef: {name: a}}, {secretRef: {name: "
                      "a}}]\n  tolerations: [{key: a}, {key: a}]\n") == Lines{});
  CHECK(faults("apiVersion: v1\nkind: ServiceAccount\nsecrets: [{}, {}, {name: a}]\n") == Lines{});
}

TEST_CASE("Bytes are base64 as Go decodes it") {
  const std::string secret = "apiVersion: v1\nkind: Secret\n";
  CHECK(faults(secret + "data: {a: YQ==, b: '', c: , d: \"YWJj\\nZGVm\\n\", e: YR==}\n") ==
        Lines{});
  const Lines texts = faults(secret +
                             "data: {a: 'hush hush', b: YQ, c: a-_b, d: 12}\n"
                             "stringData: {a: 'no base64!'}\n");
  CHECK(texts == Lines{"data.a: expected base64: illegal base64 data at input byte 4",
                       "data.b: expected base64: illegal base64 data at input byte 0",
                       "data.c: expected base64: illegal base64 data at input byte 1",
                       "data.d: expected base64, got an integer"});
  CHECK(faults(kConfigMap + "binaryData: {a: 'x!'}\ndata: {a: 'x!'}\n") ==
        Lines{"binaryData.a: expected base64: illegal base64 data at input byte 1"});
  CHECK(
      faults("apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\n"
             "webhooks: [{name: a, admissionReviewVersions: [v1], sideEffects: None, clientConfig: "
             "{caBundle: '-----BEGIN'}}]\n") ==
      Lines{"webhooks[0].clientConfig.caBundle: expected base64: illegal base64 data at input "
            "byte 0"});
}

TEST_CASE("Whole numbers fit into the bits of their field") {
  const std::string service = "apiVersion: v1\nkind: Service\nspec: ";
  CHECK(faults(service +
               "{ports: [{port: 4294967376, targetPort: 4294967376}, {port: 2147483648}]}") ==
        Lines{"spec.ports[0].port: the number does not fit into 32 bits",
              "spec.ports[0].targetPort: the number does not fit into 32 bits",
              "spec.ports[1].port: the number does not fit into 32 bits"});
  CHECK(faults(service + "{ports: [{port: 2147483647}, {port: -2147483648}]}") == Lines{});
  CHECK(faults(service + "{ports: [{port: 1e10}, {port: 80.5}, {port: -2147483649}]}") ==
        Lines{"spec.ports[0].port: the number does not fit into 32 bits",
              "spec.ports[1].port: expected an integer, got a number",
              "spec.ports[2].port: the number does not fit into 32 bits"});
  CHECK(faults(kPod + "  securityContext: {runAsUser: 4294967376, fsGroup: 9223372036854775807}\n"
                      "  activeDeadlineSeconds: 9223372036854775808\n") ==
        Lines{"spec.activeDeadlineSeconds: the number does not fit into 64 bits"});
}

TEST_CASE("The items of a List are looked at, and kinds that nobody knows are not") {
  CHECK(faults(
            "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, dat: {}}\n") ==
        Lines{"items[0].dat: unknown field; did you mean \"data\"?"});
  CHECK(faults("apiVersion: example.com/v1\nkind: Thing\nspec: {a: b}\n") == Lines{});
  CHECK(faults("- a\n") == Lines{});
}

TEST_CASE("Custom resources are checked against their definition") {
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

TEST_CASE("Custom resources have lists, bytes and numbers as their definition says") {
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
          ports:
            type: array
            x-kubernetes-list-type: map
            x-kubernetes-list-map-keys: [port, kind]
            items:
              type: object
              required: [port]
              properties:
                port: {type: integer, format: int32}
                kind: {type: string, default: web}
                wide: {type: integer}
                any: {x-kubernetes-int-or-string: true}
          set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
          list: {type: array, x-kubernetes-list-type: atomic, items: {type: string}}
          sum: {type: string, format: byte}
)"));
  CHECK(faults("apiVersion: example.com/v1\nkind: Shop\n"
               "metadata: {finalizers: [a, a]}\nset: [x, z, x]\nlist: [x, x]\nsum: '!'\n"
               "ports: [{port: 1}, {port: 1, kind: web}, {port: 1, kind: x}, "
               "{port: 4294967376, wide: 4294967376, any: 4294967376}]\n",
               types) ==
        Lines{"metadata.finalizers[1]: the same item as finalizers[0]; the last one stays",
              "ports[1]: the same key as ports[0] (port: 1, kind: web); the last one stays",
              "ports[3].port: the number does not fit into 32 bits",
              "set[2]: the same item as set[0]; the last one stays",
              "sum: expected base64: illegal base64 data at input byte 0"});
}

TEST_CASE("A key that differs in a field without default is another one") {
  ObjectTypes types;
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
          items:
            type: array
            x-kubernetes-list-type: map
            x-kubernetes-list-map-keys: [a, b]
            items: {type: object, properties: {a: {type: string}, b: {type: string}}}
)"));
  CHECK(faults("apiVersion: example.com/v1\nkind: Shop\n"
               "items: [{a: x}, {a: x, b: ''}, {a: x, b: null}, {}, {}, {b: x}, {a: x}]\n",
               types) == Lines{"items[6]: the same key as items[0] (a: x); the last one stays"});
}

TEST_CASE("Lists of a cluster have keys in every form of its documents") {
  // An older Kubernetes has only the strategy, a document of version 2 no defaults.
  const std::string schema = R"({"Shop": {"type": "object",
    "x-kubernetes-group-version-kind": [{"group": "e.org", "version": "v1", "kind": "Shop"}],
    "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"},
      "metadata": {"type": "object", "properties": {"finalizers": {"type": "array",
        "items": {"type": "string"}, "x-kubernetes-patch-strategy": "merge"}}},
      "env": {"type": "array", "items": {"$ref": "#/x/Env"}, "x-kubernetes-patch-merge-key": "name",
        "x-kubernetes-patch-strategy": "merge,retainKeys"},
      "free": {"type": "array", "items": {"$ref": "#/x/Env"}, "x-kubernetes-list-type": "atomic",
        "x-kubernetes-patch-merge-key": "name", "x-kubernetes-patch-strategy": "merge"},
      "replaced": {"type": "array", "items": {"$ref": "#/x/Env"},
        "x-kubernetes-patch-strategy": "replace"},
      "preset": {"type": "array", "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"], "items": {"allOf": [{"$ref": "#/x/Env"}]}},
      "ports": {"type": "array", "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["port", "protocol"],
        "items": {"$ref": "#/x/io.k8s.api.core.v1.ServicePort"}},
      "target": {"$ref": "#/x/a.intstr.IntOrString"}}},
    "Env": {"type": "object", "properties": {"name": {"type": "string", "default": "x"}}},
    "io.k8s.api.core.v1.ServicePort": {"type": "object", "properties": {
      "port": {"type": "integer", "format": "int32"}, "protocol": {"type": "string"}}},
    "a.intstr.IntOrString": {"type": "string", "format": "int-or-string"}})";
  ObjectTypes types;
  REQUIRE(types.add_openapi("{\"definitions\": " + schema + "}").ok());
  CHECK(faults("apiVersion: e.org/v1\nkind: Shop\nmetadata: {finalizers: [a, a]}\n"
               "env: [{name: a}, {name: a}]\nfree: [{name: a}, {name: a}]\n"
               "replaced: [{name: a}, {name: a}]\npreset: [{}, {name: x}]\n"
               "ports: [{port: 1}, {port: 1, protocol: TCP}, {port: 1, protocol: UDP}]\n"
               "target: 4294967376\n",
               types) ==
        Lines{"env[1]: the same key as env[0] (name: a); the last one stays",
              "metadata.finalizers[1]: the same item as finalizers[0]; the last one stays",
              "ports[1]: the same key as ports[0] (port: 1, protocol: TCP); the last one stays",
              "preset[1]: the same key as preset[0] (name: x); the last one stays",
              "target: the number does not fit into 32 bits"});
}

TEST_CASE("The key in a finding is short and of one line") {
  CHECK(
      faults(kPod + "    env: [{name: \"a\\e\\n\"}, {name: \"a\\e\\n\"}]\n") ==
      Lines{"spec.containers[0].env[1]: the same key as env[0] (name: \"a\\x1b\\n\"); the last one "
            "stays"});
  const std::string name(1000, 'a');
  CHECK(faults(kPod + "    env: [{name: " + name + "}, {name: " + name + "}]\n") ==
        Lines{"spec.containers[0].env[1]: the same key as env[0] (name: \"" + name.substr(0, 100) +
              "\"...); the last one stays"});
}

TEST_CASE("Documents of clusters are read in both versions of OpenAPI") {
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

TEST_CASE("Keys that stand twice in a table are found") {
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
