// SPDX-License-Identifier: Apache-2.0
// The meta-schemas of the drafts without annotations, which do not affect validation. Those of
// 2019-09 and 2020-12 contain the meta-schemas of their vocabularies as subschemas.
// Source: https://json-schema.org/specification-links.
#include "helm/schema/meta.h"

namespace chartwright::helm {
namespace {

constexpr std::string_view kDraft4 =
    R"json({"$schema":"http://json-schema.org/draft-04/schema#","definitions":{"schemaArray":{"type":"array",
"minItems":1,"items":{"$ref":"#"}},"positiveInteger":{"type":"integer","minimum":0},
"positiveIntegerDefault0":{"allOf":[{"$ref":"#/definitions/positiveInteger"},{}]},"simpleTypes":{
"enum":["array","boolean","integer","null","number","object","string"]},"stringArray":{
"type":"array","items":{"type":"string"},"minItems":1,"uniqueItems":true}},"type":"object",
"properties":{"id":{"type":"string","format":"uriref"},"$schema":{"type":"string","format":"uri"},
"title":{"type":"string"},"description":{"type":"string"},"default":{},"multipleOf":{
"type":"number","minimum":0,"exclusiveMinimum":true},"maximum":{"type":"number"},
"exclusiveMaximum":{"type":"boolean"},"minimum":{"type":"number"},"exclusiveMinimum":{
"type":"boolean"},"maxLength":{"$ref":"#/definitions/positiveInteger"},"minLength":{
"$ref":"#/definitions/positiveIntegerDefault0"},"pattern":{"type":"string","format":"regex"},
"additionalItems":{"anyOf":[{"type":"boolean"},{"$ref":"#"}]},"items":{"anyOf":[{"$ref":"#"},{
"$ref":"#/definitions/schemaArray"}]},"maxItems":{"$ref":"#/definitions/positiveInteger"},
"minItems":{"$ref":"#/definitions/positiveIntegerDefault0"},"uniqueItems":{"type":"boolean"},
"maxProperties":{"$ref":"#/definitions/positiveInteger"},"minProperties":{
"$ref":"#/definitions/positiveIntegerDefault0"},"required":{"$ref":"#/definitions/stringArray"},
"additionalProperties":{"anyOf":[{"type":"boolean"},{"$ref":"#"}]},"definitions":{"type":"object",
"additionalProperties":{"$ref":"#"}},"properties":{"type":"object","additionalProperties":{
"$ref":"#"}},"patternProperties":{"type":"object","additionalProperties":{"$ref":"#"}},
"dependencies":{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#"},{
"$ref":"#/definitions/stringArray"}]}},"enum":{"type":"array","minItems":1,"uniqueItems":true},
"type":{"anyOf":[{"$ref":"#/definitions/simpleTypes"},{"type":"array","items":{
"$ref":"#/definitions/simpleTypes"},"minItems":1,"uniqueItems":true}]},"allOf":{
"$ref":"#/definitions/schemaArray"},"anyOf":{"$ref":"#/definitions/schemaArray"},"oneOf":{
"$ref":"#/definitions/schemaArray"},"not":{"$ref":"#"},"format":{"type":"string"},"$ref":{
"type":"string"}},"dependencies":{"exclusiveMaximum":["maximum"],"exclusiveMinimum":["minimum"]}})json";

constexpr std::string_view kDraft6 = R"json({"$schema":"http://json-schema.org/draft-06/schema#",
"$id":"http://json-schema.org/draft-06/schema#","definitions":{"schemaArray":{"type":"array",
"minItems":1,"items":{"$ref":"#"}},"nonNegativeInteger":{"type":"integer","minimum":0},
"nonNegativeIntegerDefault0":{"allOf":[{"$ref":"#/definitions/nonNegativeInteger"},{}]},
"simpleTypes":{"enum":["array","boolean","integer","null","number","object","string"]},
"stringArray":{"type":"array","items":{"type":"string"},"uniqueItems":true}},"type":["object",
"boolean"],"properties":{"$id":{"type":"string","format":"uri-reference"},"$schema":{
"type":"string","format":"uri"},"$ref":{"type":"string","format":"uri-reference"},"title":{
"type":"string"},"description":{"type":"string"},"default":{},"multipleOf":{"type":"number",
"exclusiveMinimum":0},"maximum":{"type":"number"},"exclusiveMaximum":{"type":"number"},"minimum":{
"type":"number"},"exclusiveMinimum":{"type":"number"},"maxLength":{
"$ref":"#/definitions/nonNegativeInteger"},"minLength":{
"$ref":"#/definitions/nonNegativeIntegerDefault0"},"pattern":{"type":"string","format":"regex"},
"additionalItems":{"$ref":"#"},"items":{"anyOf":[{"$ref":"#"},{
"$ref":"#/definitions/schemaArray"}]},"maxItems":{"$ref":"#/definitions/nonNegativeInteger"},
"minItems":{"$ref":"#/definitions/nonNegativeIntegerDefault0"},"uniqueItems":{"type":"boolean"},
"contains":{"$ref":"#"},"maxProperties":{"$ref":"#/definitions/nonNegativeInteger"},
"minProperties":{"$ref":"#/definitions/nonNegativeIntegerDefault0"},"required":{
"$ref":"#/definitions/stringArray"},"additionalProperties":{"$ref":"#"},"definitions":{
"type":"object","additionalProperties":{"$ref":"#"}},"properties":{"type":"object",
"additionalProperties":{"$ref":"#"}},"patternProperties":{"type":"object","additionalProperties":{
"$ref":"#"}},"dependencies":{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#"},{
"$ref":"#/definitions/stringArray"}]}},"propertyNames":{"$ref":"#"},"const":{},"enum":{
"type":"array","minItems":1,"uniqueItems":true},"type":{"anyOf":[{
"$ref":"#/definitions/simpleTypes"},{"type":"array","items":{"$ref":"#/definitions/simpleTypes"},
"minItems":1,"uniqueItems":true}]},"format":{"type":"string"},"allOf":{
"$ref":"#/definitions/schemaArray"},"anyOf":{"$ref":"#/definitions/schemaArray"},"oneOf":{
"$ref":"#/definitions/schemaArray"},"not":{"$ref":"#"}}})json";

constexpr std::string_view kDraft7 = R"json({"$schema":"http://json-schema.org/draft-07/schema#",
"$id":"http://json-schema.org/draft-07/schema#","definitions":{"schemaArray":{"type":"array",
"minItems":1,"items":{"$ref":"#"}},"nonNegativeInteger":{"type":"integer","minimum":0},
"nonNegativeIntegerDefault0":{"allOf":[{"$ref":"#/definitions/nonNegativeInteger"},{}]},
"simpleTypes":{"enum":["array","boolean","integer","null","number","object","string"]},
"stringArray":{"type":"array","items":{"type":"string"},"uniqueItems":true}},"type":["object",
"boolean"],"properties":{"$id":{"type":"string","format":"uri-reference"},"$schema":{
"type":"string","format":"uri"},"$ref":{"type":"string","format":"uri-reference"},"$comment":{
"type":"string"},"title":{"type":"string"},"description":{"type":"string"},"default":true,
"readOnly":{"type":"boolean"},"writeOnly":{"type":"boolean"},"examples":{"type":"array",
"items":true},"multipleOf":{"type":"number","exclusiveMinimum":0},"maximum":{"type":"number"},
"exclusiveMaximum":{"type":"number"},"minimum":{"type":"number"},"exclusiveMinimum":{
"type":"number"},"maxLength":{"$ref":"#/definitions/nonNegativeInteger"},"minLength":{
"$ref":"#/definitions/nonNegativeIntegerDefault0"},"pattern":{"type":"string","format":"regex"},
"additionalItems":{"$ref":"#"},"items":{"anyOf":[{"$ref":"#"},{
"$ref":"#/definitions/schemaArray"}]},"maxItems":{"$ref":"#/definitions/nonNegativeInteger"},
"minItems":{"$ref":"#/definitions/nonNegativeIntegerDefault0"},"uniqueItems":{"type":"boolean"},
"contains":{"$ref":"#"},"maxProperties":{"$ref":"#/definitions/nonNegativeInteger"},
"minProperties":{"$ref":"#/definitions/nonNegativeIntegerDefault0"},"required":{
"$ref":"#/definitions/stringArray"},"additionalProperties":{"$ref":"#"},"definitions":{
"type":"object","additionalProperties":{"$ref":"#"}},"properties":{"type":"object",
"additionalProperties":{"$ref":"#"}},"patternProperties":{"type":"object","additionalProperties":{
"$ref":"#"},"propertyNames":{"format":"regex"}},"dependencies":{"type":"object",
"additionalProperties":{"anyOf":[{"$ref":"#"},{"$ref":"#/definitions/stringArray"}]}},
"propertyNames":{"$ref":"#"},"const":true,"enum":{"type":"array","items":true,"minItems":1,
"uniqueItems":true},"type":{"anyOf":[{"$ref":"#/definitions/simpleTypes"},{"type":"array","items":{
"$ref":"#/definitions/simpleTypes"},"minItems":1,"uniqueItems":true}]},"format":{"type":"string"},
"contentMediaType":{"type":"string"},"contentEncoding":{"type":"string"},"if":{"$ref":"#"},"then":{
"$ref":"#"},"else":{"$ref":"#"},"allOf":{"$ref":"#/definitions/schemaArray"},"anyOf":{
"$ref":"#/definitions/schemaArray"},"oneOf":{"$ref":"#/definitions/schemaArray"},"not":{
"$ref":"#"}}})json";

constexpr std::string_view kDraft2019 =
    R"json({"$schema":"https://json-schema.org/draft/2019-09/schema",
"$id":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"allOf":[{
"$ref":"meta/core"},{"$ref":"meta/applicator"},{"$ref":"meta/validation"},{
"$ref":"meta/meta-data"},{"$ref":"meta/format"},{"$ref":"meta/content"}],"type":["object",
"boolean"],"properties":{"definitions":{"type":"object","additionalProperties":{
"$recursiveRef":"#"}},"dependencies":{"type":"object","additionalProperties":{"anyOf":[{
"$recursiveRef":"#"},{"$ref":"meta/validation#/$defs/stringArray"}]}}},"$defs":{"core":{
"$id":"https://json-schema.org/draft/2019-09/meta/core","$recursiveAnchor":true,"type":["object",
"boolean"],"properties":{"$id":{"type":"string","format":"uri-reference","pattern":"^[^#]*#?$"},
"$schema":{"type":"string","format":"uri"},"$anchor":{"type":"string",
"pattern":"^[A-Za-z][-A-Za-z0-9.:_]*$"},"$ref":{"type":"string","format":"uri-reference"},
"$recursiveRef":{"type":"string","format":"uri-reference"},"$recursiveAnchor":{"type":"boolean"},
"$vocabulary":{"type":"object","propertyNames":{"type":"string","format":"uri"},
"additionalProperties":{"type":"boolean"}},"$comment":{"type":"string"},"$defs":{"type":"object",
"additionalProperties":{"$recursiveRef":"#"}}}},"applicator":{
"$id":"https://json-schema.org/draft/2019-09/meta/applicator","$recursiveAnchor":true,"type":[
"object","boolean"],"properties":{"additionalItems":{"$recursiveRef":"#"},"unevaluatedItems":{
"$recursiveRef":"#"},"items":{"anyOf":[{"$recursiveRef":"#"},{"$ref":"#/$defs/schemaArray"}]},
"contains":{"$recursiveRef":"#"},"additionalProperties":{"$recursiveRef":"#"},
"unevaluatedProperties":{"$recursiveRef":"#"},"properties":{"type":"object",
"additionalProperties":{"$recursiveRef":"#"}},"patternProperties":{"type":"object",
"additionalProperties":{"$recursiveRef":"#"},"propertyNames":{"format":"regex"}},
"dependentSchemas":{"type":"object","additionalProperties":{"$recursiveRef":"#"}},"propertyNames":{
"$recursiveRef":"#"},"if":{"$recursiveRef":"#"},"then":{"$recursiveRef":"#"},"else":{
"$recursiveRef":"#"},"allOf":{"$ref":"#/$defs/schemaArray"},"anyOf":{"$ref":"#/$defs/schemaArray"},
"oneOf":{"$ref":"#/$defs/schemaArray"},"not":{"$recursiveRef":"#"}},"$defs":{"schemaArray":{
"type":"array","minItems":1,"items":{"$recursiveRef":"#"}}}},"validation":{
"$id":"https://json-schema.org/draft/2019-09/meta/validation","$recursiveAnchor":true,"type":[
"object","boolean"],"properties":{"multipleOf":{"type":"number","exclusiveMinimum":0},"maximum":{
"type":"number"},"exclusiveMaximum":{"type":"number"},"minimum":{"type":"number"},
"exclusiveMinimum":{"type":"number"},"maxLength":{"$ref":"#/$defs/nonNegativeInteger"},
"minLength":{"$ref":"#/$defs/nonNegativeIntegerDefault0"},"pattern":{"type":"string",
"format":"regex"},"maxItems":{"$ref":"#/$defs/nonNegativeInteger"},"minItems":{
"$ref":"#/$defs/nonNegativeIntegerDefault0"},"uniqueItems":{"type":"boolean"},"maxContains":{
"$ref":"#/$defs/nonNegativeInteger"},"minContains":{"$ref":"#/$defs/nonNegativeInteger"},
"maxProperties":{"$ref":"#/$defs/nonNegativeInteger"},"minProperties":{
"$ref":"#/$defs/nonNegativeIntegerDefault0"},"required":{"$ref":"#/$defs/stringArray"},
"dependentRequired":{"type":"object","additionalProperties":{"$ref":"#/$defs/stringArray"}},
"const":true,"enum":{"type":"array","items":true},"type":{"anyOf":[{"$ref":"#/$defs/simpleTypes"},{
"type":"array","items":{"$ref":"#/$defs/simpleTypes"},"minItems":1,"uniqueItems":true}]}},"$defs":{
"nonNegativeInteger":{"type":"integer","minimum":0},"nonNegativeIntegerDefault0":{
"$ref":"#/$defs/nonNegativeInteger"},"simpleTypes":{"enum":["array","boolean","integer","null",
"number","object","string"]},"stringArray":{"type":"array","items":{"type":"string"},
"uniqueItems":true}}},"meta-data":{"$id":"https://json-schema.org/draft/2019-09/meta/meta-data",
"$recursiveAnchor":true,"type":["object","boolean"],"properties":{"title":{"type":"string"},
"description":{"type":"string"},"default":true,"deprecated":{"type":"boolean"},"readOnly":{
"type":"boolean"},"writeOnly":{"type":"boolean"},"examples":{"type":"array","items":true}}},
"format":{"$id":"https://json-schema.org/draft/2019-09/meta/format","$recursiveAnchor":true,
"type":["object","boolean"],"properties":{"format":{"type":"string"}}},"content":{
"$id":"https://json-schema.org/draft/2019-09/meta/content","$recursiveAnchor":true,"type":[
"object","boolean"],"properties":{"contentMediaType":{"type":"string"},"contentEncoding":{
"type":"string"},"contentSchema":{"$recursiveRef":"#"}}}}})json";

constexpr std::string_view kDraft2020 =
    R"json({"$schema":"https://json-schema.org/draft/2020-12/schema",
"$id":"https://json-schema.org/draft/2020-12/schema","$dynamicAnchor":"meta","allOf":[{
"$ref":"meta/core"},{"$ref":"meta/applicator"},{"$ref":"meta/unevaluated"},{
"$ref":"meta/validation"},{"$ref":"meta/meta-data"},{"$ref":"meta/format-annotation"},{
"$ref":"meta/content"}],"type":["object","boolean"],"properties":{"definitions":{"type":"object",
"additionalProperties":{"$dynamicRef":"#meta"}},"dependencies":{"type":"object",
"additionalProperties":{"anyOf":[{"$dynamicRef":"#meta"},{
"$ref":"meta/validation#/$defs/stringArray"}]}},"$recursiveAnchor":{
"$ref":"meta/core#/$defs/anchorString"},"$recursiveRef":{
"$ref":"meta/core#/$defs/uriReferenceString"}},"$defs":{"core":{
"$id":"https://json-schema.org/draft/2020-12/meta/core","$dynamicAnchor":"meta","type":["object",
"boolean"],"properties":{"$id":{"$ref":"#/$defs/uriReferenceString","pattern":"^[^#]*#?$"},
"$schema":{"$ref":"#/$defs/uriString"},"$ref":{"$ref":"#/$defs/uriReferenceString"},"$anchor":{
"$ref":"#/$defs/anchorString"},"$dynamicRef":{"$ref":"#/$defs/uriReferenceString"},
"$dynamicAnchor":{"$ref":"#/$defs/anchorString"},"$vocabulary":{"type":"object","propertyNames":{
"$ref":"#/$defs/uriString"},"additionalProperties":{"type":"boolean"}},"$comment":{
"type":"string"},"$defs":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}}},
"$defs":{"anchorString":{"type":"string","pattern":"^[A-Za-z_][-A-Za-z0-9._]*$"},"uriString":{
"type":"string","format":"uri"},"uriReferenceString":{"type":"string","format":"uri-reference"}}},
"applicator":{"$id":"https://json-schema.org/draft/2020-12/meta/applicator",
"$dynamicAnchor":"meta","type":["object","boolean"],"properties":{"prefixItems":{
"$ref":"#/$defs/schemaArray"},"items":{"$dynamicRef":"#meta"},"contains":{"$dynamicRef":"#meta"},
"additionalProperties":{"$dynamicRef":"#meta"},"properties":{"type":"object",
"additionalProperties":{"$dynamicRef":"#meta"}},"patternProperties":{"type":"object",
"additionalProperties":{"$dynamicRef":"#meta"},"propertyNames":{"format":"regex"}},
"dependentSchemas":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}},
"propertyNames":{"$dynamicRef":"#meta"},"if":{"$dynamicRef":"#meta"},"then":{
"$dynamicRef":"#meta"},"else":{"$dynamicRef":"#meta"},"allOf":{"$ref":"#/$defs/schemaArray"},
"anyOf":{"$ref":"#/$defs/schemaArray"},"oneOf":{"$ref":"#/$defs/schemaArray"},"not":{
"$dynamicRef":"#meta"}},"$defs":{"schemaArray":{"type":"array","minItems":1,"items":{
"$dynamicRef":"#meta"}}}},"unevaluated":{
"$id":"https://json-schema.org/draft/2020-12/meta/unevaluated","$dynamicAnchor":"meta","type":[
"object","boolean"],"properties":{"unevaluatedItems":{"$dynamicRef":"#meta"},
"unevaluatedProperties":{"$dynamicRef":"#meta"}}},"validation":{
"$id":"https://json-schema.org/draft/2020-12/meta/validation","$dynamicAnchor":"meta","type":[
"object","boolean"],"properties":{"type":{"anyOf":[{"$ref":"#/$defs/simpleTypes"},{"type":"array",
"items":{"$ref":"#/$defs/simpleTypes"},"minItems":1,"uniqueItems":true}]},"const":true,"enum":{
"type":"array","items":true},"multipleOf":{"type":"number","exclusiveMinimum":0},"maximum":{
"type":"number"},"exclusiveMaximum":{"type":"number"},"minimum":{"type":"number"},
"exclusiveMinimum":{"type":"number"},"maxLength":{"$ref":"#/$defs/nonNegativeInteger"},
"minLength":{"$ref":"#/$defs/nonNegativeIntegerDefault0"},"pattern":{"type":"string",
"format":"regex"},"maxItems":{"$ref":"#/$defs/nonNegativeInteger"},"minItems":{
"$ref":"#/$defs/nonNegativeIntegerDefault0"},"uniqueItems":{"type":"boolean"},"maxContains":{
"$ref":"#/$defs/nonNegativeInteger"},"minContains":{"$ref":"#/$defs/nonNegativeInteger"},
"maxProperties":{"$ref":"#/$defs/nonNegativeInteger"},"minProperties":{
"$ref":"#/$defs/nonNegativeIntegerDefault0"},"required":{"$ref":"#/$defs/stringArray"},
"dependentRequired":{"type":"object","additionalProperties":{"$ref":"#/$defs/stringArray"}}},
"$defs":{"nonNegativeInteger":{"type":"integer","minimum":0},"nonNegativeIntegerDefault0":{
"$ref":"#/$defs/nonNegativeInteger"},"simpleTypes":{"enum":["array","boolean","integer","null",
"number","object","string"]},"stringArray":{"type":"array","items":{"type":"string"},
"uniqueItems":true}}},"meta-data":{"$id":"https://json-schema.org/draft/2020-12/meta/meta-data",
"$dynamicAnchor":"meta","type":["object","boolean"],"properties":{"title":{"type":"string"},
"description":{"type":"string"},"default":true,"deprecated":{"type":"boolean"},"readOnly":{
"type":"boolean"},"writeOnly":{"type":"boolean"},"examples":{"type":"array","items":true}}},
"format-annotation":{"$id":"https://json-schema.org/draft/2020-12/meta/format-annotation",
"$dynamicAnchor":"meta","type":["object","boolean"],"properties":{"format":{"type":"string"}}},
"content":{"$id":"https://json-schema.org/draft/2020-12/meta/content","$dynamicAnchor":"meta",
"type":["object","boolean"],"properties":{"contentEncoding":{"type":"string"},"contentMediaType":{
"type":"string"},"contentSchema":{"$dynamicRef":"#meta"}}}}})json";

}  // namespace

std::string_view meta_schema_text(int draft) {
  switch (draft) {
    case 4:
      return kDraft4;
    case 6:
      return kDraft6;
    case 7:
      return kDraft7;
    case 2019:
      return kDraft2019;
    default:
      return kDraft2020;
  }
}

}  // namespace chartwright::helm
