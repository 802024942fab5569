// SPDX-License-Identifier: Apache-2.0
#include "test/cost/parsers.h"

#include <algorithm>
#include <utility>

#include "apiserver/json_patch.h"
#include "generate/structural.h"
#include "helm/chart/archive.h"
#include "helm/chart/ignore.h"
#include "helm/chart/loader.h"
#include "helm/chart/metadata.h"
#include "helm/chart/values_file.h"
#include "helm/render/manifest.h"
#include "helm/schema/schema.h"
#include "helm/values/coalesce.h"
#include "helm/values/strvals.h"
#include "helm/version/semver.h"
#include "kube/object_json.h"
#include "kube/quantity.h"
#include "test/cost/rows.h"
#include "test/fuzz/chart_text.h"
#include "tmpl/template.h"
#include "value/json.h"
#include "value/path.h"
#include "yaml/document.h"

namespace chartwright::cost {
namespace {

using value::Value;

constexpr char kNothing[] = "";
constexpr char kKey[] = "key";
constexpr char kSetRest[] = "=1,";

// Items with a number each: "{open}{part}17{rest}...{close}".
template <const char* kOpen, const char* kPart, const char* kRest, const char* kClose>
std::string numbered(size_t bytes) {
  std::string text = kOpen;
  for (size_t i = 0; text.size() < bytes; ++i) {
    text += kPart + std::to_string(i * 7919 % 1'000'003) + kRest;
  }
  return text + kClose;
}

template <const char* kOpen, const char* kPart, const char* kClose>
std::string many(size_t bytes) {
  return kOpen + repeated(kPart, bytes) + kClose;
}

template <const char* kOpen, const char* kInner, const char* kClose>
std::string nested(size_t bytes) {
  const size_t levels = bytes / (std::string_view(kOpen).size() + std::string_view(kClose).size());
  std::string text;
  for (size_t i = 0; i < levels; ++i) {
    text += kOpen;
  }
  text += kInner;
  for (size_t i = 0; i < levels; ++i) {
    text += kClose;
  }
  return text;
}

std::string parentheses(size_t bytes) {
  return "{{ " + std::string(bytes / 2, '(') + "1" + std::string(bytes / 2, ')') + " }}";
}

template <typename T>
base::Status status_of(const base::Result<T>& parsed) {
  return parsed.ok() ? base::Status() : base::Status(parsed.error());
}

base::Status values_file(const std::string& text) {
  return status_of(helm::decode_values_file(text, helm::ValuesRule::kAllDocuments));
}

base::Status json(const std::string& text) {
  return status_of(value::parse_json(text, value::Numbers::kFloat64));
}

base::Status object(const std::string& text) { return status_of(kube::parse_object_json(text)); }

base::Status configuration(const std::string& text) {
  CW_TRY(const yaml::DocumentNode node, yaml::parse_document(text, "file.yaml"));
  return status_of(yaml::document_value(node, value::Numbers::kInt64));
}

// Members are set one by one, which takes quadratic time, so the length is limited to that of
// command lines.
std::string set_keys(size_t bytes) {
  constexpr size_t kLineBytesMax = size_t{32} << 10;
  return numbered<kNothing, kKey, kSetRest, kNothing>(std::min(bytes, kLineBytesMax));
}

base::Status set_line(const std::string& text) {
  Value into = Value::dict();
  return helm::parse_set(text, helm::SetMode::kTyped, into);
}

base::Status schema(const std::string& text) {
  CW_TRY(const helm::Schema compiled, helm::Schema::compile(text));
  return compiled.validate(Value::dict());
}

base::Status values_of_schema(const std::string& text) {
  static const helm::Schema compiled = CW_MUST(helm::Schema::compile(
      R"({"additionalProperties":{"type":["string","array"],"pattern":"^([a-z]{1,9}){1,9}$",
          "uniqueItems":true,"items":{"enum":[1,2,"a"]}},"propertyNames":{"maxLength":99},
          "patternProperties":{"^k.*z$":false}})"));
  CW_TRY(const Value values, value::parse_json(text, value::Numbers::kFloat64));
  return compiled.validate(values);
}

base::Status metadata(const std::string& text) {
  helm::Metadata into;
  CW_TRY_VOID(helm::read_metadata(text, into, helm::default_profile()));
  return helm::validate_metadata(into, helm::default_profile());
}

base::Status ignore_rules(const std::string& text) {
  return status_of(helm::IgnoreRules::parse(text));
}

base::Status template_text(const std::string& text) {
  tmpl::Template templates(all_functions(), "cost");
  return templates.parse("cost", text);
}

base::Status manifests(const std::string& text) {
  return status_of(helm::sort_manifests({{"chart/templates/a.yaml", text}}));
}

base::Status version(const std::string& text) { return status_of(helm::Version::parse(text)); }

base::Status constraints(const std::string& text) {
  return status_of(helm::Constraints::parse(text));
}

base::Status path(const std::string& text) { return status_of(value::Path::parse(text)); }

base::Status quantity(const std::string& text) { return status_of(kube::Quantity::parse(text)); }

/// Applies a JSON patch to an object.
base::Status patched(const std::string& text) {
  static const base::SystemClock clock;
  CW_TRY(const Value patch,
         value::parse_json(text, value::Numbers::kInt64, apiserver::kBodyLimits));
  views::Work work(clock, {}, std::chrono::seconds(2));
  return status_of(apiserver::json_patched(Value::dict({{"d", Value::dict()}}), patch, work));
}

// As many operations as a patch may have, after one that adds all but their text.
template <const char* kMember, const char* kStep>
std::string patch_of_one(size_t bytes) {
  std::string text = R"([{"op":"add","path":"/l","value":[{})";
  while (text.size() < bytes) {
    text += kMember;
  }
  text += "]}";
  for (int i = 0; i < 999; ++i) {
    text += kStep;
  }
  return text + "]";
}

// Operations that double the depth of a member, or a list.
std::string doubling_patch(size_t bytes) {
  std::string text = R"([{"op":"add","path":"/d","value":{}})";
  for (std::string path = "/d"; text.size() < bytes; path += path) {
    text += R"(,{"op":"copy","from":"/d","path":")" + path + "/d\"}";
  }
  return text + "]";
}

base::Status structural(const std::string& text) {
  return status_of(generate::structural_schema(text, {.file = "schema.json", .defaults = {}}));
}

// Coalesces a user's values with those of a chart: every second key is new, and every third is
// deleted with null.
base::Status coalesced(const std::string& text) {
  CW_TRY(helm::LoadedChart loaded,
         helm::load_chart_files({{"Chart.yaml", "apiVersion: v2\nname: cost\nversion: 1.0.0\n"},
                                 {"values.yaml", text}}));
  Value user = Value::dict();
  size_t i = 0;
  for (const auto& [key, member] : loaded.chart.values.as_dict()) {
    user.mutable_dict().set(key + (i % 2 == 0 ? "+" : ""), i % 3 == 0 ? Value() : member);
    ++i;
  }
  helm::Warnings warnings;
  return status_of(helm::coalesce_values(
      loaded.chart, user, {helm::Nulls::kDelete, helm::default_profile()}, warnings));
}

// Incompressible bytes, so that the unpacked data is as long as the input.
std::string noise(size_t bytes, uint64_t number) {
  std::string text(bytes, '\0');
  uint64_t state = 88172645463325252U + number;  // Marsaglia's xorshift64.
  for (char& c : text) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    c = static_cast<char>(state >> 32);
  }
  return text;
}

template <size_t kFileBytes>
std::string archive(size_t bytes) {
  std::vector<fuzz::Section> files = {
      {"Chart.yaml", "apiVersion: v2\nname: cost\nversion: 1.0.0\n"}};
  for (size_t left = bytes; left > 0; left -= std::min(left, kFileBytes)) {
    files.push_back(
        {"files/f" + std::to_string(files.size()), noise(std::min(left, kFileBytes), left)});
  }
  return fuzz::pack_chart(files);
}

base::Status chart_of_archive(const std::string& text) {
  CW_TRY(auto files, helm::read_archive(text, helm::default_profile().file_size));
  return status_of(helm::load_chart_files(std::move(files)));
}

constexpr char kYamlRest[] = ": {a: [b, 1.5, true]}\n";
constexpr char kJsonOpen[] = "{";
constexpr char kJsonKey[] = "\"key";
constexpr char kJsonRest[] = "\":[1,\"a\",{}],";
constexpr char kJsonClose[] = "\"end\":0}";
constexpr char kList[] = "[";
constexpr char kListEnd[] = "]";
constexpr char kInner[] = "1";
constexpr char kSetIndex[] = "a[";
constexpr char kSetIndexRest[] = "]=1,";
constexpr char kProperties[] = R"({"properties":{)";
constexpr char kPropertyRest[] = R"(":{"type":"string","pattern":"^[a-z]{1,9}$"},)";
constexpr char kPropertiesEnd[] = R"("end":{}}})";
constexpr char kAllOf[] = R"({"allOf":[)";
constexpr char kAlternative[] = R"({"minProperties":0},)";
constexpr char kAllOfEnd[] = "{}]}";
constexpr char kEnum[] = R"({"enum":[)";
constexpr char kEnumItem[] = "\"text";
constexpr char kEnumRest[] = "\",";
constexpr char kEnumEnd[] = "1]}";
constexpr char kNot[] = R"({"not":)";
constexpr char kTrue[] = "true";
constexpr char kBrace[] = "}";
constexpr char kChart[] = "apiVersion: v2\nname: cost\nversion: 1.0.0\nkeywords:\n";
constexpr char kKeyword[] = "- word\n";
constexpr char kGlobs[] = "*.a[b-c]?/\n";
constexpr char kDocument[] = "---\na: 1\n";
constexpr char kObject[] = "---\nkind: K\nmetadata: {name: a}\n";
constexpr char kDigits[] = "1";
constexpr char kRange[] = ">=1.0.0 <2.0.0 ||";
constexpr char kStep[] = ".a[0]";
constexpr char kAction[] = "{{ if .a }}{{ $x := .b | default 1 }}{{ end }}\n";
constexpr char kComment[] = "{{/* */}}";
constexpr char kOpenIf[] = "{{ if 1 }}";
constexpr char kCloseIf[] = "{{ end }}";
constexpr char kPatchMember[] = ",{}";
constexpr char kPatchAdd[] = R"(,{"op":"add","path":"/l/0","value":0})";
constexpr char kPatchMove[] = R"(,{"op":"move","from":"/l","path":"/l"})";
constexpr char kPatchCopy[] = R"(,{"op":"copy","from":"/l","path":"/d/l"})";
constexpr char kPatchTest[] = R"(,{"op":"test","path":"/l","value":[]})";
constexpr char kEscape[] = "\\n";
constexpr char kQuote[] = "\"";

}  // namespace

std::vector<Parser> all_parsers() {
  const auto yaml_keys = numbered<kNothing, kKey, kYamlRest, kNothing>;
  const auto json_keys = numbered<kJsonOpen, kJsonKey, kJsonRest, kJsonClose>;
  return {
      {"values.yaml", "keys", yaml_keys, values_file},
      {"values.yaml", "documents", many<kNothing, kDocument, kNothing>, values_file},
      {"values.yaml", "nested", nested<kList, kInner, kListEnd>, values_file},
      {"values", "defaults and nulls", yaml_keys, coalesced},
      {"JSON", "keys", json_keys, json},
      {"JSON", "nested", nested<kList, kInner, kListEnd>, json},
      {"JSON", "escapes", many<kQuote, kEscape, kQuote>, json},
      {"object", "keys", json_keys, object},
      {"configuration file", "keys", yaml_keys, configuration},
      {"--set", "keys", set_keys, set_line},
      {"--set", "indices", many<kSetIndex, kDigits, kSetIndexRest>, set_line},
      {"schema", "properties", numbered<kProperties, kJsonKey, kPropertyRest, kPropertiesEnd>,
       schema},
      {"schema", "allOf", many<kAllOf, kAlternative, kAllOfEnd>, schema},
      {"schema", "enum", numbered<kEnum, kEnumItem, kEnumRest, kEnumEnd>, schema},
      {"schema", "nested", nested<kNot, kTrue, kBrace>, schema},
      {"validation", "keys", json_keys, values_of_schema},
      {"Chart.yaml", "keywords", many<kChart, kKeyword, kNothing>, metadata},
      {".helmignore", "rules", many<kNothing, kGlobs, kNothing>, ignore_rules},
      {"template", "actions", many<kNothing, kAction, kNothing>, template_text},
      {"template", "comments", many<kNothing, kComment, kNothing>, template_text},
      {"template", "nested", nested<kOpenIf, kInner, kCloseIf>, template_text},
      {"template", "parentheses", parentheses, template_text},
      {"archive", "small files", archive<size_t{1} << 10>, chart_of_archive},
      {"archive", "large files", archive<size_t{4} << 20>, chart_of_archive},
      {"manifest", "documents", many<kNothing, kObject, kNothing>, manifests},
      {"version", "digits", many<kNothing, kDigits, kNothing>, version},
      {"constraint", "ranges", many<kNothing, kRange, kDigits>, constraints},
      {"path", "steps", many<kKey, kStep, kNothing>, path},
      {"JSON patch", "adds to a list", patch_of_one<kPatchMember, kPatchAdd>, patched},
      {"JSON patch", "moves of a list", patch_of_one<kPatchMember, kPatchMove>, patched},
      {"JSON patch", "copies of a list", patch_of_one<kPatchMember, kPatchCopy>, patched},
      {"JSON patch", "tests of a list", patch_of_one<kPatchMember, kPatchTest>, patched},
      {"JSON patch", "doubling depth", doubling_patch, patched},
      {"CRD of a schema", "properties",
       numbered<kProperties, kJsonKey, kPropertyRest, kPropertiesEnd>, structural},
      {"CRD of a schema", "allOf", many<kAllOf, kAlternative, kAllOfEnd>, structural},
      {"quantity", "digits", many<kNothing, kDigits, kNothing>, quantity},
  };
}

}  // namespace chartwright::cost
