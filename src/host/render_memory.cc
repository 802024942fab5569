// SPDX-License-Identifier: Apache-2.0
#include "host/render_memory.h"

#include <algorithm>

#include "kube/quantity.h"

namespace chartwright::host {
namespace {

using base::Error;
using base::ErrorCode;

constexpr size_t kMiB = size_t{1} << 20;
// For the process apart from renders: it needs some 20 MiB with a hundred custom resources. Half of
// that is pages of the binary and its libraries (docs/benchmarks.md).
constexpr size_t kBaseMin = 24 * kMiB;
// Twice what the largest chart in docs/reference/benchmarks.md needs.
constexpr size_t kShareMin = 24 * kMiB;
constexpr size_t kShareGood = 64 * kMiB;
constexpr size_t kShareMax = 512 * kMiB;
constexpr int64_t kFixedMaxMiB = int64_t{64} * 1024;

size_t share_of(size_t available, int renders) {
  const size_t each = available / static_cast<size_t>(renders);
  return each > RenderMemory::kStackBytes ? each - RenderMemory::kStackBytes : 0;
}

// Returns how many renders can have `share` bytes each.
int renders_of(size_t available, size_t share, int workers) {
  const size_t fitting = available / (share + RenderMemory::kStackBytes);
  return static_cast<int>(std::clamp<size_t>(fitting, 1, static_cast<size_t>(workers)));
}

size_t others(size_t usable, int workers) {
  return std::max(usable / 4, kBaseMin) + RenderMemory::page_bytes(usable) +
         static_cast<size_t>(workers) * RenderMemory::kLeftBytes;
}

}  // namespace

RenderMemory plan_render_memory(size_t usable, int workers, std::optional<size_t> fixed) {
  RenderMemory plan{.usable_bytes = usable,
                    .left_bytes = static_cast<size_t>(workers) * RenderMemory::kLeftBytes};
  const size_t taken = others(usable, workers);
  const size_t available = usable > taken ? usable - taken : 0;
  if (fixed) {
    plan.bytes = *fixed;
    plan.at_once = renders_of(available, *fixed, workers);
    return plan;
  }
  plan.at_once = renders_of(available, kShareGood, workers);
  if (plan.at_once == 1) {
    plan.at_once = renders_of(available, kShareMin, std::min(workers, 2));
  }
  plan.bytes = std::clamp(share_of(available, plan.at_once), kShareMin, kShareMax) / kMiB * kMiB;
  return plan;
}

bool fits(const RenderMemory& plan) {
  return plan.gate_bytes() + others(plan.usable_bytes, 0) <= plan.usable_bytes;
}

std::string memory_text(size_t bytes) {
  return bytes < kMiB ? std::to_string(bytes) : std::to_string(bytes / kMiB) + "Mi";
}

std::string RenderMemory::explanation(size_t share) const {
  std::string text = "One render may hold " + memory_text(share) + " of memory";
  text += share == bytes ? ": the operator may use " + memory_text(usable_bytes) +
                               " (its container's limit, or the machine's memory)"
                         : ", which watches.yaml says";
  return text +
         ". To raise it: resources.limits.memory of the operator's container, its flag "
         "--render-memory, or renderMemory of this kind in watches.yaml.";
}

base::Result<size_t> parse_render_memory(std::string_view text) {
  const auto wanted = kube::Quantity::parse(text);
  const auto holds = [&wanted](const std::string& amount) {
    const auto other = kube::Quantity::parse(amount);
    return other.ok() && *other <= *wanted;
  };
  const std::string beyond = std::to_string(kFixedMaxMiB * 1024 + 1) + "Ki";
  if (!wanted.ok() || !holds("1Mi") || holds(beyond)) {
    return Error(ErrorCode::kInvalidArgument,
                 "\"" + std::string(text) +
                     "\" is not an amount of memory between 1Mi and 64Gi, such as \"64Mi\"");
  }
  int64_t low = 1;
  int64_t high = kFixedMaxMiB;
  while (low < high) {  // Finds the value in MiB, rounded down: quantities can only be compared.
    const int64_t middle = low + (high - low + 1) / 2;
    const bool fits_in = holds(std::to_string(middle) + "Mi");
    low = fits_in ? middle : low;
    high = fits_in ? high : middle - 1;
  }
  return static_cast<size_t>(low) * kMiB;
}

}  // namespace chartwright::host
