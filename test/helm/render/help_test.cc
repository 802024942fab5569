// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <chrono>

#include "helm/render/diagnosis.h"
#include "test/cases/case_file.h"
#include "test/helm/render/case_answer.h"
#include "test/source_dir.h"

// Tests the help below Helm's error messages. cases_test.cc checks the messages themselves.
namespace chartwright::helm {
namespace {

cases::Case chart_of(std::vector<cases::Section> sections) { return {"", 0, std::move(sections)}; }

std::string help_of(const cases::Case& c) {
  const auto got = answer_case(c, default_profile());
  REQUIRE_FALSE(got.ok());
  return got.error().help();
}

}  // namespace

TEST_CASE("Every case of help has the help that it states") {
  size_t count = 0;
  for (const std::string& path : cases::list_case_files(source_dir() + "/test/cases/chart")) {
    for (const cases::Case& c : cases::read_case_file(path).cases) {
      if (const std::string* help = c.find("help")) {
        ++count;
        INFO(path << ":" << c.line << ": " << c.title);
        const auto got = answer_case(c, default_profile());
        REQUIRE_FALSE(got.ok());
        CHECK(got.error().help() + "\n" == *help);
      }
    }
  }
  CHECK(count > 0);
}

TEST_CASE("A line of a megabyte is shown around the column") {
  const std::string half(size_t{1} << 19, 'x');
  const std::string help =
      help_of(chart_of({{"file", "templates/a.yaml", half + "{{ fail \"no\" }}" + half + "\n"}}));
  CHECK(help.size() < 600);
  CHECK(help.find("xxx{{ fail \"no\" }}xxx") != std::string::npos);
  const size_t caret = help.find('^');
  const size_t line = help.rfind('\n', caret);
  const size_t above = help.rfind('\n', line - 1);
  // The ellipsis before the part shown has three bytes but one column.
  CHECK(help.substr(above + (caret - line) + 2, 4) == "fail");
}

TEST_CASE("A chain of many includes is shown from both ends") {
  std::string partials;
  for (int i = 0; i < 200; ++i) {
    partials += "{{ define \"t" + std::to_string(i) + "\" }}{{ include \"t" +
                std::to_string(i + 1) + "\" . }}{{ end }}\n";
  }
  partials += "{{ define \"t200\" }}{{ .Values.a.b.c }}{{ end }}\n";
  const std::string help =
      help_of(chart_of({{"file", "templates/_t.tpl", partials},
                        {"file", "templates/a.yaml", "a: {{ include \"t0\" . }}\n"}}));
  CHECK(help.starts_with("case/templates/_t.tpl:201:30\n"));
  CHECK(help.find("\n... 195 more calls\n") != std::string::npos);
  CHECK(
      help.ends_with("called at case/templates/a.yaml:1:7\n1 | a: {{ include \"t0\" . }}\n"
                     "  |       ^"));
}

TEST_CASE("Keys and names cannot write to a terminal") {
  const std::string help =
      help_of(chart_of({{"file", "values.yaml", "\"a\\e[31mb\": {}\n"},
                        {"file", "templates/a.yaml",
                         "{{ $m := index .Values (index (keys .Values | sortAlpha) 0) }}"
                         "{{ $m.x.y }}\n"}}));
  CHECK(help.find('\x1b') == std::string::npos);
}

TEST_CASE("Help never shows a value") {
  const std::string help =
      help_of(chart_of({{"file", "values.yaml", "password: hunter2\nname: {first: hunter2}\n"},
                        {"values", "prod.yaml", "password: hunter2\n"},
                        {"file", "templates/a.yaml",
                         "a: {{ .Values.password.first }}{{ .Values.name.family.x }}\n"}}));
  CHECK(help.find("hunter2") == std::string::npos);
  CHECK(help.find("password is a string, set at prod.yaml:1:1") != std::string::npos);
}

TEST_CASE("A place that the source does not have is told alone") {
  CHECK(snippet({"f", 3, 4}, "one line") == "f:3:4");
  CHECK(snippet({"f", 0, 0}, "one line") == "f");
  CHECK(snippet({"f", 1, 0}, "one line") == "f:1\n1 | one line");
  CHECK(snippet({"f", 1, 99}, "one") == "f:1:99\n1 | one\n  |    ^");
  CHECK(snippet({"f", 1, 3}, "\xff\xfe") == "f:1:3\n1 | \xEF\xBF\xBD\xEF\xBF\xBD\n  |   ^");
}

}  // namespace chartwright::helm
