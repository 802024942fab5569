// SPDX-License-Identifier: Apache-2.0
#include "subject/record_meter.h"

#include <cstddef>
#include <vector>

namespace chartwright::op {

base::Histogram& RecordMeter::series(const std::string& kind) {
  constexpr double kKib = 1024;
  static const std::vector<double> kBounds = {16 * kKib,  64 * kKib,  256 * kKib,
                                              512 * kKib, 768 * kKib, 896 * kKib};
  return metrics_.histogram(
      {"chartwright_record_bytes", "Size of the release records that were made, of at most 1 MiB"},
      kBounds, {{"kind", kind}});
}

// Secrets are limited by the size of their data without its base64.
void RecordMeter::measure(const std::string& kind, const value::Value& secret) {
  const size_t bytes = secret.string_at({"data", "release"}).size() / 4 * 3;
  series(kind).observe(static_cast<double>(bytes));
}

}  // namespace chartwright::op
