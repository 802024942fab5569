// SPDX-License-Identifier: Apache-2.0
#include "apiserver/openapi.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "apiserver/discovery.h"
#include "base/digest.h"
#include "base/strings.h"
#include "value/json.h"

namespace chartwright::apiserver {
namespace {

using value::Value;
using views::Resource;
using views::View;

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/// The version of OpenAPI, which decides where definitions are and how a body is declared.
enum class Spec : uint8_t { kV2, kV3 };

Value typed(std::string_view type, std::string_view description) {
  return Value::dict({{"type", Value::string(type)}, {"description", Value::string(description)}});
}

Value reference(Spec spec, const std::string& name) {
  return Value::dict(
      {{"$ref",
        Value::string((spec == Spec::kV2 ? "#/definitions/" : "#/components/schemas/") + name)}});
}

/// A member whose schema is elsewhere; OpenAPI 3.0 ignores the members beside a reference.
Value described_reference(Spec spec, const std::string& name, std::string_view description) {
  Value member = spec == Spec::kV2 ? reference(spec, name)
                                   : Value::dict({{"allOf", Value::list({reference(spec, name)})},
                                                  {"default", Value::dict()}});
  member.mutable_dict().set("description", Value::string(description));
  return member;
}

/// "com.example.farm.v1alpha.Llama"
std::string model_name(const Resource& resource) {
  std::vector<std::string> parts;
  for (const std::string_view part : base::split(resource.group, '.')) {
    parts.emplace_back(part);
  }
  std::reverse(parts.begin(), parts.end());
  return base::join(parts, ".") + "." + resource.version + "." + resource.kind;
}

Value kind_of(const Resource& resource, const std::string& kind) {
  return Value::dict({{"group", Value::string(resource.group)},
                      {"version", Value::string(resource.version)},
                      {"kind", Value::string(kind)}});
}

Value text_map(std::string_view description) {
  Value map = typed("object", description);
  map.mutable_dict().set("additionalProperties", Value::dict({{"type", Value::string("string")}}));
  return map;
}

Value time_schema(std::string_view description) {
  Value time = typed("string", description);
  time.mutable_dict().set("format", Value::string("date-time"));
  return time;
}

Value object_meta() {
  const Value properties =
      Value::dict({{"name", typed("string", "Name of the object, unique within its namespace.")},
                   {"generateName", typed("string", "Prefix of a name that the server makes.")},
                   {"namespace", typed("string", "Namespace of the object.")},
                   {"uid", typed("string", "Identity of the object, never used again.")},
                   {"resourceVersion", typed("string", "Version of the object.")},
                   {"creationTimestamp", time_schema("Time at which the object was created.")},
                   {"deletionTimestamp", time_schema("Time at which the object will be deleted.")},
                   {"labels", text_map("Keys and values to select the object by.")},
                   {"annotations", text_map("Keys and values that do not select.")}});
  Value meta = typed("object", "Metadata of an object.");
  meta.mutable_dict().set("properties", properties);
  return meta;
}

Value list_meta() {
  const Value properties =
      Value::dict({{"resourceVersion", typed("string", "Version of the list.")},
                   {"continue", typed("string", "Token for the next page.")}});
  Value meta = typed("object", "Metadata of a list.");
  meta.mutable_dict().set("properties", properties);
  return meta;
}

Value with_kind(Value properties) {
  properties.mutable_dict().set("apiVersion", typed("string", "Version of the schema."));
  properties.mutable_dict().set("kind", typed("string", "Kind of the object."));
  return properties;
}

Value object_schema(const View& view, Spec spec) {
  Value schema = view.schema ? value::deep_copy(*view.schema) : Value::dict();
  const Value* own = schema.find("properties");
  const Value properties = with_kind(own != nullptr && own->is_dict() ? *own : Value::dict());
  properties.mutable_dict().set(
      "metadata",
      described_reference(spec, std::string(kMeta) + "ObjectMeta", "Standard object's metadata."));
  value::Dict& into = schema.mutable_dict();
  into.erase("$schema");
  into.set("type", Value::string("object"));
  into.set("properties", properties);
  into.set("x-kubernetes-group-version-kind",
           Value::list({kind_of(view.resource, view.resource.kind)}));
  return schema;
}

Value list_schema(const View& view, Spec spec) {
  const std::string model = model_name(view.resource);
  const Value items =
      Value::dict({{"type", Value::string("array")}, {"items", reference(spec, model)}});
  const Value properties =
      with_kind(Value::dict({{"items", items},
                             {"metadata", described_reference(spec, std::string(kMeta) + "ListMeta",
                                                              "Standard list's metadata.")}}));
  return Value::dict({{"type", Value::string("object")},
                      {"description", Value::string("A list of " + view.resource.kind + ".")},
                      {"required", Value::list({Value::string("items")})},
                      {"properties", properties},
                      {"x-kubernetes-group-version-kind",
                       Value::list({kind_of(view.resource, view.resource.list_kind())})}});
}

Value schemas_of(const std::vector<const View*>& views, Spec spec) {
  Value schemas = Value::dict();
  schemas.mutable_dict().set(std::string(kMeta) + "ObjectMeta", object_meta());
  schemas.mutable_dict().set(std::string(kMeta) + "ListMeta", list_meta());
  for (const View* view : views) {
    const std::string model = model_name(view->resource);
    schemas.mutable_dict().set(model, object_schema(*view, spec));
    schemas.mutable_dict().set(model + "List", list_schema(*view, spec));
  }
  return schemas;
}

Value parameter(Spec spec, const std::string& name, std::string_view in) {
  Value one = Value::dict({{"name", Value::string(name)}, {"in", Value::string(in)}});
  if (in == "path") {
    one.mutable_dict().set("required", Value::boolean(true));
  }
  if (spec == Spec::kV2) {
    one.mutable_dict().set("type", Value::string("string"));
    one.mutable_dict().set("uniqueItems", Value::boolean(true));
  } else {
    one.mutable_dict().set("schema", Value::dict({{"type", Value::string("string")}}));
  }
  return one;
}

/// A verb of a view, as OpenAPI has it.
struct Operation {
  std::string_view verb;
  std::string_view method;
  bool named;                   ///< The path is of one object, not of the collection.
  std::string_view parameters;  ///< The parameters of the query, with commas.
};
constexpr std::array<Operation, 7> kOperations = {{
    {"get", "get", true, ""},
    {"list", "get", false, "continue,fieldSelector,labelSelector,limit,resourceVersion,watch"},
    {"create", "post", false, "dryRun,fieldManager,fieldValidation"},
    {"update", "put", true, "dryRun,fieldManager,fieldValidation"},
    {"patch", "patch", true, "dryRun,fieldManager,fieldValidation"},
    {"delete", "delete", true, "dryRun,propagationPolicy"},
    {"deletecollection", "delete", false, "dryRun,fieldSelector,labelSelector"},
}};

Value operation_document(const View& view, const Operation& operation, Spec spec) {
  std::vector<Value> parameters;
  for (const std::string_view name : base::split(operation.parameters, ',')) {
    if (!name.empty()) {
      parameters.push_back(parameter(spec, std::string(name), "query"));
    }
  }
  const std::string model = model_name(view.resource) + (operation.verb == "list" ? "List" : "");
  Value ok = Value::dict({{"description", Value::string("OK")}});
  if (spec == Spec::kV2) {
    ok.mutable_dict().set("schema", reference(spec, model));
  } else {
    const Value media = Value::dict({{"schema", reference(spec, model)}});
    ok.mutable_dict().set("content", Value::dict({{"application/json", media}}));
  }
  return Value::dict(
      {{"operationId",
        Value::string(std::string(operation.verb) + view.resource.version + view.resource.kind +
                      base::replace_all(view.resource.group, ".", ""))},
       {"parameters", Value::list(std::move(parameters))},
       {"responses", Value::dict({{"200", ok}})},
       {"x-kubernetes-action", Value::string(operation.verb == "create" ? "post" : operation.verb)},
       {"x-kubernetes-group-version-kind", kind_of(view.resource, view.resource.kind)}});
}

void add_paths(const View& view, Spec spec, const Value& paths) {
  const std::string base = "/apis/" + view.resource.api_version() +
                           (view.resource.namespaced ? "/namespaces/{namespace}/" : "/") +
                           view.resource.plural;
  for (const bool named : {false, true}) {
    Value item = Value::dict();
    for (const Operation& operation : kOperations) {
      if (operation.named == named && view.allows(operation.verb)) {
        item.mutable_dict().set(operation.method, operation_document(view, operation, spec));
      }
    }
    if (item.as_dict().empty()) {
      continue;
    }
    std::vector<Value> parameters;
    if (view.resource.namespaced) {
      parameters.push_back(parameter(spec, "namespace", "path"));
    }
    if (named) {
      parameters.push_back(parameter(spec, "name", "path"));
    }
    item.mutable_dict().set("parameters", Value::list(std::move(parameters)));
    paths.mutable_dict().set(base + (named ? "/{name}" : ""), item);
  }
}

Value info() {
  return Value::dict(
      {{"title", Value::string("Chartwright views")}, {"version", Value::string(CW_VERSION)}});
}

Value paths_of(const std::vector<const View*>& views, Spec spec) {
  Value paths = Value::dict();
  for (const View* view : views) {
    add_paths(*view, spec, paths);
  }
  return paths;
}

}  // namespace

Value openapi_v2(const std::vector<View>& views) {
  std::vector<const View*> all;
  all.reserve(views.size());
  for (const View& view : views) {
    all.push_back(&view);
  }
  return Value::dict({{"swagger", Value::string("2.0")},
                      {"info", info()},
                      {"paths", paths_of(all, Spec::kV2)},
                      {"definitions", schemas_of(all, Spec::kV2)}});
}

Value openapi_v3(const std::vector<View>& views, std::string_view group, std::string_view version) {
  std::vector<const View*> some;
  for (const View& view : views) {
    if (view.resource.group == group && view.resource.version == version) {
      some.push_back(&view);
    }
  }
  if (some.empty()) {
    return {};
  }
  return Value::dict({{"openapi", Value::string("3.0.0")},
                      {"info", info()},
                      {"paths", paths_of(some, Spec::kV3)},
                      {"components", Value::dict({{"schemas", schemas_of(some, Spec::kV3)}})}});
}

Value openapi_v3_index(const std::vector<View>& views) {
  Value paths = Value::dict();
  for (const auto& [group, versions] : groups_of(views)) {
    for (const std::string& version : versions) {
      const std::string path = "apis/" + group + "/" + version;
      const std::string json =
          value::to_json(openapi_v3(views, group, version), value::JsonEscape::kNone).value_or("");
      paths.mutable_dict().set(
          path, Value::dict({{"serverRelativeURL", Value::string("/openapi/v3/" + path + "?hash=" +
                                                                 base::sha256_hex(json))}}));
    }
  }
  return Value::dict({{"paths", paths}});
}

}  // namespace chartwright::apiserver
