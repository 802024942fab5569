// SPDX-License-Identifier: Apache-2.0
#include "report/report_files.h"

#include <catch2/catch.hpp>

namespace chartwright::cmd {
namespace {

std::vector<std::string> file_names(ReportFiles& files) {
  std::vector<std::string> names;
  for (const auto& [name, text] : files.take(host::SecretMask())) {
    names.push_back(name);
  }
  return names;
}

}  // namespace

TEST_CASE("Names of files lead nowhere else, and are names on every system") {
  ReportFiles files;
  files.add({"crds", "../../etc", "system:node"}, "");
  files.add({"crds", "..", ""}, "");
  files.add({"a", "b"}, "");
  files.add({"a", "b"}, "");
  CHECK(file_names(files) == std::vector<std::string>{"a/b", "a/b.2", "crds/.._.._etc/system_node",
                                                      "crds/_../_", "errors.txt"});
}

TEST_CASE("Gaps are told once, in one line") {
  ReportFiles files;
  files.gap("no right to list\nPods");
  files.gap("no right to list\nPods");
  CHECK(files.take(host::SecretMask()).at("errors.txt") == "no right to list\\nPods\n");
  CHECK(ReportFiles().take(host::SecretMask()).at("errors.txt") == "Everything was read.\n");
}

TEST_CASE("Files are masked, whatever lines YAML would fold") {
  host::SecretMask mask;
  mask.add_text("correct horse battery staple");
  mask.add_text("424242");
  mask.add_text("it's: #1");
  const std::string sentence =
      "The passphrase that opens everything here, as everybody knows, is "
      "correct horse battery staple, it's: #1";
  ReportFiles files;
  files.add({"a.txt"}, sentence);
  files.add_object({"a.yaml"}, value::Value::dict({{"number", value::Value::integer(424242)},
                                                   {"text", value::Value::string(sentence)},
                                                   {"424242", value::Value::integer(7)}}));
  files.gap(sentence);
  files.add_object({"large"}, value::Value::string(std::string(ReportFiles::kFileBytesMax, 'x')));
  CHECK(files.gaps().back().starts_with("large is left out: it has "));
  const auto taken = files.take(mask);
  const std::string& yaml = taken.at("a.yaml");
  CHECK(yaml.starts_with("'***': 7\n"));
  CHECK(yaml.find("424242") == std::string::npos);
  CHECK(yaml.find("horse") == std::string::npos);
  CHECK(yaml.find("it's") == std::string::npos);
  CHECK(taken.at("a.txt").ends_with(" is ***, ***"));
  CHECK(taken.at("errors.txt").find("horse") == std::string::npos);
}

TEST_CASE("A text that is too long keeps whole lines of its beginning or its end") {
  ReportFiles files;
  std::string text;
  while (text.size() <= ReportFiles::kFileBytesMax) {
    text += "line " + std::to_string(text.size()) + "\n";
  }
  files.add({"begin"}, text);
  files.add({"end"}, text, Keep::kEnd);
  files.add({"one"}, std::string(ReportFiles::kFileBytesMax + 1, 'x'));
  CHECK(files.gaps().size() == 3);
  CHECK(files.gaps().front().starts_with("begin was cut: it has "));
  const auto taken = files.take(host::SecretMask());
  CHECK(taken.at("begin").size() <= ReportFiles::kFileBytesMax);
  CHECK(text.starts_with(taken.at("begin")));
  CHECK(taken.at("begin").ends_with('\n'));
  CHECK(text.ends_with(taken.at("end")));
  CHECK(taken.at("end").starts_with("line "));
  CHECK(taken.at("one").empty());
}

TEST_CASE("A report that is full takes no more, and says so") {
  ReportFiles files;
  const std::string text(ReportFiles::kFileBytesMax, '\n');
  for (size_t i = 0; i < ReportFiles::kTotalBytesMax / ReportFiles::kFileBytesMax; ++i) {
    files.add({"a", std::to_string(i)}, text);
  }
  CHECK(files.gaps().empty());
  const size_t before = files.size();
  files.add({"b"}, "x");
  files.add({"c"}, "");
  CHECK(files.size() == before);
  REQUIRE(files.gaps().size() == 1);
  CHECK(files.gaps().front().starts_with("the report is full: b and all"));
}

}  // namespace chartwright::cmd
