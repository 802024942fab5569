// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "helm/version/log_line.h"

namespace chartwright::helm {

TEST_CASE("A message of Helm 3 begins with the place that writes it") {
  const LogMessage message{{"coalesce.go", 301, 319}, "warning: a", {{"WARN", "b", {}}}};
  CHECK(log_line(message, *find_profile("3.18")) == "coalesce.go:301: warning: a");
  CHECK(log_line(message, *find_profile("3.22")) == "coalesce.go:319: warning: a");
}

TEST_CASE("A message of Helm 4 is a record, or the text of one") {
  const Profile& helm_4 = *find_profile("4.3");
  const LogMessage::Place place{"a.go", 1, 1};
  CHECK(log_line({place, "", {{"WARN", "returned non-bool value", {{"path", "a.b"}}}}}, helm_4) ==
        R"(level=WARN msg="returned non-bool value" path=a.b)");
  CHECK(log_line({place, "warning: a (b)", {}}, helm_4) == R"x(level=INFO msg="warning: a (b)")x");
}

// The expectations are those of Go 1.26's log/slog.
TEST_CASE("Values of a record are quoted where Go quotes them") {
  const auto written = [](const std::string& text) {
    return log_line({"INFO", "m", {{"k", text}}}).substr(std::string("level=INFO msg=m k=").size());
  };
  CHECK(written("") == R"("")");
  CHECK(written("plain-text_1.2/3:[4]'`,;\\") == "plain-text_1.2/3:[4]'`,;\\");
  CHECK(written("a b") == R"("a b")");
  CHECK(written("a=b") == R"("a=b")");
  CHECK(written("a\"b") == R"("a\"b")");
  CHECK(written("a\nb") == R"("a\nb")");
  CHECK(written("a\tb\\") == R"("a\tb\\")");
  CHECK(written("gr\xC3\xB6\xC3\x9F"
                "e") ==
        "gr\xC3\xB6\xC3\x9F"
        "e");
  CHECK(written("a\xC2\xA0"
                "b") == R"("a\u00a0b")");
  CHECK(written("\xE2\x80\xAE") == R"("\u202e")");
  CHECK(written("a\x7F") == "a\x7F");
  CHECK(written("a\xFF") == R"("a\xff")");
  CHECK(written("\xEF\xBF\xBD") == "\"\xEF\xBF\xBD\"");
}

}  // namespace chartwright::helm
