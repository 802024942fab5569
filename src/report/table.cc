// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include <algorithm>
#include <chrono>

#include "base/printable.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::cmd {
namespace {

std::string unit(int64_t number, std::string_view name) {
  return std::to_string(number) + std::string(name);
}

/// Returns "5m" or "5m30s".
std::string two_units(int64_t large, std::string_view large_name, int64_t small,
                      std::string_view small_name) {
  return unit(large, large_name) + (small == 0 ? "" : unit(small, small_name));
}

/// Returns the beginning of `text`, with each of its lines printable.
std::string lines_within(std::string_view text, size_t bytes_max) {
  const std::vector<std::string_view> written = base::split(text.substr(0, 2 * bytes_max), '\n');
  std::vector<std::string> lines(written.size());
  std::ranges::transform(written, lines.begin(), base::printable);
  return base::shortened(base::join(lines, "\n"), bytes_max);
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) {
    cell = cell.empty() ? "-" : base::printable(cell);
  }
  rows_.push_back(std::move(cells));
}

std::vector<size_t> Table::widths() const {
  std::vector<size_t> widths = widths_;
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], base::rune_count(row[i]));
    }
  }
  return widths;
}

std::string Table::take() {
  std::string taken = text();
  widths_ = widths();
  rows_.clear();
  return taken;
}

std::string Table::text() const {
  const std::vector<size_t> widths = this->widths();
  constexpr size_t kGap = 3;
  std::string text;
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) {
        text.append(widths[i] + kGap - base::rune_count(row[i]), ' ');
      }
    }
    text += '\n';
  }
  return text;
}

base::Result<std::string> document_of(std::vector<value::Value> items, DataForm form) {
  const value::Value all = value::Value::dict({{"items", value::Value::list(std::move(items))}});
  if (form == DataForm::kYaml) {
    return yaml::to_yaml(all);
  }
  CW_TRY(std::string text, value::to_json_pretty(all, value::JsonEscape::kNone));
  return text + "\n";
}

std::string age_text(std::string_view time, base::WallTime now) {
  const auto then = base::parse_rfc3339(time);
  if (!then.ok()) {
    return "";
  }
  constexpr int64_t kMinute = 60;
  constexpr int64_t kHour = 60 * kMinute;
  constexpr int64_t kDay = 24 * kHour;
  constexpr int64_t kYear = 365 * kDay;
  const int64_t seconds =
      std::max<int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(now - *then).count());
  if (seconds < 2 * kMinute) {
    return unit(seconds, "s");
  }
  if (seconds < 10 * kMinute) {
    return two_units(seconds / kMinute, "m", seconds % kMinute, "s");
  }
  if (seconds < 3 * kHour) {
    return unit(seconds / kMinute, "m");
  }
  if (seconds < 8 * kHour) {
    return two_units(seconds / kHour, "h", seconds % kHour / kMinute, "m");
  }
  if (seconds < 2 * kDay) {
    return unit(seconds / kHour, "h");
  }
  if (seconds < 8 * kDay) {
    return two_units(seconds / kDay, "d", seconds % kDay / kHour, "h");
  }
  if (seconds < 2 * kYear) {
    return unit(seconds / kDay, "d");
  }
  if (seconds < 8 * kYear) {
    return two_units(seconds / kYear, "y", seconds % kYear / kDay, "d");
  }
  return unit(seconds / kYear, "y");
}

std::string short_line(std::string_view text) {
  // Printable, no text is shorter: twice the beginning is more than enough.
  return base::shortened(base::printable(text.substr(0, 2 * kTextBytesMax)), kTextBytesMax);
}

std::string message_lines(std::string_view message) {
  return lines_within(message, kMessageBytesMax);
}

std::string short_lines(std::string_view message) { return lines_within(message, kTextBytesMax); }

std::string indented(std::string_view text, std::string_view front) {
  std::string lines;
  for (const std::string_view line : base::split(text, '\n')) {
    lines.append(front).append(line).append("\n");
  }
  return lines;
}

std::string cut_to(std::string_view text, size_t runes) {
  if (base::rune_count(text) <= runes) {
    return std::string(text);
  }
  std::string kept;
  for (size_t n = 1; n < runes; ++n) {
    const base::DecodedRune rune = base::decode_rune(text);
    kept += text.substr(0, rune.size);
    text.remove_prefix(rune.size);
  }
  return kept + "…";
}

}  // namespace chartwright::cmd
