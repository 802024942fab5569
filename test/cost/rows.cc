// SPDX-License-Identifier: Apache-2.0
#include "test/cost/rows.h"

#include <algorithm>
#include <map>
#include <set>

#include "helm/chart/files.h"
#include "helm/render/capabilities.h"
#include "helm/render/functions.h"
#include "tmpl/builtins.h"

namespace chartwright::cost {
namespace {

using tmpl::Function;
using tmpl::Param;
using value::Value;

// Sizes count the Value itself and the string that it refers to.
Value numbers(size_t bytes) {
  std::vector<Value> items;
  for (size_t i = 0; i < bytes / sizeof(Value); ++i) {
    items.push_back(Value::integer(static_cast<int64_t>(i * 7919 % 100'003)));
  }
  return Value::list(std::move(items));
}

Value texts(size_t bytes) {
  std::vector<Value> items;
  for (size_t i = 0; i < bytes / 96; ++i) {
    items.push_back(Value::string("text " + std::to_string(i * 7919 % 1'000'003)));
  }
  return Value::list(std::move(items));
}

Value entries(size_t bytes) {
  std::vector<value::Dict::Entry> members;
  for (size_t i = 0; i < bytes / 128; ++i) {
    members.emplace_back("key" + std::to_string(i), Value::string("v"));
  }
  return Value::dict(std::make_shared<value::Dict>(std::move(members)));
}

Value dicts(size_t bytes) {
  std::vector<Value> items;
  for (size_t i = 0; i < bytes / 256; ++i) {
    items.push_back(Value::dict({{"a", Value::string(std::to_string(i))}}));
  }
  return Value::list(std::move(items));
}

template <const char* kPart>
Value text_of(size_t bytes) {
  return Value::string(repeated(kPart, bytes));
}
template <const char* kOpen, const char* kPart, const char* kClose>
Value text_within(size_t bytes) {
  return Value::string(kOpen + repeated(kPart, bytes) + kClose);
}
// The largest number of values that go-yaml lets aliases expand to.
Value aliases(size_t bytes) {
  return Value::string("own: [" + repeated("1,", 8400) + "]\nlist: &a [" + repeated("1,", 2000) +
                       "]\nmore: [" + repeated("*a,", std::min<size_t>(bytes, 1160)) + "]\n");
}
Value number(size_t bytes) {
  return Value::integer(static_cast<int64_t>(bytes), value::IntType::kInt);
}
Value quotient(size_t bytes) { return Value::number(static_cast<double>(bytes) + 0.5); }

constexpr char kLetter[] = "a";
constexpr char kWords[] = "word, key: 1\n";
constexpr char kDots[] = "1.";
constexpr char kSpaces[] = " \n";
constexpr char kWide[] = "\xc3\xa9\xf0\x9f\x98\x80";
constexpr char kOpen[] = "[";
constexpr char kClose[] = "0]";
constexpr char kDict[] = "{},";
constexpr char kItem[] = "- a\n";
constexpr char kEntry[] = "{a: [b]},";
constexpr char kTable[] = "[[a]]\n";
constexpr char kAction[] = "{{1}}";
constexpr char kCalls[] = "{{1|int}}";
constexpr char kArguments[] = "{{list";
constexpr char kArgument[] = " 1";
constexpr char kEnd[] = "}}";

const std::vector<Shape> kTexts = {
    {"letters", text_of<kLetter>}, {"words", text_of<kWords>}, {"numbers", text_of<kDots>},
    {"spaces", text_of<kSpaces>},  {"wide", text_of<kWide>},
};
const std::vector<Shape> kContainers = {{"list of numbers", numbers},
                                        {"list of texts", texts},
                                        {"list of dicts", dicts},
                                        {"dict", entries}};

// Input in the language that a function parses.
const std::map<std::string, std::vector<Shape>> kOwnShapes = {
    {"fromJson", {{"JSON", text_within<kOpen, kDict, kClose>}}},
    {"fromJsonArray", {{"JSON", text_within<kOpen, kDict, kClose>}}},
    {"mustFromJson", {{"JSON", text_within<kOpen, kDict, kClose>}}},
    {"fromYaml", {{"YAML", text_within<kOpen, kEntry, kClose>}, {"aliases", aliases}}},
    {"fromYamlArray", {{"items", text_of<kItem>}, {"flow", text_within<kOpen, kEntry, kClose>}}},
    {"fromToml", {{"tables", text_of<kTable>}}},
    {"tpl",
     {{"actions", text_of<kAction>},
      {"calls", text_of<kCalls>},
      {"arguments", text_within<kArguments, kArgument, kEnd>}}},
};

void append(std::vector<Shape>& shapes, const std::vector<Shape>& more) {
  shapes.insert(shapes.end(), more.begin(), more.end());
}

std::vector<Shape> shapes_of(Param param) {
  std::vector<Shape> shapes;
  switch (param) {
    case Param::kString:
      return kTexts;
    case Param::kAny:
    case Param::kReflect:
      append(shapes, kTexts);
      append(shapes, kContainers);
      shapes.push_back({"number", number});
      return shapes;
    case Param::kAnyList:
      return {kContainers[0], kContainers[1], kContainers[2]};
    case Param::kDict:
      return {kContainers[3]};
    case Param::kInt:
    case Param::kUnopened:
    case Param::kInt64:
      return {{"number", number}};
    case Param::kFloat64:
      return {{"number", quotient}};
    case Param::kStringList:
      return {kContainers[1]};
    case Param::kBool:
    case Param::kUint32:
    case Param::kTime:
    case Param::kCertificate:
      return {};  // Fixed size.
  }
  return {};
}

// Small arguments that most functions accept.
Value small_argument(Param param) {
  switch (param) {
    case Param::kInt:
    case Param::kUnopened:
      return Value::integer(1, value::IntType::kInt);
    case Param::kInt64:
      return Value::integer(1);
    case Param::kFloat64:
      return Value::number(1);
    case Param::kBool:
      return Value::boolean(true);
    case Param::kAnyList:
      return Value::list({Value::string("a")});
    case Param::kDict:
      return Value::dict({{"a", Value::string("b")}});
    default:
      return Value::string("a");
  }
}

// Arguments for functions that reject "a" or do little with it.
const std::map<std::string, std::vector<Value>> kSmall = {
    {"semverCompare", {Value::string(">1"), Value::string("1.2.3")}},
    {"has", {Value::string("a"), Value::list({Value::string("a")})}},
    {"include", {Value::string("one"), Value::dict()}},
    {"tpl", {Value::string("a"), Value::dict()}},
    {"index", {Value::list({Value::string("a")}), Value::integer(0)}},
    {"first", {Value::list({Value::string("a")})}},
    {"chunk", {Value::integer(1), Value::list({Value::string("a")})}},
    {"slice", {Value::list({Value::string("a")}), Value::integer(0)}},
    {"decryptAES", {Value::string("key"), Value::string("aaaa")}},
};

std::string template_of(const std::string& function, size_t arguments) {
  std::string text = "{{$x := " + function;
  for (size_t i = 0; i < arguments; ++i) {
    text += " .a" + std::to_string(i);
  }
  return text + "}}{{define \"one\"}}x{{end}}";
}

std::vector<Value> small_arguments(const Function& function) {
  std::vector<Value> small;
  for (const Param param : function.params) {
    small.push_back(small_argument(param));
  }
  if (const auto own = kSmall.find(function.name);
      own != kSmall.end() && own->second.size() == small.size()) {
    small = own->second;
  }
  return small;
}

void add_rows(const Function& function, std::vector<Row>& rows) {
  const std::vector<Value> small = small_arguments(function);
  for (size_t i = 0; i < function.params.size(); ++i) {
    std::vector<Shape> shapes = shapes_of(function.params[i]);
    if (const auto own = kOwnShapes.find(function.name); own != kOwnShapes.end() && i == 0) {
      append(shapes, own->second);
    }
    for (Shape& shape : shapes) {
      rows.push_back(
          {function.name, i, std::move(shape), template_of(function.name, small.size()), small});
    }
  }
}

// Functions without an argument that can grow, or whose cost is that of another function.
const std::set<std::string> kWithoutGrowth = {"and", "or", "call"};

// Receivers of methods.
Value one_file(size_t bytes) {
  return helm::make_files_value({{"f", repeated("a line, of a file\n", bytes)}});
}
Value many_files(size_t bytes) {
  std::vector<helm::File> files;
  for (size_t i = 0; i < bytes / 128; ++i) {
    files.push_back({"folder/file" + std::to_string(i * 7919 % 1'000'003), "a: 1"});
  }
  return helm::make_files_value(files);
}
Value api_versions(size_t bytes) {
  std::vector<std::string> versions;
  for (size_t i = 0; i < bytes / 64; ++i) {
    versions.push_back("group" + std::to_string(i) + ".example.com/v1");
  }
  const helm::Profile& profile = *helm::find_profile("4.3");
  helm::Capabilities capabilities = helm::Capabilities::offline(profile);
  capabilities.api_versions = helm::Capabilities::api_version_list(versions);
  return helm::make_capabilities_value(capabilities, profile);
}
Value values_of(size_t bytes) {
  return entries(bytes).with_type(helm::find_profile("4.3")->values_type);
}
Value deep_values(size_t bytes) {
  Value at = Value::dict();
  for (size_t i = 0; i < std::min<size_t>(bytes / 128, 5000); ++i) {
    at = Value::dict({{"a", at}});
  }
  return at.with_type(helm::find_profile("4.3")->values_type);
}

// A method, its growing receivers and its argument.
struct Method {
  std::string name;
  std::vector<Shape> receivers;
  std::string receiver = ".a0";  // Its path in the first argument.
  std::vector<Value> argument = {};
};

std::vector<Method> methods() {
  const std::vector<Shape> files = {{"a file", one_file}, {"files", many_files}};
  const std::vector<Shape> values = {{"values", values_of}, {"deep values", deep_values}};
  const std::vector<Value> name = {Value::string("f")};
  return {{"Get", files, ".a0", name},
          {"GetBytes", files, ".a0", name},
          {"Lines", files, ".a0", name},
          {"Glob", files, ".a0", {Value::string("**/{a,f*}[0-9]?")}},
          {"AsConfig", files},
          {"AsSecrets", files},
          {"Has", {{"API versions", api_versions}}, ".a0.APIVersions", name},
          {"YAML", values},
          {"AsMap", values},
          {"Table", values, ".a0", {Value::string(repeated("a.", 2000) + "a")}},
          {"PathValue", values, ".a0", {Value::string(repeated("a.", 2000) + "a")}}};
}

void add_method_rows(std::vector<Row>& rows) {
  for (const Method& method : methods()) {
    std::string text = "{{$x := " + method.receiver + "." + method.name;
    std::vector<Value> small = {Value()};
    if (!method.argument.empty()) {
      text += " .a1";
      small.push_back(method.argument[0]);
    }
    text += "}}";
    for (const Shape& shape : method.receivers) {
      rows.push_back({"." + method.name, 0, shape, text, small});
    }
    if (small.size() > 1) {
      small[0] = method.receivers[0].make(1 << 10);
      for (const Shape& shape : kTexts) {
        rows.push_back({"." + method.name, 1, shape, text, small});
      }
    }
  }
}

// Methods whose receiver has a fixed size.
const std::set<std::string_view> kMethodsWithoutGrowth = {"String", "GitVersion"};

}  // namespace

std::string repeated(std::string_view part, size_t bytes) {
  std::string text;
  text.reserve(bytes + part.size());
  while (text.size() < bytes) {
    text += part;
  }
  return text;
}

std::shared_ptr<const tmpl::FunctionMap> all_functions() {
  static const auto functions = [] {
    auto all =
        std::make_shared<tmpl::FunctionMap>(*helm::helm_functions(*helm::find_profile("4.3")));
    for (const std::string_view name : tmpl::builtins().names()) {
      all->add(*tmpl::builtins().find(name));
    }
    return all;
  }();
  return functions;
}

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  for (const std::string_view name : all_functions()->names()) {
    if (!kWithoutGrowth.contains(std::string(name))) {
      Function named = *all_functions()->find(name);
      named.name = name;  // An alias is stored under the name of its target.
      add_rows(named, rows);
    }
  }
  add_method_rows(rows);
  return rows;
}

std::vector<std::string> without_rows(const std::vector<Row>& rows) {
  std::set<std::string> named(kWithoutGrowth.begin(), kWithoutGrowth.end());
  for (const Row& row : rows) {
    named.insert(row.function);
  }
  std::vector<std::string> missing;
  for (const std::string_view name : all_functions()->names()) {
    const std::vector<Param>& params = all_functions()->find(name)->params;
    const bool may_grow = std::any_of(params.begin(), params.end(),
                                      [](Param param) { return !shapes_of(param).empty(); });
    if (may_grow && !named.contains(std::string(name))) {
      missing.emplace_back(name);
    }
  }
  for (const auto& [type, name] : all_functions()->methods()) {
    if (!named.contains("." + std::string(name)) && !kMethodsWithoutGrowth.contains(name)) {
      missing.push_back(std::string(type) + "." + std::string(name));
    }
  }
  return missing;
}

}  // namespace chartwright::cost
