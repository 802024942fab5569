// SPDX-License-Identifier: Apache-2.0
#include "tmpl/template.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "go/type_name.h"
#include "test/tmpl/fixture.h"
#include "test/value/named_types.h"
#include "tmpl/execution.h"

namespace chartwright::tmpl {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using value::DictType;
using value::IntType;
using value::kStringDict;
using value::kStringList;
using value::Value;
using Arguments = std::span<const Value>;

// A function that prints the Go types of its arguments.
Function types_of(std::string name, std::vector<Param> params, bool variadic = false) {
  return {std::move(name), std::move(params), variadic,
          [](CallContext&, Arguments arguments) -> Result<Value> {
            std::string out;
            for (const Value& argument : arguments) {
              out += (out.empty() ? "" : " ") + go::type_name(argument);
            }
            return Value::string(out);
          }};
}

Function failing(std::string name, ErrorCode code) {
  return {std::move(name), {}, false, [code](CallContext&, Arguments) -> Result<Value> {
            return Error(code, "it broke");
          }};
}

Function include() {
  return {"include",
          {Param::kString, Param::kAny},
          false,
          [](CallContext& context, Arguments arguments) -> Result<Value> {
            CW_TRY(std::string text, context.execution.run(arguments[0].as_string(), arguments[1]));
            return Value::string(std::move(text));
          }};
}

Function tpl() {
  return {"tpl",
          {Param::kString, Param::kAny},
          false,
          [](CallContext& context, Arguments arguments) -> Result<Value> {
            Template scope = context.execution.templates();
            CW_TRY_VOID(scope.parse("inner", arguments[0].as_string()));
            std::string out;
            CW_TRY_VOID(scope.execute("inner", arguments[1], context.execution.options(), out));
            return Value::string(std::move(out));
          }};
}

// A struct with a field, a method, and a String method with a pointer receiver.
class Version final : public value::Native {
 public:
  std::string_view go_type() const override { return "chartutil.KubeVersion"; }
  std::string_view go_kind() const override { return "struct"; }
  std::optional<Value> field(std::string_view name) const override {
    return name == "Major" ? std::optional(Value::string("1")) : std::nullopt;
  }
  int method_arity(std::string_view name) const override { return name == "Twice" ? 1 : -1; }
  Result<Value> call(std::string_view, std::span<const Value> arguments) const override {
    if (!arguments[0].is_string()) {
      return Error(ErrorCode::kInvalidArgument, "no string");
    }
    return Value::string(arguments[0].as_string() + arguments[0].as_string());
  }
  std::string to_string() const override { return "v1.20.0"; }
  std::string to_plain_string() const override { return "{v1.20.0 1 20}"; }
  base::Result<Value> to_json_value() const override { return Value::dict(); }
};

// A named slice type.
class Words final : public value::Native {
 public:
  std::string_view go_type() const override { return "chartutil.VersionSet"; }
  std::string_view go_kind() const override { return "slice"; }
  std::optional<Value> field(std::string_view) const override { return std::nullopt; }
  const Value* underlying() const override { return &words_; }
  std::string to_string() const override { return "[v1 v2]"; }
  base::Result<Value> to_json_value() const override { return words_; }

 private:
  Value words_ = Value::list({Value::string("v1"), Value::string("v2")}, kStringList);
};

// A named integer type with a String method.
class Span final : public value::Native {
 public:
  explicit Span(int64_t number) : number_(number) {}
  std::string_view go_type() const override { return "time.Duration"; }
  std::string_view go_kind() const override { return "int64"; }
  std::optional<Value> field(std::string_view) const override { return std::nullopt; }
  std::string to_string() const override { return std::to_string(number_) + "ns"; }
  base::Result<Value> to_json_value() const override { return Value::integer(number_); }
  std::shared_ptr<const Native> with_number(int64_t number) const override {
    return std::make_shared<Span>(number);
  }

 private:
  int64_t number_;
};

Value with_natives() {
  return Value::dict({{"span", Value::native(std::make_shared<Span>(2))},
                      {"version", Value::native(std::make_shared<Version>())},
                      {"words", Value::native(std::make_shared<Words>())}});
}

}  // namespace

TEST_CASE("An unknown template is an error that names the namespace") {
  Fixture fixture;
  const Template templates(fixture.functions, "gotpl");
  const Outcome outcome = fixture.execute(templates, "nope", {});
  CHECK(outcome.text() ==
        "error: template: no template \"nope\" associated with template \"gotpl\"");
  CHECK(outcome.status.error().code() == ErrorCode::kNotFound);
}

TEST_CASE("A failed parse adds nothing") {
  Fixture fixture;
  Template templates(fixture.functions);
  CHECK(!templates.parse("a", "{{define \"b\"}}{{end}}{{end}}").ok());
  CHECK(templates.names().empty());
  CHECK(!templates.has("b"));
}

TEST_CASE("A copy sees what it was copied from, and nothing is seen the other way") {
  Fixture fixture;
  Template original(fixture.functions);
  REQUIRE(original.parse("a", "1{{template \"b\"}}{{define \"b\"}}2{{end}}").ok());
  Template copy = original;
  REQUIRE(copy.parse("c", "{{template \"a\"}}{{define \"b\"}}3{{end}}").ok());
  REQUIRE(original.parse("d", "4").ok());
  CHECK(fixture.execute(copy, "c", {}).text() == "13");
  CHECK(fixture.execute(original, "a", {}).text() == "12");
  CHECK(copy.names() == std::vector<std::string>{"a", "b", "c"});
  CHECK(original.names() == std::vector<std::string>{"a", "b", "d"});
}

TEST_CASE("Space does not replace a definition of the namespace that was copied") {
  Fixture fixture;
  Template original(fixture.functions);
  REQUIRE(original.parse("a", "1").ok());
  Template copy = original;
  REQUIRE(copy.parse("a", " ").ok());
  CHECK(fixture.execute(copy, "a", {}).text() == "1");
}

TEST_CASE("Output before an error is kept, and the error has a place") {
  Fixture fixture;
  const Outcome outcome = fixture.run("ab\n{{ .a.b.c }}", Value::dict({{"a", Value::number(1)}}));
  CHECK(outcome.out == "ab\n");
  const Error& error = outcome.status.error();
  CHECK(error.code() == ErrorCode::kTemplate);
  CHECK(error.message() ==
        "template: case:2:5: executing \"case\" at <.a.b.c>: can't evaluate field b in type "
        "interface {}");
  REQUIRE(error.pos().has_value());
  CHECK(error.pos()->to_string() == "case:2:6");
}

TEST_CASE("Arguments are converted to the types of the parameters") {
  Fixture fixture;
  fixture.functions->add(types_of("typed", {Param::kString, Param::kInt, Param::kInt64,
                                            Param::kFloat64, Param::kBool, Param::kAny}));
  fixture.functions->add(types_of("lists", {Param::kAnyList, Param::kStringList, Param::kDict}));
  fixture.functions->add(types_of("rest", {Param::kString, Param::kInt}, true));
  CHECK(fixture.run("{{typed \"a\" 1 2.0 3 true 'c'}}").text() ==
        "string int int64 float64 bool int");
  CHECK(fixture.run("{{lists nil nil nil}}").text() ==
        "[]interface {} []string map[string]interface {}");
  CHECK(fixture.run("{{rest \"a\"}} {{rest \"a\" 1 2}}").text() == "string string int int");
  CHECK(fixture.run("{{rest \"a\" 1 \"b\"}}").text() ==
        "error: template: case:1:13: executing \"case\" at <\"b\">: expected integer; found \"b\"");
  CHECK(fixture.run("{{rest}}").text() ==
        "error: template: case:1:2: executing \"case\" at <rest>: wrong number of args for rest: "
        "want at least 1 got 0");
  CHECK(fixture.run("{{typed \"a\" 1 2.0 3 true}}").text() ==
        "error: template: case:1:2: executing \"case\" at <typed>: wrong number of args for typed: "
        "want 6 got 5");
}

TEST_CASE("An argument of another type is refused in Go's words") {
  Fixture fixture;
  fixture.functions->add(types_of("number", {Param::kInt}));
  fixture.functions->add(types_of("real", {Param::kFloat64}));
  fixture.functions->add(types_of("truth", {Param::kBool}));
  fixture.functions->add(types_of("map", {Param::kDict}));
  fixture.functions->add(types_of("list", {Param::kAnyList}));
  const Value data = Value::dict({{"i", Value::integer(1, IntType::kInt64)},
                                  {"files", Value::dict(value::kFilesDict)},
                                  {"values", Value::dict(value::kValuesDict)},
                                  {"words", Value::list({}, kStringList)}});
  const auto error = [&](std::string text) { return fixture.run(std::move(text), data).text(); };
  const std::string at = "error: template: case:1:";
  CHECK(error("{{number .i}}") == at + "9: executing \"case\" at <.i>: wrong type for value; "
                                       "expected int; got int64");
  CHECK(error("{{real 1i}}") == at + "7: executing \"case\" at <1i>: expected float; found 1i");
  CHECK(error("{{truth \"a\"}}") ==
        at + "8: executing \"case\" at <\"a\">: expected bool; found \"a\"");
  CHECK(error("{{number nil}}") == at + "9: executing \"case\" at <nil>: cannot assign nil to int");
  CHECK(error("{{map 1}}") == at + "6: executing \"case\" at <1>: can't handle 1 for arg of type "
                                   "map[string]interface {}");
  CHECK(error("{{map .values}}") == "map[string]interface {}");
  CHECK(error("{{map .files}}") == at + "6: executing \"case\" at <.files>: wrong type for value; "
                                        "expected map[string]interface {}; got engine.files");
  CHECK(error("{{list .words}}") == at + "7: executing \"case\" at <.words>: wrong type for "
                                         "value; expected []interface {}; got []string");
}

TEST_CASE("A function's error is reported at its call") {
  Fixture fixture;
  fixture.functions->add(failing("broken", ErrorCode::kParse));
  const Outcome outcome = fixture.run("{{ print 1 (broken) }}");
  CHECK(
      outcome.text() ==
      "error: template: case:1:12: executing \"case\" at <broken>: error calling broken: it broke");
  CHECK(outcome.status.error().code() == ErrorCode::kTemplate);
}

TEST_CASE("A failure that is not the template's keeps its class") {
  for (const ErrorCode code : {ErrorCode::kForbidden, ErrorCode::kUnavailable, ErrorCode::kTimeout,
                               ErrorCode::kBudget, ErrorCode::kCancelled}) {
    Fixture fixture;
    fixture.functions->add(failing("lookup", code));
    fixture.functions->add(include());
    const Outcome outcome = fixture.run("{{define \"a\"}}{{lookup}}{{end}}{{include \"a\" .}}");
    CHECK(outcome.status.error().code() == code);
  }
}

TEST_CASE("A function with a builtin's name replaces it") {
  Fixture fixture;
  fixture.functions->add(types_of("and", {Param::kAny}, true));
  CHECK(fixture.run("{{and 0 (print 1)}}").text() == "int string");
}

TEST_CASE("Functions run other templates of the namespace") {
  Fixture fixture;
  fixture.functions->add(include());
  CHECK(fixture.run("{{define \"a\"}}<{{.}}{{$}}>{{end}}{{$x := 1}}{{include \"a\" 2 | len}}{{$x}}")
            .text() == "41");
  CHECK(fixture.run("{{define \"a\"}}{{.x.y}}{{end}}\n {{ include \"a\" \"s\" }}").text() ==
        "error: template: case:2:4: executing \"case\" at <include \"a\" \"s\">: error calling "
        "include: template: case:1:18: executing \"a\" at <.x.y>: can't evaluate field x in type "
        "string");
  CHECK(fixture.run("{{include \"nope\" .}}").text() ==
        "error: template: case:1:2: executing \"case\" at <include \"nope\" .>: error calling "
        "include: template: no template \"nope\" associated with template \"case\"");
}

TEST_CASE("Functions evaluate text in a copy of the namespace") {
  Fixture fixture;
  fixture.functions->add(tpl());
  fixture.functions->add(include());
  const std::string helper = "{{define \"h\"}}[{{.}}]{{end}}";
  CHECK(fixture.run(helper + "{{tpl \"{{template `h` .}}{{include `h` 2}}\" 1}}").text() ==
        "[1][2]");
  CHECK(
      fixture.run("{{tpl \"{{define `n`}}{{end}}\" .}}{{template \"n\"}}").text() ==
      "error: template: case:1:44: executing \"case\" at <{{template \"n\"}}>: template \"n\" not "
      "defined");
  CHECK(fixture.run("{{tpl \"a\\n{{.x.y}}\" 1}}").text() ==
        "error: template: case:1:2: executing \"case\" at <tpl \"a\\n{{.x.y}}\" 1>: error calling "
        "tpl: template: inner:2:4: executing \"inner\" at <.x.y>: can't evaluate field x in type "
        "int");
}

TEST_CASE("Natives print with their String method, but not through fmt") {
  Fixture fixture;
  CHECK(fixture
            .run("{{.version}} {{print .version}} {{printf \"%s|%q\" .version .version}}",
                 with_natives())
            .text() == "v1.20.0 {v1.20.0 1 20} {v1.20.0 1 20}|\"{v1.20.0 1 20}\"");
  CHECK(fixture.run("{{$v := .version}}{{$v}}{{if .version}}!{{end}}", with_natives()).text() ==
        "v1.20.0!");
}

TEST_CASE("Natives have fields and methods") {
  Fixture fixture;
  CHECK(fixture
            .run("{{.version.Major}} {{.version.Twice \"a\"}} {{\"b\" | .version.Twice}}",
                 with_natives())
            .text() == "1 aa bb");
  const auto error = [&](std::string text) {
    return fixture.run(std::move(text), with_natives()).text();
  };
  CHECK(error("{{.version.Nope}}") ==
        "error: template: case:1:10: executing \"case\" at "
        "<.version.Nope>: can't evaluate field Nope in type "
        "interface {}");
  CHECK(error("{{$v := .version}}{{$v.Nope}}") ==
        "error: template: case:1:22: executing \"case\" at <$v.Nope>: can't evaluate field Nope in "
        "type chartutil.KubeVersion");
  CHECK(error("{{.version.Major 1}}") ==
        "error: template: case:1:10: executing \"case\" at <.version.Major>: Major has arguments "
        "but cannot be invoked as function");
  CHECK(error("{{.version.Twice}}") ==
        "error: template: case:1:10: executing \"case\" at <.version.Twice>: wrong number of args "
        "for Twice: want 1 got 0");
  CHECK(error("{{.version.Twice 1}}") ==
        "error: template: case:1:10: executing \"case\" at <.version.Twice>: error calling Twice: "
        "no string");
}

TEST_CASE("A named integer is a number that prints as text") {
  Fixture fixture;
  CHECK(fixture
            .run("{{.span}} {{print .span}} {{printf \"%d %v %05d %#v %t\" .span .span .span .span "
                 ".span}}",
                 with_natives())
            .text() == "2ns 2ns 2 2ns 00002 2 %!t(time.Duration=2)");
  CHECK(
      fixture
          .run("{{eq .span 2}} {{lt .span 3}} {{index \"abc\" .span}} {{range .span}}x{{.}}{{end}}",
               with_natives())
          .text() == "true true 99 x0nsx1ns");
  CHECK(fixture.run("{{eq .span \"2ns\"}}", with_natives()).text() ==
        "error: template: case:1:2: executing \"case\" at <eq .span \"2ns\">: error calling eq: "
        "incompatible types for comparison: time.Duration and string");
}

TEST_CASE("A named slice behaves as its list") {
  Fixture fixture;
  CHECK(fixture
            .run("{{range $i, $w := .words}}{{$i}}{{$w}};{{end}}{{len .words}} {{index .words 1}} "
                 "{{slice .words 1}} {{.words}}",
                 with_natives())
            .text() == "0v1;1v2;2 v2 [v2] [v1 v2]");
}

TEST_CASE("Methods of named map types come before their keys") {
  Fixture fixture;
  fixture.functions->add_method(
      "chartutil.Values",
      {"AsMap", {}, false, [](CallContext&, Arguments arguments) -> Result<Value> {
         return Value::string("map of " + std::to_string(arguments[0].as_dict().size()));
       }});
  fixture.functions->add_method("engine.files", types_of("Get", {Param::kString}));
  Value values = Value::dict(value::kValuesDict);
  values.mutable_dict().set("AsMap", Value::string("key"));
  values.mutable_dict().set("x", Value::string("y"));
  const Value data = Value::dict({{"Values", values},
                                  {"Files", Value::dict(value::kFilesDict)},
                                  {"plain", Value::dict({{"AsMap", Value::string("key")}})}});
  CHECK(fixture.run("{{.Values.AsMap}} {{.Values.x}} {{.plain.AsMap}} {{.Files.Get \"a\"}}", data)
            .text() == "map of 2 y key engine.files string");
  CHECK(fixture.run("{{.Files.Get 1}}", data).text() ==
        "error: template: case:1:13: executing \"case\" at <1>: expected string; found 1");
}

TEST_CASE("Typed maps have typed zeros") {
  Fixture fixture;
  fixture.missing_key = MissingKey::kZero;
  const Value data = Value::dict({{"strings", Value::dict(kStringDict)},
                                  {"files", Value::dict(value::kFilesDict)},
                                  {"any", Value::dict()}});
  CHECK(fixture.run("<{{.strings.x}}> {{.files.x}} {{.any.x}}", data).text() == "<> [] <no value>");
  CHECK(
      fixture.run("{{index .strings \"x\" | printf \"%q\"}} {{index .files \"x\"}}", data).text() ==
      "\"\" []");
  CHECK(fixture.run("{{.strings.x.y}}", data).text() ==
        "error: template: case:1:10: executing \"case\" at <.strings.x.y>: can't evaluate field y "
        "in type string");
}

TEST_CASE("A loop goes over what a map held when it began") {
  Fixture fixture;
  fixture.functions->add({"set",
                          {Param::kDict, Param::kString, Param::kAny},
                          false,
                          [](CallContext&, Arguments arguments) -> Result<Value> {
                            arguments[0].mutable_dict().set(arguments[1].as_string(), arguments[2]);
                            return Value::string("");
                          }});
  const Value data = Value::dict({{"a", Value::integer(1)}, {"b", Value::integer(2)}});
  CHECK(fixture
            .run("{{range $k, $v := .}}{{$k}}{{$v}}{{set $ (print $k $k) 3}}{{set $ \"b\" 4}}"
                 "{{end}} {{.}}",
                 data)
            .text() == "a1b2 map[a:1 aa:3 b:4 bb:3]");
}

}  // namespace chartwright::tmpl
