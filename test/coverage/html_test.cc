// SPDX-License-Identifier: Apache-2.0
#include "coverage/html.h"

#include <catch2/catch.hpp>

#include "test/coverage/covered_chart.h"

namespace chartwright::coverage {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("A page colours each line, and names the sides of branches that were not taken") {
  const std::string page = html_text(
      {testing::covered({{"values.yaml", "x: false\n"},
                         {"templates/a.yaml", "a: 1\n{{- if .Values.x }}\nb: 1\n{{- end }}\n"}},
                        {"{}"})});
  CHECK(contains(page,
                 "<tr class=\"hit\"><td class=\"n\">1</td><td class=\"c\">1</td>"
                 "<td>a: 1</td></tr>"));
  CHECK(contains(page,
                 "<tr class=\"part\"><td class=\"n\">2</td><td class=\"c\">1</td>"
                 "<td>{{- if .Values.x }} <span class=\"note\">&larr; if .Values.x: "
                 "never true</span></td></tr>"));
  CHECK(contains(page, "<tr class=\"miss\"><td class=\"n\">3</td><td class=\"c\">0</td>"));
  CHECK(contains(page, "<tr><td class=\"n\">4</td><td class=\"c\"></td>"));
  CHECK(contains(page, "<td>66.6 %</td><td>2/3</td><td>50.0 %</td><td>1/2</td>"));
  CHECK(contains(page, "<li><code>x</code></li>"));
  CHECK(contains(page, "<a href=\"#s0\">c/templates/a.yaml</a>"));
  CHECK(contains(page, "<details open id=\"s0\">"));
}

TEST_CASE("No text of a chart is markup in the page, or controls how it is read") {
  ChartCoverage chart = testing::covered(
      {{"values.yaml", "\"<i>\": 1\n"},
       {"templates/<img src=x>.yaml",
        "{{ if eq .Values.x \"</td><script>\" }}\xE2\x80\xAE\xFF{{ end }}\n{{ toYaml .Values }}"}},
      {"{}"});
  chart.name = "<b>";
  chart.folder = "\"><b>";
  const std::string page = html_text({chart});
  for (const char* markup : {"<img", "<script", "<i>", "<b>", "\xE2\x80\xAE", "\xFF"}) {
    INFO(markup);
    CHECK_FALSE(contains(page, markup));
  }
  CHECK(contains(page, "default-src 'none'"));
}

}  // namespace
}  // namespace chartwright::coverage
