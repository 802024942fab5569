// SPDX-License-Identifier: Apache-2.0
#include "coverage/html.h"

#include <string_view>

#include "base/printable.h"
#include "base/strings.h"
#include "tmpl/escape.h"

namespace chartwright::coverage {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Coverage of templates</title>
<style>
body { font: 15px/1.4 sans-serif; margin: 2em; color: #222; background: #fff; }
table { border-collapse: collapse; }
table.all td, table.all th { padding: .2em 1em .2em 0; text-align: left; }
table.all td + td { text-align: right; font-variant-numeric: tabular-nums; }
summary { cursor: pointer; margin-top: .6em; }
table.source { font: 13px/1.5 monospace; margin: .4em 0 1em; }
table.source td { padding: 0 .6em; white-space: pre-wrap; vertical-align: top; }
table.source td.n, table.source td.c { color: #777; text-align: right; user-select: none; }
tr.hit { background: #e6f4e6; }
tr.part { background: #fdf3d3; }
tr.miss { background: #fbe0e0; }
span.note { color: #a33; font-style: italic; user-select: none; }
</style></head><body>
<h1>Coverage of templates</h1>
)";

std::string safe(std::string_view text) { return tmpl::escape_html(base::printable_lines(text)); }

std::string share_cell(const Share& share) {
  return "<td>" + share.percent() + "</td><td>" + std::to_string(share.covered) + "/" +
         std::to_string(share.total) + "</td>";
}

/// Writes the parts of one page.
class Page {
 public:
  std::string run(const std::vector<ChartCoverage>& charts) {
    for (const ChartCoverage& chart : charts) {
      write_chart(chart);
    }
    return std::move(out_) + "</body></html>\n";
  }

 private:
  void write_chart(const ChartCoverage& chart) {
    out_ += "<h2>" + safe(chart.name) + " (" + safe(chart.folder) +
            ")</h2>\n<table class=\"all\"><tr><th>Template</th><th colspan=\"2\">Lines</th>"
            "<th colspan=\"2\">Branches</th></tr>\n";
    const size_t first = sources_;
    for (size_t i = 0; i < chart.files.size(); ++i) {
      const FileCoverage& file = chart.files[i];
      write_row("<a href=\"#s" + std::to_string(first + i) + "\">" + safe(file.name) + "</a>",
                file.line_share(), file.branch_share());
    }
    write_row("All", chart.line_share(), chart.branch_share());
    out_ += "</table>\n";
    write_unset(chart.defaults);
    for (const FileCoverage& file : chart.files) {
      write_source(file);
    }
  }

  void write_row(const std::string& title, const Share& lines, const Share& branches) {
    out_ += "<tr><td>" + title + "</td>" + share_cell(lines) + share_cell(branches) + "</tr>\n";
  }

  void write_unset(const ReadDefaults& defaults) {
    if (defaults.unset.empty()) {
      return;
    }
    out_ += "<details open><summary>Templates read " + std::to_string(defaults.total) +
            " of the values in values.yaml; no test changes these " +
            std::to_string(defaults.unset.size()) + "</summary><ul>\n";
    for (const std::string& path : defaults.unset) {
      out_ += "<li><code>" + safe(path) + "</code></li>\n";
    }
    out_ += "</ul></details>\n";
  }

  void write_source(const FileCoverage& file) {
    out_ += "<details open id=\"s" + std::to_string(sources_++) + "\"><summary>" + safe(file.name) +
            "</summary>\n<table class=\"source\">\n";
    auto branch = file.branches.begin();
    size_t number = 0;
    std::string_view text = *file.text;
    text.remove_suffix(text.ends_with('\n') ? 1 : 0);
    for (const std::string_view line : base::split(text, '\n')) {
      ++number;
      std::string note;
      for (; branch != file.branches.end() && branch->line == number; ++branch) {
        for (const std::string& side : branch->missed()) {
          note += " <span class=\"note\">&larr; " + safe(branch->text) + ": " + side + "</span>";
        }
      }
      write_line(file, number, line, note);
    }
    out_ += "</table></details>\n";
  }

  void write_line(const FileCoverage& file, size_t number, std::string_view text,
                  const std::string& note) {
    const auto counted = file.lines.find(number);
    std::string_view row = "<tr>";
    std::string times;
    if (counted != file.lines.end()) {
      times = std::to_string(counted->second);
      const std::string_view ran = note.empty() ? "<tr class=\"hit\">" : "<tr class=\"part\">";
      row = counted->second == 0 ? "<tr class=\"miss\">" : ran;
    }
    out_.append(row);
    out_ += "<td class=\"n\">" + std::to_string(number) + "</td><td class=\"c\">" + times +
            "</td><td>" + safe(text) + note + "</td></tr>\n";
  }

  std::string out_{kHead};
  size_t sources_ = 0;  ///< Those that were written.
};

}  // namespace

std::string html_text(const std::vector<ChartCoverage>& charts) { return Page().run(charts); }

}  // namespace chartwright::coverage
