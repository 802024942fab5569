// SPDX-License-Identifier: Apache-2.0
#include "doctor/install_check.h"

#include <catch2/catch.hpp>
#include <map>

#include "test/fakeapi/refusing_client.h"
#include "value/json.h"

// Expected messages are those of helm 3.22.0 with --validate.
namespace chartwright::doctor {
namespace {

/// A server with ConfigMaps and Namespaces, some of which exist.
class Desk final : public fakeapi::RefusingClient {
 public:
  std::map<std::string, std::string> live;  ///< Metadata of live objects as JSON, by "ns/name".
  bool refuses = false;
  std::vector<std::string> asked;

  base::Result<kube::ResourceMapping> mapping_for(const kube::Gvk& gvk,
                                                  const kube::Call& /*call*/) override {
    kube::ResourceMapping mapping;
    mapping.gvk = gvk;
    if (gvk.api_version() == "v1" && (gvk.kind == "ConfigMap" || gvk.kind == "Namespace")) {
      mapping.scope = gvk.kind == "Namespace" ? kube::Scope::kCluster : kube::Scope::kNamespaced;
      return mapping;
    }
    return base::Error(base::ErrorCode::kNotFound, "no such kind")
        .with_http(404, std::string(kube::kNoMatchReason));
  }

  base::Result<value::Value> get(const kube::ObjectRef& ref, const kube::Call& /*call*/) override {
    asked.push_back(ref.ns + "/" + ref.name);
    if (refuses) {
      return base::Error(base::ErrorCode::kForbidden, "configmaps is forbidden");
    }
    const auto found = live.find(asked.back());
    if (found == live.end()) {
      return base::Error(base::ErrorCode::kNotFound, "not found");
    }
    return value::parse_json(R"({"metadata":)" + found->second + "}", value::Numbers::kInt64);
  }

  std::string check(std::string_view manifests, const InstallCheck& how = {"r", "shop"}) {
    const auto status = check_install(manifests, how, *this, kube::Call{});
    return status.ok() ? "" : status.error().message();
  }
};

const std::string kBuild = "unable to build kubernetes objects from release manifest: ";
const std::string kOurs = R"({"labels":{"app.kubernetes.io/managed-by":"Helm"},"annotations":)"
                          R"({"meta.helm.sh/release-name":"r",)"
                          R"("meta.helm.sh/release-namespace":"shop"}})";

std::string config_map(const std::string& metadata) {
  return "---\n# Source: c/templates/a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: " +
         metadata + "\n";
}

}  // namespace

TEST_CASE("Objects that do not exist yet may be installed") {
  Desk desk;
  CHECK(desk.check(config_map("{name: a}") + config_map("{name: b, namespace: other}") +
                   "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: space, namespace: x}\n")
            .empty());
  CHECK(desk.asked == std::vector<std::string>{"shop/a", "other/b", "/space"});
}

TEST_CASE("Comments and empty documents are no objects") {
  Desk desk;
  CHECK(desk.check("---\n# nothing\n---\n\n--- # really\nnull\n").empty());
  CHECK(desk.asked.empty());
}

TEST_CASE("Kinds that are not served are all named") {
  Desk desk;
  CHECK(desk.check("apiVersion: g/v2\nkind: A\nmetadata: {name: a, namespace: ns}\n") ==
        kBuild +
            "resource mapping not found for name: \"a\" namespace: \"ns\" from \"\": no matches "
            "for kind \"A\" in version \"g/v2\"\nensure CRDs are installed first");
  CHECK(desk.check("apiVersion: g/v2\nkind: A\n---\napiVersion: g/v2\nkind: B\n") ==
        kBuild +
            "[resource mapping not found for name: \"\" namespace: \"\" from \"\": no matches "
            "for kind \"A\" in version \"g/v2\"\nensure CRDs are installed first, resource "
            "mapping not found for name: \"\" namespace: \"\" from \"\": no matches for kind "
            "\"B\" in version \"g/v2\"\nensure CRDs are installed first]");
}

TEST_CASE("Documents that are not objects are refused") {
  Desk desk;
  const std::string data = kBuild + "error validating \"\": error validating data: ";
  CHECK(desk.check("a: 1\n") == data + "[apiVersion not set, kind not set]");
  CHECK(desk.check("apiVersion: v1\n") == data + "kind not set");
  CHECK(desk.check("apiVersion: 1\nkind: true\n") ==
        data + "[apiVersion isn't string type, kind isn't string type]");
  CHECK(desk.check("apiVersion: a/b/c\nkind: A\n") ==
        data + "unexpected GroupVersion string: a/b/c");
  CHECK(desk.check("- 1\n") == data + "invalid object to validate");
  CHECK(desk.check("a: b: c\n") ==
        kBuild +
            "error parsing : error converting YAML to JSON: yaml: mapping values are not "
            "allowed in this context");
  InstallCheck unchecked{"r", "shop"};
  unchecked.fields = FieldCheck::kNo;
  CHECK(desk.check("apiVersion: v1\nmetadata: {name: a}\n", unchecked) ==
        kBuild +
            "unable to decode \"\": Object 'Kind' is missing in "
            "'{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}'");
}

TEST_CASE("Metadata of wrong types are refused") {
  Desk desk;
  const std::string field = kBuild + "unable to decode \"\": json: cannot unmarshal ";
  CHECK(desk.check(config_map("{name: a, labels: {x: 1}}")) ==
        field + "number into Go struct field ObjectMeta.metadata.labels of type string");
  CHECK(desk.check(config_map("{name: a, annotations: {x: true}}")) ==
        field + "bool into Go struct field ObjectMeta.metadata.annotations of type string");
  CHECK(desk.check(config_map("{name: 1}")) ==
        field + "number into Go struct field ObjectMeta.metadata.name of type string");
  CHECK(desk.check(config_map("{name: a, annotations: [x]}")) ==
        field +
            "array into Go struct field ObjectMeta.metadata.annotations of type map[string]string");
  CHECK(desk.check(config_map("{name: a, labels: {x: null}, annotations: null}")).empty());
}

TEST_CASE("The items of a list are checked one by one") {
  Desk desk;
  CHECK(desk.check("apiVersion: v1\nkind: ConfigMapList\nitems:\n- metadata: {name: a}\n"
                   "- {apiVersion: v1, kind: Namespace, metadata: {name: space}}\n")
            .empty());
  CHECK(desk.asked == std::vector<std::string>{"shop/a", "/space"});
  CHECK(
      desk.check("apiVersion: v1\nkind: ConfigMapList\nitems:\n- {apiVersion: x/v1, kind: A}\n") ==
      kBuild + "unable to recognize no matches for kind \"A\" in version \"x/v1\"");
}

TEST_CASE("Objects that exist must belong to the release") {
  Desk desk;
  desk.live["shop/a"] = kOurs;
  CHECK(desk.check(config_map("{name: a}")).empty());
  desk.live["shop/a"] = R"({"annotations":{"meta.helm.sh/release-name":"other"}})";
  const std::string refused =
      "Unable to continue with install: ConfigMap \"a\" in namespace \"shop\" exists and cannot be "
      "imported into the current release: invalid ownership metadata; label validation error: "
      "missing key \"app.kubernetes.io/managed-by\": must be set to \"Helm\"; annotation "
      "validation "
      "error: key \"meta.helm.sh/release-name\" must equal \"r\": current value is \"other\"; "
      "annotation validation error: missing key \"meta.helm.sh/release-namespace\": must be set to "
      "\"shop\"";
  CHECK(desk.check(config_map("{name: a}")) == refused);
  InstallCheck how{"r", "shop"};
  how.ownership = Ownership::kAny;
  CHECK(desk.check(config_map("{name: a}"), how).empty());
  how.ownership = Ownership::kUnasked;
  desk.asked.clear();
  CHECK(desk.check(config_map("{name: a}"), how).empty());
  CHECK(desk.asked.empty());
}

TEST_CASE("Objects that cannot be asked for are an error") {
  Desk desk;
  CHECK(desk.check(config_map("{}")) ==
        "Unable to continue with install: could not get information about the resource ConfigMap "
        "\"\" in namespace \"shop\": resource name may not be empty");
  desk.refuses = true;
  CHECK(desk.check(config_map("{name: a}")) ==
        "Unable to continue with install: could not get information about the resource ConfigMap "
        "\"a\" in namespace \"shop\": configmaps is forbidden");
}

}  // namespace chartwright::doctor
