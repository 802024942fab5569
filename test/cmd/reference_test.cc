// SPDX-License-Identifier: Apache-2.0
// reference.md has what the code declares, and the other documents name nothing else.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

#include "base/file.h"
#include "base/strings.h"
#include "cmd/commands.h"
#include "diagnosis/cause.h"
#include "health/condition_types.h"
#include "health/holds.h"
#include "resource/annotations.h"
#include "test/document_table.h"
#include "test/source_dir.h"

namespace chartwright::cmd {
namespace {

using Names = std::set<std::string, std::less<>>;

constexpr size_t kDocumentBytesMax = size_t{1} << 20;
constexpr std::string_view kConfiguration = "docs/reference/configuration.md";
constexpr std::string_view kTroubleshooting = "docs/operate/troubleshooting.md";

/// Returns `text` as Markdown that shows it as it is, also in a table.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\|*<`").find(c) != std::string_view::npos) {
      out += '\\';
    }
    out += c;
  }
  return out;
}

std::string code(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string codes(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  std::transform(texts.begin(), texts.end(), std::back_inserter(parts), code);
  return base::join(parts, ", ");
}

std::string row(const std::vector<std::string>& cells) {
  return "| " + base::join(cells, " | ") + " |\n";
}

std::string head(const std::vector<std::string>& titles) {
  std::string line = "|";
  for (size_t i = 0; i < titles.size(); ++i) {
    line += "---|";
  }
  return row(titles) + line + "\n";
}

/// Returns what a flag takes: fixed words, else the type, with "file" or "folder" for a path.
std::string value_of(const DeclaredFlag& flag) {
  if (!flag.takes.words.empty()) {
    const bool optional = flag.value == DeclaredFlag::Value::kOptional;
    return (optional ? "optional: " : "") + codes(flag.takes.words);
  }
  const std::string type = base::to_lower_ascii(flag.type);
  switch (flag.takes.paths) {
    case Takes::Paths::kNone:
      return plain(type);
    case Takes::Paths::kFiles:
      return base::replace_all(type, "text", "file");
    case Takes::Paths::kFolders:
      return base::replace_all(type, "text", "folder");
  }
  return "";
}

std::string default_of(const DeclaredFlag& flag) {
  return flag.default_value.empty() ? plain(flag.default_text) : code(flag.default_value);
}

std::string flag_tables() {
  std::string text;
  for (const auto& command : all_commands()) {
    text += "\n### chartwright " + std::string(command->name()) + "\n\n";
    text += head({"flag", "value", "default", "help"});
    for (const DeclaredFlag& flag : declarations(*command).flags) {
      text += row({codes(flag.names), value_of(flag), default_of(flag), plain(flag.help)});
    }
  }
  return text + "\n";
}

std::string annotation_table() {
  std::string text = "\n" + head({"annotation", "value", "effect"});
  for (const op::AnnotationHelp& annotation : op::annotations()) {
    text += row({code(annotation.key), plain(annotation.value), plain(annotation.effect)});
  }
  return text + "\n";
}

std::string condition_table() {
  std::string text = "\n" + head({"condition", "normally", "reasons", "meaning"});
  for (const health::ConditionType* type : health::condition_types()) {
    std::vector<std::string> reasons;
    for (std::string_view reason : type->reasons()) {
      reasons.push_back(code(reason));
    }
    const bool is_true = type->polarity == health::Polarity::kNormalTrue;
    text += row({code(type->name), is_true ? code("True") : "absent", base::join(reasons, ", "),
                 plain(type->meaning)});
  }
  return text + "\n";
}

void check_reference(const std::string& section, std::string_view content) {
  INFO("docs/reference/reference.md does not match the code: run `make reference`");
  check_document_table("docs/reference/reference.md", "<!-- " + section + " -->\n", "<!-- end -->",
                       content);
}

std::string source_text(std::string_view path) {
  auto text = base::read_file(source_dir() + "/" + std::string(path), kDocumentBytesMax);
  REQUIRE(text.ok());
  return *std::move(text);
}

/// Returns a document without its kubectl commands, whose flags are not ours.
std::string without_kubectl(std::string text) {
  size_t at = 0;
  while ((at = text.find("kubectl ", at)) != std::string::npos) {
    text.erase(at, text.find_first_of("`\n", at) - at);
  }
  return text;
}

/// Returns the words of letters, digits and dashes that follow `prefix`.
Names names_after(std::string_view prefix, std::string_view text) {
  constexpr std::string_view kOfWords =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-";
  Names names;
  for (size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at)) {
    at += prefix.size();
    const size_t end = text.find_first_not_of(kOfWords, at);
    const std::string_view name = text.substr(at, end - at);
    if (!name.empty() && name.front() != '-') {
      names.emplace(name);
    }
  }
  return names;
}

/// Returns the types in "Type=True", "Type=False" and "Type=Unknown".
Names conditions_with_status(std::string_view text) {
  Names types;
  for (std::string_view line : base::split(text, '\n')) {
    for (const std::string& span : code_spans(line)) {
      for (std::string_view status : {"=True", "=False", "=Unknown"}) {
        if (span.ends_with(status)) {
          types.insert(span.substr(0, span.find('=')));
        }
      }
    }
  }
  return types;
}

/// A row of the table of conditions in troubleshooting.md.
struct ConditionRow {
  Names types;
  Names reasons;
};

std::vector<ConditionRow> condition_rows() {
  const std::string text = source_text(kTroubleshooting);
  const size_t begin = text.find("\n| condition | reason |");
  REQUIRE(begin != std::string::npos);
  std::vector<ConditionRow> rows;
  for (std::string_view line :
       base::split(std::string_view(text).substr(begin, text.find("\n\n", begin) - begin), '\n')) {
    const size_t end = line.find(" | ");
    ConditionRow row;
    for (const std::string& span : code_spans(line.substr(0, end))) {
      row.types.insert(span.substr(0, span.find('=')));
    }
    if (!row.types.empty()) {
      const std::string_view rest = line.substr(end + 3);
      for (const std::string& span : code_spans(rest.substr(0, rest.find(" | ")))) {
        row.reasons.insert(span);
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

Names conditions_of_rows() {
  Names types;
  for (ConditionRow& row : condition_rows()) {
    types.merge(row.types);
  }
  return types;
}

/// Returns the names of the causes for which a child may not be ready.
Names causes() {
  const auto codes = diagnosis::code_names();
  return {codes.begin(), codes.end()};
}

/// Returns the reasons that conditions of these types may have.
Names reasons_of(const Names& types) {
  Names reasons;
  for (const health::ConditionType* type : health::condition_types()) {
    if (types.contains(std::string(type->name))) {
      reasons.insert(type->reasons().begin(), type->reasons().end());
    }
  }
  return reasons;
}

/// Returns the same, with the causes and the other conditions that Ready has as reasons.
Names told_reasons_of(const Names& types) {
  Names reasons = reasons_of(types);
  if (types.contains("Ready")) {
    reasons.merge(causes());
    reasons.insert(health::hold_reasons().begin(), health::hold_reasons().end());
  }
  return reasons;
}

Names flags_of(std::string_view command_name) {
  Names names;
  for (const auto& command : all_commands()) {
    if (command_name.empty() || command->name() == command_name) {
      for (const DeclaredFlag& flag : declarations(*command).flags) {
        names.insert(flag.names.front().substr(2));
      }
    }
  }
  return names;
}

Names condition_names() {
  Names names;
  for (const health::ConditionType* type : health::condition_types()) {
    names.emplace(type->name);
  }
  return names;
}

/// Returns the elements of `names` that `known` lacks.
std::vector<std::string> missing(const Names& names, const Names& known) {
  std::vector<std::string> rest;
  std::set_difference(names.begin(), names.end(), known.begin(), known.end(),
                      std::back_inserter(rest));
  return rest;
}

const std::vector<std::string> kNone;

}  // namespace

TEST_CASE("The reference has every flag as declared", "[reference]") {
  check_reference("flags", flag_tables());
}

TEST_CASE("The reference has every annotation", "[reference]") {
  check_reference("annotations", annotation_table());
}

TEST_CASE("The reference has every condition", "[reference]") {
  check_reference("conditions", condition_table());
}

TEST_CASE("No default in the reference comes from the environment", "[reference]") {
  const std::vector<std::string> variables = {"HELM_KUBECONTEXT",   "HELM_KUBETOKEN",
                                              "HELM_KUBEAPISERVER", "HELM_KUBECAFILE",
                                              "HELM_NAMESPACE",     "HELM_KUBETLS_SERVER_NAME"};
  for (const std::string& name : variables) {
    REQUIRE(setenv(name.c_str(), "secret-of-the-user", 1) == 0);
  }
  const std::string text = flag_tables();
  for (const std::string& name : variables) {
    REQUIRE(unsetenv(name.c_str()) == 0);
  }
  CHECK(text.find("secret-of-the-user") == std::string::npos);
}

TEST_CASE("annotations() has every chartwright.io annotation of annotations.h", "[reference]") {
  Names known;
  for (const op::AnnotationHelp& annotation : op::annotations()) {
    known.merge(names_after("chartwright.io/", annotation.key));
  }
  const Names defined = names_after("chartwright.io/", source_text("src/resource/annotations.h"));
  CHECK(missing(defined, known) == kNone);
}

TEST_CASE("troubleshooting.md explains every reason of a condition, and no other", "[reference]") {
  const std::vector<ConditionRow> rows = condition_rows();
  Names explained;
  for (const ConditionRow& row : rows) {
    explained.insert(row.reasons.begin(), row.reasons.end());
    CAPTURE(row.types);
    CHECK(missing(row.reasons, told_reasons_of(row.types)) == kNone);
  }
  CHECK(missing(reasons_of(condition_names()), explained) == kNone);
}

TEST_CASE("why.md explains every cause", "[reference]") {
  const std::string text = source_text("docs/operate/why.md");
  for (const std::string& cause : causes()) {
    CAPTURE(cause);
    CHECK(text.find(code(cause)) != std::string::npos);
  }
}

TEST_CASE("configuration.md explains every flag of run", "[reference]") {
  Names flags = flags_of("run");
  flags.erase("help");
  const std::string text = without_kubectl(source_text(kConfiguration));
  CHECK(missing(flags, names_after("--", text)) == kNone);
}

TEST_CASE("configuration.md explains every annotation", "[reference]") {
  const std::string text = source_text(kConfiguration);
  for (const op::AnnotationHelp& annotation : op::annotations()) {
    CAPTURE(annotation.key);
    CHECK(text.find(code(annotation.key)) != std::string::npos);
  }
}

TEST_CASE("troubleshooting.md explains every condition, and no other", "[reference]") {
  CHECK(conditions_of_rows() == condition_names());
}

TEST_CASE("Documents name only what exists", "[reference]") {
  const auto document = GENERATE(kConfiguration, kTroubleshooting);
  CAPTURE(document);
  const std::string text = source_text(document);
  Names annotations = {"adoptable-by"};  // On the object that is to be taken over.
  for (const op::AnnotationHelp& annotation : op::annotations()) {
    annotations.merge(names_after("chartwright.io/", annotation.key));
  }
  CHECK(missing(names_after("--", without_kubectl(text)), flags_of("")) == kNone);
  CHECK(missing(names_after("chartwright.io/", text), annotations) == kNone);
  CHECK(missing(conditions_with_status(text), condition_names()) == kNone);
}

}  // namespace chartwright::cmd
