// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "helm/funcs/families.h"
#include "helm/funcs/go_value.h"

// Source: Masterminds/sprig v3.3.0 numeric.go: until, untilStep, seq.
namespace chartwright::helm::funcs {
namespace {

__extension__ using Wide = __int128;  // Wide enough for any difference of two int64.

// The numbers from `start` up to but not including `stop`, in increments of `step`.
struct Steps {
  int64_t start;
  int64_t stop;
  int64_t step;

  // Returns 0 if the step leads away from `stop`.
  Wide count() const {
    const Wide distance = Wide{stop} - start;
    if (distance == 0 || step == 0 || (distance > 0) != (step > 0)) {
      return 0;
    }
    const Wide size = step > 0 ? Wide{step} : -Wide{step};
    return ((distance > 0 ? distance : -distance) + size - 1) / size;
  }
};

// Charges for all numbers before creating the first.
Result<std::vector<int64_t>> numbers(CallContext& ctx, const Steps& steps) {
  const Wide count = steps.count();
  const Wide most = Wide{INT64_MAX} / static_cast<Wide>(sizeof(Value));
  CW_TRY_VOID(charge_items(ctx, static_cast<size_t>(count < most ? count : most)));
  std::vector<int64_t> out;
  out.reserve(static_cast<size_t>(count));
  Wide next = steps.start;
  for (Wide i = 0; i < count; ++i, next += steps.step) {
    out.push_back(static_cast<int64_t>(next));
  }
  return out;
}

Result<Value> until_step(CallContext& ctx, int64_t start, int64_t stop, int64_t step) {
  CW_TRY(const std::vector<int64_t> made, numbers(ctx, {start, stop, step}));
  std::vector<Value> items;
  items.reserve(made.size());
  for (int64_t number : made) {
    items.push_back(Value::integer(number, value::IntType::kInt));
  }
  return Value::list(std::move(items), value::kIntList);
}

Result<Value> until(CallContext& ctx, int64_t count) {
  return until_step(ctx, 0, count, count < 0 ? -1 : 1);
}

Result<std::string> spaced(CallContext& ctx, const Steps& steps) {
  CW_TRY(const std::vector<int64_t> made, numbers(ctx, steps));
  std::string out;
  for (int64_t number : made) {
    if (!out.empty()) {
      out += ' ';
    }
    out += std::to_string(number);
  }
  return out;
}

// Implements seq END | START END | START STEP END; the end is inclusive.
Result<std::string> seq(CallContext& ctx, Rest<int64_t> numbers_given) {
  const size_t count = numbers_given.size();
  if (count == 0 || count > 3) {
    return std::string();
  }
  const int64_t start = count == 1 ? 1 : numbers_given[0];
  const int64_t end = numbers_given[count - 1];
  const int64_t direction = end < start ? -1 : 1;
  const int64_t step = count == 3 ? numbers_given[1] : direction;
  if (count == 3 && direction < 0 && step > 0) {
    return std::string();
  }
  const auto past_end =
      static_cast<int64_t>(static_cast<uint64_t>(end) + static_cast<uint64_t>(direction));
  return spaced(ctx, {start, past_end, step});
}

}  // namespace

void add_sequences(Table& table) {
  table.add("until", until);
  table.add("untilStep", until_step);
  table.add("seq", seq);
}

}  // namespace chartwright::helm::funcs
