// SPDX-License-Identifier: Apache-2.0
#include "test/sim/plan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"

namespace chartwright::sim {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

constexpr std::array<int, 4> kStatuses = {409, 429, 500, 503};

Error bad_line(size_t number, std::string_view line, std::string_view wanted) {
  return Error(ErrorCode::kParse, "line " + std::to_string(number) + ": \"" + std::string(line) +
                                      "\": " + std::string(wanted));
}

// Splits at the last occurrence of `separator`.
std::optional<std::pair<std::string_view, std::string_view>> cut_last(std::string_view text,
                                                                      std::string_view separator) {
  const size_t at = text.rfind(separator);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  return std::pair(text.substr(0, at), text.substr(at + separator.size()));
}

std::optional<std::pair<std::string_view, std::string_view>> cut_first(std::string_view text,
                                                                       std::string_view separator) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  return std::pair(text.substr(0, at), text.substr(at + separator.size()));
}

std::optional<Occasion> parse_occasion(std::string_view text) {
  const auto numbered = cut_last(text, " #");
  const auto side = cut_first(text, " ");
  if (!numbered || !side || (side->first != "before" && side->first != "after")) {
    return std::nullopt;
  }
  const auto number = base::parse_int(numbered->second);
  if (!number || *number < 1) {
    return std::nullopt;
  }
  return Occasion{side->first == "before" ? Occasion::Side::kBefore : Occasion::Side::kAfter,
                  std::string(numbered->first.substr(side->first.size() + 1)),
                  static_cast<size_t>(*number)};
}

bool parse_action(std::string_view text, Incident& incident) {
  if (text == "crash" || text == "lose") {
    incident.kind = text == "crash" ? Incident::Kind::kCrash : Incident::Kind::kLose;
    return true;
  }
  const auto words = cut_first(text, " ");
  if (!words) {
    return false;
  }
  if (words->first == "refuse") {
    incident.kind = Incident::Kind::kRefuse;
    incident.status = static_cast<int>(base::parse_int(words->second).value_or(0));
    return incident.when.side == Occasion::Side::kBefore &&
           std::ranges::find(kStatuses, incident.status) != kStatuses.end();
  }
  if (words->first == "delay" || words->first == "freeze") {
    const auto delay = base::parse_go_duration(words->second);
    incident.kind = words->first == "delay" ? Incident::Kind::kDelay : Incident::Kind::kFreeze;
    incident.delay = delay.ok() ? *delay : base::Duration{};
    return delay.ok() && *delay > base::Duration{};
  }
  incident.kind = Incident::Kind::kStep;
  incident.step = std::string(words->second);
  return words->first == "step";
}

std::optional<Incident> parse_incident(std::string_view line) {
  const auto parts = cut_last(line, ": ");
  const auto when = parts ? parse_occasion(parts->first) : std::nullopt;
  if (!when) {
    return std::nullopt;
  }
  Incident incident{.when = *when};
  return parse_action(parts->second, incident) ? std::optional(incident) : std::nullopt;
}

std::optional<Deviation> parse_deviation(std::string_view line) {
  const auto parts = cut_first(line, ": ");
  const auto place = parts ? cut_last(parts->first, " at ") : std::nullopt;
  const auto point = place ? base::parse_int(place->second) : std::nullopt;
  if (!point || *point < 1) {
    return std::nullopt;
  }
  return Deviation{std::string(place->first), static_cast<uint64_t>(*point),
                   std::string(parts->second)};
}

bool parse_order_word(std::string_view word, Order& order) {
  const auto setting = cut_first(word, "=");
  if (!setting) {
    order.fine = word == "locks";
    return order.fine;
  }
  const auto number = base::parse_int(setting->second);
  if (!number || *number < 1) {
    return false;
  }
  if (setting->first == "choices" && order.kind == Order::Kind::kPriorities) {
    order.choices = static_cast<uint64_t>(*number);
    return true;
  }
  order.number = static_cast<unsigned>(*number);
  return setting->first == (order.kind == Order::Kind::kWalk ? "one-in" : "depth") &&
         order.kind != Order::Kind::kFirstCome;
}

std::optional<Order> parse_order(std::string_view text) {
  Order order;
  bool is_first = true;
  for (const std::string_view word : base::split(text, ' ')) {
    if (is_first && word == "walk") {
      order.kind = Order::Kind::kWalk;
    } else if (is_first && word == "priorities") {
      order.kind = Order::Kind::kPriorities;
    } else if (is_first ? word != "first-come" : !parse_order_word(word, order)) {
      return std::nullopt;
    }
    is_first = false;
  }
  const bool needs_number = order.kind != Order::Kind::kFirstCome;
  return needs_number && order.number == 0 ? std::nullopt : std::optional(order);
}

/// Reads the lines of a plan.
class PlanReader {
 public:
  Result<Plan> read(std::string_view text) {
    size_t number = 0;
    for (const std::string_view line : base::split(text, '\n')) {
      ++number;
      const std::string_view trimmed = base::trim(line);
      if (trimmed.empty() || trimmed.starts_with('#')) {
        continue;
      }
      const std::string_view wanted = line.starts_with("  ") ? item(trimmed) : setting(trimmed);
      if (!wanted.empty()) {
        return bad_line(number, trimmed, wanted);
      }
    }
    if (plan_.subject.empty()) {
      return Error(ErrorCode::kParse, "a plan needs a line \"subject: NAME\"");
    }
    return std::move(plan_);
  }

 private:
  /// Each returns what was expected instead; empty if the line is good.
  std::string_view item(std::string_view line) {
    if (section_ == "do") {
      const auto incident = parse_incident(line);
      if (!incident) {
        return "expected \"before|after CALL #N: crash|lose|refuse CODE|delay D|freeze D|step S\"";
      }
      plan_.incidents.push_back(*incident);
      return {};
    }
    const auto deviation = section_ == "preempt" ? parse_deviation(line) : std::nullopt;
    if (!deviation) {
      return "expected \"THREAD at N: THREAD\" below \"preempt:\"";
    }
    plan_.order.deviations.push_back(*deviation);
    return {};
  }

  std::string_view setting(std::string_view line) {
    section_ = {};
    if (line == "do:" || line == "preempt:") {
      section_ = line.substr(0, line.size() - 1);
      return {};
    }
    const auto parts = cut_first(line, ": ");
    if (!parts) {
      return "expected \"KEY: VALUE\"";
    }
    const auto& [key, text] = *parts;
    if (key == "subject") {
      plan_.subject = text;
    } else if (key == "expect") {
      plan_.expect = text;
    } else if (key == "seed") {
      const auto seed = base::parse_int(text);
      plan_.seed = static_cast<uint64_t>(seed.value_or(0));
      return seed ? "" : "expected a number";
    } else if (key == "order") {
      auto order = parse_order(text);
      if (!order) {
        return "expected \"first-come|walk one-in=N|priorities depth=N choices=N [locks]\"";
      }
      order->deviations = std::move(plan_.order.deviations);
      plan_.order = *std::move(order);
    } else {
      return "expected subject, seed, order, do, preempt or expect";
    }
    return {};
  }

  Plan plan_;
  std::string_view section_;
};

std::string to_text(const Order& order) {
  std::string text = "first-come";
  if (order.kind == Order::Kind::kWalk) {
    text = "walk one-in=" + std::to_string(order.number);
  } else if (order.kind == Order::Kind::kPriorities) {
    text = "priorities depth=" + std::to_string(order.number) +
           " choices=" + std::to_string(order.choices);
  }
  return text + (order.fine ? " locks" : "");
}

std::string action_text(const Incident& incident) {
  switch (incident.kind) {
    case Incident::Kind::kCrash:
      return "crash";
    case Incident::Kind::kRefuse:
      return "refuse " + std::to_string(incident.status);
    case Incident::Kind::kLose:
      return "lose";
    case Incident::Kind::kDelay:
      return "delay " + base::format_go_duration(incident.delay);
    case Incident::Kind::kFreeze:
      return "freeze " + base::format_go_duration(incident.delay);
    case Incident::Kind::kStep:
      return "step " + incident.step;
  }
  return "";
}

}  // namespace

std::string to_text(const Incident& incident) {
  return std::string(incident.when.side == Occasion::Side::kBefore ? "before " : "after ") +
         incident.when.call + " #" + std::to_string(incident.when.number) + ": " +
         action_text(incident);
}

std::string to_text(const Plan& plan) {
  std::string text = "subject: " + plan.subject + "\nseed: " + std::to_string(plan.seed) +
                     "\norder: " + to_text(plan.order) + "\n";
  if (!plan.incidents.empty()) {
    text += "do:\n";
  }
  for (const Incident& incident : plan.incidents) {
    text += "  " + to_text(incident) + "\n";
  }
  if (!plan.order.deviations.empty()) {
    text += "preempt:\n";
  }
  for (const Deviation& one : plan.order.deviations) {
    text += "  " + one.thread + " at " + std::to_string(one.point) + ": " + one.to + "\n";
  }
  return text + "expect: " + plan.expect + "\n";
}

Result<Plan> parse_plan(std::string_view text) { return PlanReader().read(text); }

}  // namespace chartwright::sim
