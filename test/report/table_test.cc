// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include <catch2/catch.hpp>

namespace chartwright::cmd {
namespace {

constexpr base::WallTime kNoon = base::WallTime(std::chrono::hours(12));

std::string age_of(base::Duration age) {
  return age_text(base::format_rfc3339(kNoon + std::chrono::hours(24 * 4000) - age),
                  kNoon + std::chrono::hours(24 * 4000));
}

}  // namespace

TEST_CASE("A column is as wide as its widest cell, and a line has no space at its end") {
  Table table({"NAME", "READY", "PROBLEM"});
  table.add({"größe", "True", ""});
  table.add({"a-much-longer-name", "False", "ChildFailed"});
  CHECK(table.text() ==
        "NAME                 READY   PROBLEM\n"
        "größe                True    -\n"
        "a-much-longer-name   False   ChildFailed\n");
}

TEST_CASE("Rows go on below those that were taken, in columns that only become wider") {
  Table table({"NAME", "READY"});
  table.add({"long-name", "True"});
  CHECK(table.take() == "NAME        READY\nlong-name   True\n");
  table.add({"a", "False"});
  CHECK(table.take() == "a           False\n");
  table.add({"longer-name", ""});
  CHECK(table.take() == "longer-name   -\n");
}

TEST_CASE("A line of a cluster is printable and short") {
  CHECK(short_line("a\nb") == "a\\nb");
  CHECK(short_line(std::string(5000, 'x')) == std::string(1021, 'x') + "...");
  std::string wide;
  for (size_t i = 0; i < 1000; ++i) {
    wide += "ö";
  }
  const std::string cut = short_line(wide);
  CHECK((cut.size() <= kTextBytesMax && cut.ends_with("ö...")));
}

TEST_CASE("A cell cannot control the terminal, nor begin a line") {
  Table table({"NAME"});
  table.add({"a\x1b[31mb\nc"});
  const std::string text = table.text();
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}

// The expected texts are those of HumanDuration.
TEST_CASE("An age has the form of kubectl") {
  using std::chrono::hours;
  using std::chrono::minutes;
  using std::chrono::seconds;
  CHECK(age_of(seconds(0)) == "0s");
  CHECK(age_of(seconds(119)) == "119s");
  CHECK(age_of(seconds(120)) == "2m");
  CHECK(age_of(seconds(599)) == "9m59s");
  CHECK(age_of(minutes(10)) == "10m");
  CHECK(age_of(minutes(179)) == "179m");
  CHECK(age_of(hours(3)) == "3h");
  CHECK(age_of(hours(7) + minutes(59)) == "7h59m");
  CHECK(age_of(hours(8) + minutes(59)) == "8h");
  CHECK(age_of(hours(47)) == "47h");
  CHECK(age_of(hours(49)) == "2d1h");
  CHECK(age_of(hours(8 * 24)) == "8d");
  CHECK(age_of(hours(729 * 24)) == "729d");
  CHECK(age_of(hours(731 * 24)) == "2y1d");
  CHECK(age_of(hours(3000 * 24)) == "8y");
}

TEST_CASE("An age of a text that is not a time, or of one yet to come, is harmless") {
  CHECK(age_text("yesterday", kNoon).empty());
  CHECK(age_text("", kNoon).empty());
  CHECK(age_text(base::format_rfc3339(kNoon + std::chrono::hours(1)), kNoon) == "0s");
}

TEST_CASE("A text is cut between characters") {
  CHECK(cut_to("größe", 5) == "größe");
  CHECK(cut_to("größer", 5) == "größ…");
  CHECK(cut_to("", 5).empty());
}

}  // namespace chartwright::cmd
