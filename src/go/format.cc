// SPDX-License-Identifier: Apache-2.0
#include "go/format.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/unicode.h"
#include "go/complex.h"
#include "go/printer.h"

namespace chartwright::go {
namespace {

using value::Value;

constexpr int kNumberMax = 1'000'000;  // Maximum width or precision.

bool too_large(int64_t n) { return n > kNumberMax || n < -kNumberMax; }

// Processes one format string. Source: Go fmt.(*pp).doPrintf.
class Formatter {
 public:
  Formatter(Printer& printer, std::string& out, std::string_view format,
            std::span<const Value> operands)
      : out_(out), printer_(printer), format_(format), operands_(operands) {}

  void run() {
    while (at_ < format_.size() && !printer_.is_exhausted()) {
      const size_t percent = std::min(format_.find('%', at_), format_.size());
      out_ += format_.substr(at_, percent - at_);
      at_ = percent;
      if (at_ < format_.size()) {
        ++at_;
        directive();
      }
    }
    report_extra();
  }

 private:
  // Reads a directive after its "%"; the parts must be read in this order.
  void directive() {
    spec() = FormatSpec();
    good_index_ = true;
    flags();
    bool after_index = index();
    after_index = width(after_index);
    after_index = precision(after_index);
    if (!after_index) {
      index();
    }
    verb();
  }

  void flags() {
    for (; at_ < format_.size(); ++at_) {
      switch (format_[at_]) {
        case '#':
          spec().sharp = true;
          break;
        case '0':
          spec().zero = true;
          break;
        case '+':
          spec().plus = true;
          break;
        case '-':
          spec().minus = true;
          break;
        case ' ':
          spec().space = true;
          break;
        default:
          return;
      }
    }
  }

  // Reads "[n]", which selects the next operand. Reports whether there was one.
  bool index() {
    if (at_ >= format_.size() || format_[at_] != '[') {
      return false;
    }
    reordered_ = true;
    // If there is no ']' ahead now, there is none later: do not search again for every '['.
    const size_t close = no_close_ahead_ ? std::string_view::npos : format_.find(']', at_);
    no_close_ahead_ = close == std::string_view::npos;
    if (close == std::string_view::npos || format_.size() - at_ < 3) {
      ++at_;
      good_index_ = false;
      return false;
    }
    const std::string_view digits = format_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
    const std::optional<int> number = whole_number(digits);
    if (number && *number >= 1 && *number <= static_cast<int>(operands_.size())) {
      next_ = static_cast<size_t>(*number - 1);
      return true;
    }
    good_index_ = false;
    return number.has_value();
  }

  static std::optional<int> whole_number(std::string_view digits) {
    int number = 0;
    for (char c : digits) {
      if (!base::is_ascii_digit(c) || too_large(number)) {
        return std::nullopt;
      }
      number = number * 10 + (c - '0');
    }
    return digits.empty() ? std::nullopt : std::optional<int>(number);
  }

  // Reads digits at the current position. A number that is too long ends the whole format.
  std::optional<int> number() {
    std::optional<int> parsed;
    for (; at_ < format_.size() && base::is_ascii_digit(format_[at_]); ++at_) {
      if (parsed && too_large(*parsed)) {
        at_ = format_.size();
        return std::nullopt;
      }
      parsed = parsed.value_or(0) * 10 + (format_[at_] - '0');
    }
    return parsed;
  }

  // Reads the operand for "*".
  std::optional<int> number_operand() {
    if (next_ >= operands_.size()) {
      return std::nullopt;
    }
    const Value operand = opened_integer(operands_[next_++]);
    const bool fits = operand.is_int() && !too_large(operand.as_int()) &&
                      (operand.int_type() != value::IntType::kUint64 || operand.as_int() >= 0);
    return fits ? std::optional<int>(static_cast<int>(operand.as_int())) : std::nullopt;
  }

  bool width(bool after_index) {
    std::optional<int> parsed;
    if (at_ < format_.size() && format_[at_] == '*') {
      ++at_;
      parsed = number_operand();
      if (!parsed) {
        out_ += "%!(BADWIDTH)";
      }
      after_index = false;
    } else {
      parsed = number();
      if (after_index && parsed) {  // "%[3]2d"
        good_index_ = false;
      }
    }
    spec().has_width = parsed.has_value();
    spec().width = parsed.value_or(0);
    if (spec().width < 0) {
      spec().width = -spec().width;
      spec().minus = true;
      spec().zero = false;
    }
    return after_index;
  }

  bool precision(bool after_index) {
    if (at_ + 1 >= format_.size() || format_[at_] != '.') {
      return after_index;
    }
    ++at_;
    if (after_index) {  // "%[3].2d"
      good_index_ = false;
    }
    after_index = index();
    if (at_ < format_.size() && format_[at_] == '*') {
      ++at_;
      const std::optional<int> parsed = number_operand();
      spec().has_precision = parsed.has_value() && *parsed >= 0;
      spec().precision = spec().has_precision ? *parsed : 0;
      if (!spec().has_precision) {
        out_ += "%!(BADPREC)";
      }
      return false;
    }
    spec().precision = number().value_or(0);
    spec().has_precision = true;
    return after_index;
  }

  void verb() {
    if (at_ >= format_.size()) {
      out_ += "%!(NOVERB)";
      return;
    }
    const base::DecodedRune verb = base::decode_rune(format_.substr(at_));
    at_ += verb.size;
    if (verb.rune == '%') {
      out_ += '%';
    } else if (!good_index_) {
      report(verb.rune, "(BADINDEX)");
    } else if (next_ >= operands_.size()) {
      report(verb.rune, "(MISSING)");
    } else {
      if (verb.rune == 'v' || verb.rune == 'w') {  // In %#v and %+v the flags mean something else.
        spec().sharp_v = std::exchange(spec().sharp, false);
        spec().plus_v = std::exchange(spec().plus, false);
      }
      printer_.print_operand(operands_[next_++], verb.rune);
    }
  }

  void report(char32_t verb, std::string_view problem) {
    out_ += "%!";
    base::append_rune(out_, verb);
    out_ += problem;
  }

  void report_extra() {
    if (reordered_ || next_ >= operands_.size()) {
      return;
    }
    spec() = FormatSpec();
    out_ += "%!(EXTRA ";
    for (size_t i = next_; i < operands_.size() && !printer_.is_exhausted(); ++i) {
      out_ += i > next_ ? ", " : "";
      printer_.print_typed(operands_[i]);
    }
    out_ += ')';
  }

  FormatSpec& spec() { return printer_.spec(); }

  std::string& out_;
  Printer& printer_;
  std::string_view format_;
  std::span<const Value> operands_;
  size_t at_ = 0;
  size_t next_ = 0;  // Index of the next operand.
  bool reordered_ = false;
  bool good_index_ = true;
  bool no_close_ahead_ = false;
};

enum class Spacing : uint8_t { kBetweenNonStrings, kAlways };

void print_all(Printer& printer, std::string& out, std::span<const Value> operands,
               Spacing spacing) {
  for (size_t i = 0; i < operands.size() && !printer.is_exhausted(); ++i) {
    const bool spaced = i > 0 && (spacing == Spacing::kAlways ||
                                  (!operands[i].is_string() && !operands[i - 1].is_string()));
    out += spaced ? " " : "";
    printer.print_operand(operands[i], 'v');
  }
  out += spacing == Spacing::kAlways ? "\n" : "";
}

// Limits `print` to the memory that the budget has left, and charges for its output.
template <typename Print>
base::Result<std::string> charged(base::Budget& budget, const Print& print) {
  const PrintLimits limits{budget.memory_left()};
  std::string out;
  Printer printer(out, limits);
  print(printer, out);
  CW_TRY_VOID(budget.charge_work(out.size()));
  if (printer.is_exhausted()) {
    return base::Error(base::ErrorCode::kBudget,
                       "render budget exceeded: value nested deeper than " +
                           std::to_string(limits.depth_max) + " levels");
  }
  return out;
}

}  // namespace

void append_value(std::string& out, const Value& value) {
  if (value.is_string()) {
    out += value.as_string();
  } else {
    Printer(out).print_operand(value, 'v');
  }
}

std::string format_value(const Value& value) {
  std::string out;
  append_value(out, value);
  return out;
}

std::string sprint(std::span<const Value> operands) {
  std::string out;
  Printer printer(out);
  print_all(printer, out, operands, Spacing::kBetweenNonStrings);
  return out;
}

std::string sprintln(std::span<const Value> operands) {
  std::string out;
  Printer printer(out);
  print_all(printer, out, operands, Spacing::kAlways);
  return out;
}

std::string sprintf(std::string_view format, std::span<const Value> operands) {
  std::string out;
  Printer printer(out);
  Formatter(printer, out, format, operands).run();
  return out;
}

base::Result<std::string> format_value_within(base::Budget& budget, const Value& value) {
  return charged(budget,
                 [&](Printer& printer, std::string&) { printer.print_operand(value, 'v'); });
}

base::Result<std::string> sprint_within(base::Budget& budget, std::span<const Value> operands) {
  return charged(budget, [&](Printer& printer, std::string& out) {
    print_all(printer, out, operands, Spacing::kBetweenNonStrings);
  });
}

base::Result<std::string> sprintln_within(base::Budget& budget, std::span<const Value> operands) {
  return charged(budget, [&](Printer& printer, std::string& out) {
    print_all(printer, out, operands, Spacing::kAlways);
  });
}

base::Result<std::string> sprintf_within(base::Budget& budget, std::string_view format,
                                         std::span<const Value> operands) {
  return charged(budget, [&](Printer& printer, std::string& out) {
    Formatter(printer, out, format, operands).run();
  });
}

}  // namespace chartwright::go
