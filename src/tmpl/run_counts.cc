// SPDX-License-Identifier: Apache-2.0
#include "tmpl/run_counts.h"

namespace chartwright::tmpl {

void SourceCounts::add(const SourceCounts& other) {
  for (const auto& [pos, count] : other.at_) {
    Count& own = at_[pos];
    own.runs += count.runs;
    own.bodies += count.bodies;
    own.others += count.others;
  }
}

SourceCounts::Count SourceCounts::at(size_t pos) const {
  const auto found = at_.find(pos);
  return found != at_.end() ? found->second : Count();
}

RunCounts::RunCounts(const std::set<std::string>& sources) {
  for (const std::string& source : sources) {
    sources_.try_emplace(source);
  }
}

SourceCounts* RunCounts::of(std::string_view source) {
  const auto found = sources_.find(source);
  return found != sources_.end() ? &found->second : nullptr;
}

const SourceCounts* RunCounts::of(std::string_view source) const {
  const auto found = sources_.find(source);
  return found != sources_.end() ? &found->second : nullptr;
}

void RunCounts::add(const RunCounts& other) {
  for (const auto& [source, counts] : other.sources_) {
    if (SourceCounts* const own = of(source)) {
      own->add(counts);
    }
  }
}

}  // namespace chartwright::tmpl
