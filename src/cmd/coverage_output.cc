// SPDX-License-Identifier: Apache-2.0
#include "cmd/coverage_output.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/printable.h"
#include "coverage/html.h"
#include "coverage/lcov.h"
#include "report/table.h"

namespace chartwright::cmd {
namespace {

namespace fs = std::filesystem;

using coverage::ChartCoverage;
using coverage::FileCoverage;
using coverage::Share;

/// The runs of lines that a row of the table names, and the values below it. The files have all.
constexpr size_t kRangesMax = 6;
constexpr size_t kValuesMax = 40;

std::string share_text(const Share& share) {
  return share.total == 0 ? ""
                          : share.percent() + " (" + std::to_string(share.covered) + "/" +
                                std::to_string(share.total) + ")";
}

/// Returns "3, 7-9", and "..." behind many. A line between them that does not count ends no range.
std::string ranges_text(const FileCoverage& file) {
  std::string out;
  size_t ranges = 0;
  size_t first = 0;
  size_t last = 0;
  const auto end_range = [&] {
    if (first == 0) {
      return;
    }
    if (++ranges <= kRangesMax) {
      out += (out.empty() ? "" : ", ") + std::to_string(first) +
             (last > first ? "-" + std::to_string(last) : "");
    }
    first = 0;
  };
  for (const auto& [line, runs] : file.lines) {
    if (runs > 0) {
      end_range();
      continue;
    }
    first = first == 0 ? line : first;
    last = line;
  }
  end_range();
  return ranges > kRangesMax ? out + ", ..." : out;
}

std::string unset_text(const coverage::ReadDefaults& defaults) {
  if (defaults.unset.empty()) {
    return "";
  }
  std::string out = "\nTemplates read " + std::to_string(defaults.total) +
                    " of the values in values.yaml; no test changes these " +
                    std::to_string(defaults.unset.size()) + ":\n";
  const size_t shown = std::min(defaults.unset.size(), kValuesMax);
  for (size_t i = 0; i < shown; ++i) {
    out += "  " + base::printable(defaults.unset[i]) + "\n";
  }
  if (shown < defaults.unset.size()) {
    out += "  and " + std::to_string(defaults.unset.size() - shown) +
           " more, which --coverage-html and --output-type JSON have\n";
  }
  return out;
}

bool is_on_disk(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

}  // namespace

base::Status write_text_file(const std::string& path, const std::string& text,
                             std::string_view flag) {
  std::error_code error;
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty()) {
    fs::create_directories(folder, error);
  }
  auto written = base::replace_file(path, text);
  return written.ok() ? std::move(written) : std::move(written).error().wrap(std::string(flag));
}

std::string coverage_text(const ChartCoverage& chart) {
  std::string out = "\nCoverage of " + base::printable(chart.folder) + "\n\n";
  if (chart.files.empty()) {
    return out + "The chart has no templates.\n";
  }
  Table table({"TEMPLATE", "LINES", "BRANCHES", "NEVER RUN"});
  for (const FileCoverage& file : chart.files) {
    table.add({file.name, share_text(file.line_share()), share_text(file.branch_share()),
               ranges_text(file)});
  }
  table.add({"All", share_text(chart.line_share()), share_text(chart.branch_share()), ""});
  return out + table.text() + unset_text(chart.defaults);
}

void CoverageOutput::declare(FlagSet& flags) {
  flags.boolean(shows_, {"coverage", '\0',
                         "print which lines and branches of the templates the tests run, and "
                         "which values they never change"});
  flags.text(lcov_path_, {"coverage-lcov", '\0',
                          "file to write the coverage to, as a tracefile of lcov", kTakesFile});
  flags.text(html_path_,
             {"coverage-html", '\0', "file to write the coverage to, as a page", kTakesFile});
  flags.integer(min_percent_, {.name = "coverage-min",
                               .help = "percentage of each chart's lines that the tests must run",
                               .is_given = &has_min_});
}

base::Status CoverageOutput::check() const {
  const auto refuse = [](const std::string& message) {
    return base::Error(base::ErrorCode::kInvalidArgument, message);
  };
  if (min_percent_ < 0 || min_percent_ > 100) {
    return refuse("--coverage-min: " + std::to_string(min_percent_) +
                  " is not a percentage from 0 to 100");
  }
  for (const auto& [flag, path] :
       {std::pair("--coverage-lcov", &lcov_path_), std::pair("--coverage-html", &html_path_)}) {
    if (*path == "-") {
      return refuse(std::string(flag) + ": \"-\" is not a file: name one");
    }
  }
  if (!lcov_path_.empty() && lcov_path_ == html_path_) {
    return refuse("--coverage-lcov and --coverage-html name the same file");
  }
  return {};
}

base::Status CoverageOutput::write() const {
  if (!lcov_path_.empty()) {
    CW_TRY_VOID(
        write_text_file(lcov_path_, coverage::lcov_text(charts_, is_on_disk), "--coverage-lcov"));
  }
  if (!html_path_.empty()) {
    CW_TRY_VOID(write_text_file(html_path_, coverage::html_text(charts_), "--coverage-html"));
  }
  return {};
}

base::Status CoverageOutput::check_min() const {
  for (const ChartCoverage& chart : charts_) {
    const Share lines = chart.line_share();
    if (lines.per_mille() < static_cast<size_t>(min_percent_) * 10) {
      return base::Error(base::ErrorCode::kInvalidArgument,
                         "--coverage-min: the tests of " + chart.folder + " run " +
                             share_text(lines) + " of the lines of its templates, and must run " +
                             std::to_string(min_percent_) + " %");
    }
  }
  return {};
}

}  // namespace chartwright::cmd
