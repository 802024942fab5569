// SPDX-License-Identifier: Apache-2.0
#include "generate/markdown.h"

#include <catch2/catch.hpp>

namespace chartwright::generate {

TEST_CASE("Prose that looks like Markdown or HTML is shown as it is") {
  CHECK(markdown_text("Number of pods.") == "Number of pods.");
  CHECK(markdown_text("a|b") == "a&#124;b");
  CHECK(markdown_text("<script>x</script> &lt;") == "&lt;script&gt;x&lt;/script&gt; &amp;lt;");
  CHECK(markdown_text("![x](http://y) [z]") == "!\\[x\\](http://y) \\[z\\]");
  CHECK(markdown_text("*a* _b_ `c` ~d~ $e$") ==
        "\\*a\\* \\_b\\_ \\`c\\` &#126;d&#126; &#36;e&#36;");
  CHECK(markdown_text("\\[x\\]") == "\\\\\\[x\\\\\\]");
  CHECK(markdown_text("{{ .Values.x }}") == "\\{\\{ .Values.x }}");
}

TEST_CASE("Prose does not begin a heading or a list") {
  CHECK(markdown_text("# x") == "\\# x");
  CHECK(markdown_text("- x") == "\\- x");
  CHECK(markdown_text("+ x") == "\\+ x");
  CHECK(markdown_text("=== x") == "\\=== x");
  CHECK(markdown_text("12. x") == "12\\. x");
  CHECK(markdown_text("1) x") == "1\\) x");
  CHECK(markdown_text("> x") == "&gt; x");
  CHECK(markdown_text("1.5 x") == "1.5 x");
  CHECK(markdown_text("2026") == "2026");
  CHECK(markdown_text("3.") == "3\\.");
  CHECK(markdown_text("a - b # c") == "a - b # c");
}

TEST_CASE("A text is one line without hidden characters") {
  CHECK(markdown_text("  a\n\n| b |\r\tc\v") == "a &#124; b &#124; c");
  CHECK(markdown_text("a\xE2\x80\xAE"
                      "b\xE2\x80\x8B"
                      "c\x01"
                      "d") == "abc d");
  CHECK(markdown_text("a\xE2\x80\xA8"
                      "b") == "a b");
  CHECK(markdown_text("größe 日本") == "größe 日本");
  CHECK(markdown_text("\xff") == "\xEF\xBF\xBD");
  CHECK(markdown_text("") == "");
}

TEST_CASE("A long text is cut at a whole character") {
  CHECK(markdown_text("ääää", 3) == "äää…");
  CHECK(markdown_text("ääää", 4) == "ääää");
  CHECK(markdown_text("||||", 2) == "&#124;&#124;…");
  CHECK(markdown_code("abcd", 2) == "`ab…`");
}

TEST_CASE("Code keeps its text, whatever backticks and pipes it has") {
  CHECK(markdown_code("^a|b\\|c$") == "`^a\\|b\\\\|c$`");
  CHECK(markdown_code("a`b") == "``a`b``");
  CHECK(markdown_code("``a") == "``` ``a ```");
  CHECK(markdown_code("a\n|\n<b>") == "`a \\| <b>`");
  CHECK(markdown_code("") == "");
}

TEST_CASE("Code spans beyond a limit are counted") {
  CHECK(markdown_codes({"a", "b"}, 2) == "`a`, `b`");
  CHECK(markdown_codes({"a", "b", "c"}, 2) == "`a`, `b` and 1 more");
}

TEST_CASE("No line of a block closes it") {
  CHECK(markdown_block("yaml", "a: 1\n") == "```yaml\na: 1\n```\n");
  CHECK(markdown_block("yaml", "a:\n  ```\n") == "````yaml\na:\n  ```\n````\n");
}

TEST_CASE("A table has a line below its titles") {
  CHECK(markdown_head({"a", "b"}) + markdown_row({"1", "2"}) ==
        "| a | b |\n|---|---|\n| 1 | 2 |\n");
}

}  // namespace chartwright::generate
