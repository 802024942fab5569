// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "generate/crd.h"
#include "helm/schema/schema.h"
#include "test/generate/projects.h"
#include "test/source_dir.h"
#include "value/json.h"
#include "yaml/yaml.h"

// The schema of the spec that is inferred for a chart without values.schema.json.
namespace chartwright::generate {
namespace {

using testing::Files;
using value::Value;

Value yaml_value(const std::string& text) {
  auto read = yaml::parse_yaml(text, value::Numbers::kInt64);
  INFO(text);
  REQUIRE(read.ok());
  return *read;
}

constexpr std::string_view kKeepsUnknown = "x-kubernetes-preserve-unknown-fields";
constexpr std::string_view kIsIntOrString = "x-kubernetes-int-or-string";

bool has_flag(const Value& schema, std::string_view key) {
  const Value* flag = schema.find(key);
  return flag != nullptr && flag->is_bool() && flag->as_bool();
}

Value types_with_null(std::vector<std::string> types, bool is_nullable) {
  std::vector<Value> names;
  for (const std::string& type : types) {
    names.push_back(Value::string(type));
  }
  if (is_nullable) {
    names.push_back(Value::string("null"));
  }
  return Value::list(std::move(names));
}

/// Returns a JSON schema that accepts what an API server with the structural schema accepts under
/// strict field validation.
Value strict_json_schema(const Value& structural) {
  Value schema = Value::dict();
  const bool is_nullable = has_flag(structural, "nullable");
  const std::string type(structural.string_at({"type"}));
  if (has_flag(structural, kIsIntOrString)) {
    schema.mutable_dict().set("type", types_with_null({"integer", "string"}, is_nullable));
  } else if (!type.empty()) {
    schema.mutable_dict().set("type", types_with_null({type}, is_nullable));
  }
  if (const Value* items = structural.find("items")) {
    schema.mutable_dict().set("items", strict_json_schema(*items));
  }
  Value properties = Value::dict();
  if (const Value* fields = structural.find("properties")) {
    for (const auto& [name, inner] : fields->as_dict()) {
      properties.mutable_dict().set(name, strict_json_schema(inner));
    }
  }
  schema.mutable_dict().set("properties", std::move(properties));
  if (type == "object" && !has_flag(structural, kKeepsUnknown)) {
    schema.mutable_dict().set("additionalProperties", Value::boolean(false));
  }
  return schema;
}

std::shared_ptr<const helm::RenderableChart> chart_with(const Files& files) {
  std::vector<helm::File> all = {{"Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.2.3\n"}};
  for (const auto& [name, text] : files) {
    std::erase_if(all, [&name = name](const helm::File& file) { return file.name == name; });
    all.push_back({name, text});
  }
  auto chart = helm::RenderableChart::from_files(std::move(all));
  INFO((chart.ok() ? "" : chart.error().to_string()));
  REQUIRE(chart.ok());
  return *chart;
}

/// The fault of `spec` under the schema that is inferred for a chart; "": it is accepted.
std::string refusal(const helm::RenderableChart& chart, const Value& spec) {
  const Value inferred = yaml_value(inferred_schema(chart).to_string());
  const auto schema =
      helm::Schema::compile(value::to_json(strict_json_schema(inferred)).value_or(""));
  REQUIRE(schema.ok());
  const base::Status valid = schema->validate(spec);
  return valid.ok() ? "" : valid.error().to_string();
}

bool accepts(const Files& files, const std::string& spec) {
  return refusal(*chart_with(files), yaml_value(spec)).empty();
}

/// Removes the descriptions of a schema and those below it.
void forget_descriptions(Value& schema) {
  if (!schema.is_dict()) {
    return;
  }
  Value kept = Value::dict();
  for (const auto& [key, inner] : schema.as_dict()) {
    if (key != "description" || !inner.is_string()) {
      Value copy = inner;
      forget_descriptions(copy);
      kept.mutable_dict().set(key, std::move(copy));
    }
  }
  schema = std::move(kept);
}

/// The schema that a default and its use give to the value `x`.
std::string schema_for(const std::string& usual, const std::string& use) {
  Value schema = yaml_value(inferred_schema(*chart_with({{"values.yaml", "x: " + usual + "\n"},
                                                         {"templates/a.yaml", use}}))
                                .to_string());
  forget_descriptions(schema);
  const Value* x = schema.find_path({"properties", "x"});
  return x == nullptr ? "" : value::to_json(*x).value_or("");
}

const std::string kAnything = R"({"nullable":true,"x-kubernetes-preserve-unknown-fields":true})";
const std::string kIntegerOrText = R"({"nullable":true,"x-kubernetes-int-or-string":true})";
const std::string kText = R"({"nullable":true,"type":"string"})";
const std::string kBoolean = R"({"nullable":true,"type":"boolean"})";
const std::string kAnyList =
    R"({"items":{"x-kubernetes-preserve-unknown-fields":true},"nullable":true,)"
    R"("type":"array","x-kubernetes-list-type":"atomic"})";

struct UseCase {
  const char* usual;
  const char* use;
};

}  // namespace

TEST_CASE("A value that is copied, tested or printed has no type") {
  const UseCase uses[] = {
      // Copied.
      {"''", "{{ if .Values.x }}{{ toYaml .Values.x | nindent 2 }}{{ end }}"},
      {"''", "{{ with .Values.x }}{{ toYaml . | nindent 2 }}{{ end }}"},
      {"0", "{{ toYaml .Values.x | quote }}"},
      {"{}", "{{ .Values.x | default dict | toJson | quote }}"},
      {"[]", "{{ tpl (toYaml .Values.x) . }}"},
      {"''", "{{ range .Values.x }}{{ . }}{{ end }}"},
      {"[a]", "{{ range .Values.x }}{{ . }}{{ end }}"},
      {"{}", "{{ range $key, $each := .Values.x }}{{ $key }}{{ $each }}{{ end }}"},
      {"''", "{{ .Values.x | toYaml | fromYaml | toJson }}"},
      // Tested for their kind.
      {"''", "{{ if kindIs \"string\" .Values.x }}{{ tpl .Values.x . }}{{ end }}"},
      {"a",
       "{{ $kind := typeOf .Values.x }}{{ if eq $kind \"string\" }}{{ tpl .Values.x . }}{{ end }}"},
      {"''",
       "{{ define \"r\" }}{{ if typeIs \"string\" .value }}{{ tpl .value .context }}{{ end }}"
       "{{ end }}{{ include \"r\" (dict \"value\" .Values.x \"context\" $) }}"},
      {"{}", "{{ if kindIs \"string\" .Values.x }}{{ .Values.x }}{{ end }}"},
      {"[]",
       "{{ if kindIs \"map\" .Values.x }}{{ range $k, $v := .Values.x }}{{ $k }}{{ end }}{{ end "
       "}}"},
      {"a",
       "{{ define \"r\" }}{{ if eq (kindOf .) \"string\" }}{{ . | trim }}{{ end }}{{ end }}"
       "{{ include \"r\" .Values.x }}"},
      {"a", "{{ if typeIsLike \"string\" .Values.x }}{{ trim .Values.x }}{{ end }}"},
      {"a", "{{ if eq (printf \"%T\" .Values.x) \"string\" }}{{ trim .Values.x }}{{ end }}"},
      // Only tested for truth.
      {"false", "{{ if .Values.x }}a{{ end }}"},
      {"''", "{{ with .Values.x }}a{{ end }}"},
      {"true", "{{ if not .Values.x }}a{{ end }}"},
      {"false", "{{ if and .Values.x .Values.y }}a{{ end }}"},
      {"1", "{{ if or .Values.x .Values.y }}a{{ end }}"},
      {"a", "{{ if empty .Values.x }}a{{ end }}"},
      {"{}", "{{ if gt (len .Values.x) 0 }}a{{ end }}"},
      // Printed.
      {"1.21", "image: nginx:{{ .Values.x }}"},
      {"30", "{{ .Values.x | quote }}"},
      {"false", "{{ if .Values.x }}{{ .Values.x | squote }}{{ end }}"},
      {"5", "{{ printf \"%vs\" .Values.x }}"},
      {"true", "{{ eq (toString .Values.x) \"true\" }}"},
      {"3", "{{ toString .Values.x | trunc 63 }}"},
      {"a", "{{ default \"b\" .Values.x }}"},
      {"a", "{{ coalesce .Values.x \"b\" }}"},
      {"a", "{{ ternary .Values.x \"b\" true }}"},
      {"a", "{{ cat .Values.x \"b\" | join \",\" }}"},
      {"80%", "maxSurge: {{ .Values.x }}"},
      {"100m", "{{ $cpu := .Values.x }}{{ $cpu }}"},
      {"a", "{{ index .Values \"x\" }}{{ get .Values \"x\" }}{{ dig \"x\" \"b\" .Values }}"},
      // Used as a number and in another way, or as different kinds.
      {"1", "{{ if gt (int .Values.x) 0 }}{{ .Values.x }}{{ end }}"},
      {"0.5", "{{ int .Values.x }}"},
      {"a",
       "{{ if .Values.y }}{{ join \",\" (uniq .Values.x) }}{{ else }}{{ trim .Values.x }}{{ end "
       "}}"},
      // Not used.
      {"a", ""},
      {"true", ""},
  };
  for (const UseCase& one : uses) {
    INFO(one.usual << " in " << one.use);
    CHECK(schema_for(one.usual, one.use) == kAnything);
  }
}

TEST_CASE("A use that fails for all other kinds of values gives the kind of the default") {
  const struct {
    const char* usual;
    const char* use;
    std::string schema;
  } uses[] = {
      {"a", "{{ .Values.x | trunc 63 | trimSuffix \"-\" }}", kText},
      {"''", "{{ default .Chart.Name .Values.x | trunc 63 }}", kText},
      {"a", "{{ tpl .Values.x . }}", kText},
      {"a", "{{ if eq .Values.x \"a\" }}b{{ end }}", kText},
      {"a", "{{ if .Values.x | ne \"b\" }}b{{ end }}", kText},
      {"a", "{{ include \"r\" .Values.x }}{{ define \"r\" }}{{ b64enc . }}{{ end }}", kText},
      {"a", "{{ include \"r\" (dict \"v\" .Values.x) }}{{ define \"r\" }}{{ upper .v }}{{ end }}",
       kText},
      {"true", "{{ ternary \"a\" \"b\" .Values.x }}", kBoolean},
      {"true", "{{ if eq .Values.x true }}b{{ end }}", kBoolean},
      {"[]", "{{ if has \"a\" .Values.x }}b{{ end }}", kAnyList},
      {"[]", "{{ range append .Values.x \"a\" }}{{ . }}{{ end }}", kAnyList},
      {"[a]", "{{ first .Values.x }}", kAnyList},
      {"[a]", "{{ range uniq .Values.x }}{{ upper . }}{{ end }}",
       R"({"items":{"nullable":true,"type":"string"},"nullable":true,)"
       R"("type":"array","x-kubernetes-list-type":"atomic"})"},
      {"1", "{{ range until (int .Values.x) }}{{ . }}{{ end }}", kIntegerOrText},
      {"''", "{{ .Values.x | int | quote }}", kIntegerOrText},
      {"'8080'", "{{ add1 .Values.x }}", kIntegerOrText},
      {"{a: 1}", "{{ .Values.x.a }}",
       R"({"nullable":true,"properties":{"a":)" + kAnything + R"(},"type":"object"})"},
      {"{a: 1}", "{{ get .Values.x \"a\" }}{{ .Values.x.b }}",
       R"({"nullable":true,"properties":{"a":)" + kAnything +
           R"(,"b":{"x-kubernetes-preserve-unknown-fields":true}},"type":"object"})"},
      {"{}", "{{ range keys .Values.x }}{{ . }}{{ end }}",
       R"({"nullable":true,"type":"object","x-kubernetes-preserve-unknown-fields":true})"},
  };
  for (const auto& one : uses) {
    INFO(one.usual << " in " << one.use);
    CHECK(schema_for(one.usual, one.use) == one.schema);
  }
}

TEST_CASE("A use that depends on other values proves nothing if the value is read otherwise, too") {
  const UseCase uses[] = {
      {"a", "{{ if .Values.y }}{{ trim .Values.x }}{{ else }}{{ .Values.x }}{{ end }}"},
      {"''", "{{ if and .Values.y (ne .Values.x \"\") }}{{ .Values.x }}{{ end }}"},
      {"a", "{{ if or .Values.y (eq .Values.x \"a\") }}b{{ end }}{{ .Values.x }}"},
      {"a", "{{ range .Values.y }}{{ trim $.Values.x }}{{ end }}{{ .Values.x }}"},
      {"a", "{{ with .Values.y }}b{{ else }}{{ trim .Values.x }}{{ end }}{{ .Values.x }}"},
      {"a",
       "{{ define \"r\" }}{{ trim . }}{{ end }}{{ if .Values.y }}{{ include \"r\" .Values.x }}"
       "{{ end }}{{ .Values.x }}"},
      {"a", "{{ trim (default .Values.x .Values.y) }}{{ .Values.x }}"},
      {"a", "{{ trim (coalesce .Values.y .Values.x) }}{{ .Values.x }}"},
      {"a", "{{ trim (ternary .Values.x .Values.y true) }}"},
      {"a",
       "{{ $v := .Values.y }}{{ if .Values.z }}{{ $v = .Values.x }}{{ end }}{{ trim $v }}"
       "{{ .Values.x }}"},
      // One member of several, which is not known.
      {"a", "{{ trim (index .Values .Values.key) }}"},
  };
  for (const UseCase& one : uses) {
    INFO(one.usual << " in " << one.use);
    CHECK(schema_for(one.usual, one.use) == kAnything);
  }
  CHECK(schema_for("[a]", "{{ trim (first .Values.x) }}") == kAnyList);
  const std::string use =
      "{{ if .Values.y }}{{ .Values.x.a }}{{ else }}{{ toYaml .Values.x }}{{ end }}";
  CHECK(schema_for("{a: 1}", use) == R"({"nullable":true,"properties":{"a":)" + kAnything +
                                         R"(},"x-kubernetes-preserve-unknown-fields":true})");
}

TEST_CASE("A use that depends on the value itself, or is the only one, gives the kind") {
  const UseCase uses[] = {
      {"a", "{{ if .Values.x }}{{ trim .Values.x }}{{ end }}{{ .Values.x }}"},
      {"a", "{{ with .Values.x }}{{ trim . }}{{ . }}{{ end }}"},
      {"a", "{{ if and .Values.x (eq .Values.x \"a\") }}{{ .Values.x }}{{ end }}"},
      {"a", "{{ trim (default .Values.y .Values.x) }}{{ .Values.x }}"},
      {"a", "{{ if .Values.y }}{{ trim .Values.x }}{{ end }}"},
      {"a", "{{ if .Values.y }}{{ tpl .Values.x . }}{{ else }}{{ upper .Values.x }}{{ end }}"},
  };
  for (const UseCase& one : uses) {
    INFO(one.usual << " in " << one.use);
    CHECK(schema_for(one.usual, one.use) == kText);
  }
}

TEST_CASE("A default of another kind than its use needs has no type") {
  const UseCase uses[] = {
      {"''", "{{ if .Values.x }}{{ .Values.x.a }}{{ end }}"},
      {"false", "{{ with .Values.x }}{{ .a }}{{ end }}"},
      {"''", "{{ if .Values.x }}{{ first .Values.x }}{{ end }}"},
      {"false", "{{ if .Values.x }}{{ trim .Values.x }}{{ end }}"},
      {"{}", "{{ if .Values.x }}{{ trim .Values.x }}{{ end }}"},
      {"5", "{{ if .Values.y }}{{ trim .Values.x }}{{ end }}"},
  };
  for (const UseCase& one : uses) {
    INFO(one.usual << " in " << one.use);
    CHECK(schema_for(one.usual, one.use) == kAnything);
  }
}

TEST_CASE("Quantities may be any number or text, and limits are no quantities by their name") {
  const Files files = {
      {"values.yaml",
       "resources: {limits: {cpu: 0.5, memory: 512Mi}, requests: {}}\n"
       "gateway: {limits: {enabled: false, rules: [], perUser: {burst: 5}}}\n"
       "cpuText: 100m\ncpuInteger: 1\ncpuFraction: 0.5\n"},
      {"templates/a.yaml",
       "r: {{ toYaml .Values.resources | quote }}\nl: {{ toYaml .Values.gateway.limits | quote }}\n"
       "m: {{ .Values.resources.requests.memory }}\nc: {{ .Values.resources.limits.cpu | quote }}\n"
       "{{ .Values.cpuText }}{{ .Values.cpuInteger }}{{ .Values.cpuFraction }}"}};
  for (const char* spec : {
           "resources: {limits: {cpu: 0.5}}",
           "resources: {limits: {cpu: 500m, memory: 1073741824}, requests: {cpu: 1, gpu: 2}}",
           "gateway: {limits: {enabled: true, rules: [a], perUser: {burst: 0.5}}}",
           "{cpuText: 1, cpuInteger: 0.5, cpuFraction: 1500m}",
           "{cpuText: 0.1, cpuInteger: 500m, cpuFraction: 2}",
       }) {
    INFO(spec);
    CHECK(accepts(files, spec));
  }
  CHECK_FALSE(accepts(files, "resource: {}"));
  CHECK_FALSE(accepts(files, "gateway: {limit: {}}"));
  CHECK_FALSE(accepts(files, "gateway: none"));
}

TEST_CASE("The members of a table keep their types where the table itself has none") {
  const Files files = {
      {"values.yaml", "probe: {path: /, scheme: HTTP, deep: {name: a}}\n"},
      {"templates/a.yaml",
       "{{ toYaml .Values.probe }}{{ with .Values.probe }}{{ upper .scheme }}{{ end }}"
       "{{ trim .Values.probe.deep.name }}"}};
  CHECK(accepts(files, "probe: {path: 1, more: 2, scheme: a}"));
  CHECK_FALSE(accepts(files, "probe: {scheme: 1}"));
  CHECK_FALSE(accepts(files, "probe: {deep: {name: 1}}"));
  const Files tested = {
      {"values.yaml", "x: {a: b}\n"},
      {"templates/a.yaml", "{{ if kindIs \"map\" .Values.x }}{{ trim .Values.x.a }}{{ end }}"}};
  CHECK(accepts(tested, "x: text"));
  CHECK_FALSE(accepts(tested, "x: {a: 1}"));
}

TEST_CASE("A use of every member of a table counts for each") {
  const Files files = {
      {"values.yaml", "env: {A: x}\nrules: {a: {port: 1, name: b}}\n"},
      {"templates/a.yaml",
       "{{ range $k, $v := .Values.env }}{{ if kindIs \"string\" $v }}{{ trim $v }}"
       "{{ end }}{{ end }}{{ .Values.env.A | trim }}"
       "{{ range .Values.rules }}{{ .name | trim }}{{ .port }}{{ end }}"}};
  CHECK(accepts(files, "env: {A: {valueFrom: {}}, B: 1}"));
  CHECK(accepts(files, "rules: {a: {port: http}, b: {port: 2, name: 1}}"));
  CHECK_FALSE(accepts(files, "rules: {a: {name: 1}}"));
  CHECK_FALSE(accepts(files, "rules: {a: text}"));
}

TEST_CASE("Values of dependencies and global values have types by all their uses") {
  const Files files = {
      {"Chart.yaml",
       "apiVersion: v2\nname: shop\nversion: 1.2.3\n"
       "dependencies: [{name: db, version: 1.0.0, alias: store}]\n"},
      {"values.yaml", "global: {tier: a, pull: []}\nstore: {name: a, tag: 1.2, on: true}\n"},
      {"templates/a.yaml", "{{ .Values.global.tier | upper }}{{ .Values.store.on }}"},
      {"charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"},
      {"charts/db/templates/a.yaml",
       "{{ .Values.name | trunc 5 }}{{ .Values.tag }}{{ .Values.global.pull | toYaml }}"
       "{{ .Values.on }}"}};
  CHECK(accepts(files, "{global: {pull: text}, store: {tag: 1.2-a, on: 'yes'}}"));
  CHECK_FALSE(accepts(files, "global: {tier: 1}"));
  CHECK_FALSE(accepts(files, "store: {name: 1}"));
  CHECK_FALSE(accepts(files, "store: {names: a}"));
  CHECK_FALSE(accepts(files, "store: text"));
}

TEST_CASE("A template that is perhaps never called proves nothing") {
  const std::string use =
      "{{ define \"a\" }}{{ trim .Values.x }}{{ end }}{{ include (printf \"%s\" .Values.name) . }}";
  CHECK(schema_for("a\nname: b", use) == kAnything);
}

TEST_CASE("Templates that do not parse prove nothing") {
  CHECK(schema_for("a", "{{ trim .Values.x }}{{ end }}") == kAnything);
}

TEST_CASE("A chart that copies all values has types where the use proves them") {
  CHECK(schema_for("a", "{{ toYaml .Values | sha256sum }}{{ trim .Values.x }}") == kText);
  CHECK(schema_for("a", "{{ toYaml .Values | sha256sum }}{{ .Values.x }}") == kAnything);
}

TEST_CASE("The schema inferred for a chart accepts the chart's own defaults") {
  size_t charts = 0;
  for (const char* folder : {"/charts", "/test/charts", "/test/e2e/charts"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() + folder)) {
      if (entry.path().filename() != "Chart.yaml") {
        continue;
      }
      const auto chart = helm::RenderableChart::load(entry.path().parent_path().string());
      if (!chart.ok() || !(*chart)->chart().values.is_dict()) {
        continue;
      }
      INFO(entry.path().string());
      CHECK(refusal(**chart, (*chart)->chart().values) == "");
      ++charts;
    }
  }
  CHECK(charts > 30);
}

}  // namespace chartwright::generate
