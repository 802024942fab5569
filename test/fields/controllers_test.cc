// SPDX-License-Identifier: Apache-2.0
#include "fields/controllers.h"

#include <catch2/catch.hpp>
#include <string>

#include "test/value/json_text.h"
#include "value/json.h"

namespace chartwright::fields {
namespace {

using value::Value;
using value::testing::json;

std::string left(const std::string& object) {
  Value copy = value::deep_copy(json(object));
  leave_to_controllers(copy);
  return CW_MUST(value::to_json(copy));
}

std::string same(const std::string& object) { return CW_MUST(value::to_json(json(object))); }

TEST_CASE("The rules of an aggregated ClusterRole are those of the aggregation") {
  const std::string head = R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",)";
  const std::string rule = R"("rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}])";
  const std::string aggregated = R"("aggregationRule":{"clusterRoleSelectors":[]})";
  CHECK(left(head + aggregated + R"(,"rules":[]})") == same(head + aggregated + "}"));
  CHECK(left(head + aggregated + "," + rule + "}") == same(head + aggregated + "}"));
  CHECK(left(head + rule + "}") == same(head + rule + "}"));
  CHECK(left(head + R"("aggregationRule":null,)" + rule + "}") ==
        same(head + R"("aggregationRule":null,)" + rule + "}"));
  const std::string role = R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role",)";
  CHECK(left(role + aggregated + "," + rule + "}") == same(role + aggregated + "," + rule + "}"));
}

/// An object with a CA bundle in its place.
struct Bundled {
  std::string kind;
  std::string before;
  std::string after;
};

std::vector<Bundled> bundled() {
  const std::string webhooks = R"("webhooks":[{"name":"a","clientConfig":{"url":"u")";
  return {
      {R"("apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingWebhookConfiguration")",
       webhooks, "}}]"},
      {R"("apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration")",
       webhooks, "}}]"},
      {R"("apiVersion":"apiregistration.k8s.io/v1","kind":"APIService")", R"("spec":{"group":"g")",
       "}"},
      {R"("apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition")",
       R"("spec":{"conversion":{"webhook":{"clientConfig":{"url":"u")", "}}}}"}};
}

std::string with_bundle(const Bundled& one, const std::string& bundle,
                        const std::string& metadata = R"({"name":"n"})") {
  return "{" + one.kind + R"(,"metadata":)" + metadata + "," + one.before +
         (bundle.empty() ? "" : R"(,"caBundle":)" + bundle) + one.after + "}";
}

// Base64 of "-----BEGIN CERTIFICATE-----\n".
const std::string kCertificate = R"("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==")";

TEST_CASE("A CA bundle without a certificate stands for one that is injected") {
  for (const Bundled& one : bundled()) {
    for (const char* placeholder : {R"("")", R"("Cg==")", "null", R"("IA==")"}) {
      CHECK(left(with_bundle(one, placeholder)) == same(with_bundle(one, "")));
    }
    for (const std::string& bundle :
         {kCertificate, std::string(R"("not base64!")"), std::string("7")}) {
      CHECK(left(with_bundle(one, bundle)) == same(with_bundle(one, bundle)));
    }
    CHECK(left(with_bundle(one, "")) == same(with_bundle(one, "")));
  }
}

TEST_CASE("An object asks for the injection of a CA by an annotation") {
  for (const Bundled& one : bundled()) {
    for (const char* asked : {R"("cert-manager.io/inject-ca-from":"shop/serving")",
                              R"("cert-manager.io/inject-ca-from-secret":"shop/serving")",
                              R"("cert-manager.io/inject-apiserver-ca":"true")",
                              R"("service.beta.openshift.io/inject-cabundle":"true")"}) {
      const std::string metadata = std::string(R"({"name":"n","annotations":{)") + asked + "}}";
      const std::string object = with_bundle(one, kCertificate, metadata);
      CHECK(left(object) == same(object));
      CHECK(is_injected(json(object)));
    }
    for (const char* other : {R"("cert-manager.io/inject-ca-from":"")",
                              R"("cert-manager.io/inject-apiserver-ca":"false")",
                              R"("cert-manager.io/issuer":"a")", R"("inject":"true")"}) {
      const std::string metadata = std::string(R"({"name":"n","annotations":{)") + other + "}}";
      CHECK_FALSE(is_injected(json(with_bundle(one, kCertificate, metadata))));
    }
  }
}

/// A live object whose fields the manager "us" has applied.
Value live_of(const std::string& object, const std::string& fields) {
  Value live = value::deep_copy(json(object));
  Value entry = value::deep_copy(
      json(R"({"manager":"us","operation":"Apply","apiVersion":"","fieldsType":"FieldsV1"})"));
  entry.mutable_dict().set("apiVersion", Value::string(live.string_at({"apiVersion"})));
  entry.mutable_dict().set("fieldsV1", json(fields));
  Value& metadata = *live.mutable_dict().find("metadata");
  metadata.mutable_dict().set("managedFields", Value::list({entry}));
  return live;
}

std::string left_over(const Value& live, const std::string& object) {
  Value copy = value::deep_copy(json(object));
  leave_to_injectors(live, "us", copy);
  return CW_MUST(value::to_json(copy));
}

TEST_CASE("A CA bundle is the injector's once that has written it, and the chart's before that") {
  const Bundled service = bundled()[2];
  const std::string wanted = with_bundle(service, kCertificate);
  const std::string without = with_bundle(service, "");
  CHECK(left_over(live_of(wanted, R"({"f:spec":{"f:caBundle":{},"f:group":{}}})"), wanted) ==
        same(wanted));
  CHECK(left_over(live_of(without, R"({"f:spec":{"f:group":{}}})"), wanted) == same(wanted));
  CHECK(left_over(live_of(wanted, R"({"f:spec":{"f:group":{}}})"), wanted) == same(without));
}

TEST_CASE("The CA bundle of each webhook is found by its name") {
  const std::string head =
      R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingWebhookConfiguration",)"
      R"("metadata":{"name":"n"},"webhooks":[)";
  const std::string ours = R"({"name":"a","clientConfig":{"caBundle":"x"}})";
  const std::string theirs = R"({"name":"b","clientConfig":{"caBundle":"y"}})";
  const Value live = live_of(
      head + theirs + "," + ours + "]}",
      R"({"f:webhooks":{"k:{\"name\":\"a\"}":{"f:name":{},"f:clientConfig":{"f:caBundle":{}}},)"
      R"("k:{\"name\":\"b\"}":{"f:name":{}}}})");
  CHECK(left_over(live, head + ours + "," + theirs + R"(,{"name":"c"},7]})") ==
        same(head + ours + R"(,{"name":"b","clientConfig":{}},{"name":"c"},7]})"));
}

TEST_CASE("Webhooks of any shape are left as they are") {
  for (const char* webhooks : {"null", "7", R"([null,7,{"clientConfig":[]},{}])"}) {
    const std::string object =
        R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingWebhookConfiguration",)"
        R"("webhooks":)" +
        std::string(webhooks) + "}";
    CHECK(left(object) == same(object));
  }
}

TEST_CASE("Placeholders for what others fill in are left out") {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {R"({"apiVersion":"v1","kind":"ConfigMap","data":{},"binaryData":null})",
       R"({"apiVersion":"v1","kind":"ConfigMap"})"},
      {R"({"apiVersion":"v1","kind":"Secret","type":"t","data":{}})",
       R"({"apiVersion":"v1","kind":"Secret","type":"t"})"},
      {R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","spec":{"storageClassName":"","volumeName":""}})",
       R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","spec":{"storageClassName":""}})"},
      {R"({"apiVersion":"v1","kind":"ServiceAccount","imagePullSecrets":[],"secrets":null})",
       R"({"apiVersion":"v1","kind":"ServiceAccount"})"},
      {R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s","annotations":{},"labels":null}})",
       R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"}})"},
      {R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"deployment.kubernetes.io/revision":"3","a":"b"}}})",
       R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"a":"b"}}})"},
      {R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"annotations":{"deprecated.daemonset.template.generation":"3"}}})",
       R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{}})"},
  };
  for (const auto& [object, want] : cases) {
    CHECK(left(object) == same(want));
  }
}

TEST_CASE("A field that says something is the chart's") {
  for (const char* object :
       {R"({"apiVersion":"v1","kind":"ConfigMap","data":{"a":""}})",
        R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","spec":{"volumeName":"pv-1"}})",
        R"({"apiVersion":"v1","kind":"ServiceAccount","imagePullSecrets":[{"name":"a"}]})",
        R"({"apiVersion":"v1","kind":"Pod","spec":{"securityContext":{},"volumes":[]}})",
        R"({"apiVersion":"example.com/v1","kind":"ClusterRole","aggregationRule":{},"rules":[]})",
        R"({"apiVersion":"v1","kind":"ConfigMap","data":"","binaryData":[]})",
        R"({"apiVersion":"v1","kind":"ServiceAccount","imagePullSecrets":{}})",
        R"({"kind":"ConfigMap"})", R"({"apiVersion":7,"kind":[],"metadata":"x"})"}) {
    CHECK(left(object) == same(object));
  }
}

TEST_CASE("OpenShift writes the data of ConfigMaps that ask for its CAs") {
  const std::string head = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n",)";
  const std::string all =
      head + R"("annotations":{"service.beta.openshift.io/inject-cabundle":"true"}})";
  const std::string one =
      head + R"("labels":{"config.openshift.io/inject-trusted-cabundle":"true"}})";
  const std::string data = R"(,"data":{"a":"b","ca-bundle.crt":"c"}})";
  CHECK(is_injected(json(all + "}")));
  CHECK(is_injected(json(one + "}")));
  CHECK_FALSE(
      is_injected(json(head + R"("annotations":{"cert-manager.io/inject-ca-from":"a/b"}}})")));
  CHECK(left_over(live_of(all + data, R"({"f:metadata":{}})"), all + data) == same(all + "}"));
  CHECK(left_over(live_of(all + data, R"({"f:data":{"f:a":{}}})"), all + data) == same(all + data));
  CHECK(left_over(live_of(one + data, R"({"f:data":{"f:a":{}}})"), one + data) ==
        same(one + R"(,"data":{"a":"b"}})"));
}

TEST_CASE("The targets of autoscalers are known by name") {
  const auto targets = autoscaled(
      {json(R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler",
                "spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"StatefulSet","name":"db"}}})"),
       json(
           R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"namespace":"far"},
                "spec":{"scaleTargetRef":{"name":"web"}}})"),
       json(R"({"apiVersion":"v1","kind":"ConfigMap"})"), Value()},
      "shop");
  REQUIRE(targets.size() == 2);
  CHECK(targets.contains({{"apps", "v1", "StatefulSet"}, "shop", "db"}));
  CHECK(targets.contains({{"apps", "v1", "Deployment"}, "far", "web"}));
}

}  // namespace
}  // namespace chartwright::fields
