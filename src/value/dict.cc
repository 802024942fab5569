// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "value/value.h"

namespace chartwright::value {
namespace {

/// The most entries that an insertion or erasure moves: a microsecond's work.
constexpr size_t kMovedMax = 128;

bool key_less(const Dict::Entry& entry, std::string_view key) { return entry.first < key; }
bool less_key(std::string_view key, const Dict::Entry& entry) { return key < entry.first; }

// Stable. Unlike std::stable_sort it allocates no memory, which would cost more than sorting
// a few entries.
void insertion_sort(std::vector<Dict::Entry>& entries) {
  for (size_t i = 1; i < entries.size(); ++i) {
    if (entries[i - 1].first <= entries[i].first) {
      continue;
    }
    Dict::Entry moved = std::move(entries[i]);
    size_t to = i;
    while (to > 0 && moved.first < entries[to - 1].first) {
      entries[to] = std::move(entries[to - 1]);
      --to;
    }
    entries[to] = std::move(moved);
  }
}

}  // namespace

Dict::Dict(std::vector<Entry> entries) : first_(std::move(entries)) {
  const auto less = [](const Entry& a, const Entry& b) { return a.first < b.first; };
  constexpr size_t kFew = 16;
  if (first_.size() <= kFew) {
    insertion_sort(first_);
  } else if (!std::is_sorted(first_.begin(), first_.end(), less)) {
    std::stable_sort(first_.begin(), first_.end(), less);
  }
  // Goes from back to front, so that std::unique keeps the last of equal keys.
  const auto same_key = [](const Entry& a, const Entry& b) { return a.first == b.first; };
  const auto kept = std::unique(first_.rbegin(), first_.rend(), same_key);
  first_.erase(first_.begin(), kept.base());
}

Dict::Dict(const Dict& other) : first_(other.first_) {
  if (other.rest_ == nullptr) {
    return;
  }
  first_.reserve(other.size());
  for (const Run& run : other.rest_->runs) {
    first_.insert(first_.end(), run.begin(), run.end());
  }
}

const Dict::Run& Dict::find_run(std::string_view key) const {
  const auto starts_after = [](std::string_view wanted, const Run& run) {
    return wanted < run.front().first;
  };
  const auto next = std::upper_bound(rest_->runs.begin(), rest_->runs.end(), key, starts_after);
  return next == rest_->runs.begin() ? first_ : *std::prev(next);
}

Dict::Place Dict::place_of(std::string_view key) {
  Run& run = const_cast<Run&>(run_of(key));
  // Keys mostly arrive in order (parsers, sorted copies), so check the end first.
  if (run.empty() || run.back().first < key) {
    return {&run, run.end(), false};
  }
  const auto at = std::lower_bound(run.begin(), run.end(), key, key_less);
  return {&run, at, at->first == key};
}

Dict::const_iterator Dict::after(std::string_view key) const {
  const Run& run = run_of(key);
  const auto at = std::upper_bound(run.begin(), run.end(), key, less_key);
  // Only the first entry of all has none before it in its run.
  return at == run.begin() ? begin() : ++iterator_at(run, &*std::prev(at));
}

const Value* Dict::find(std::string_view key) const {
  const Run& run = run_of(key);
  const auto at = std::lower_bound(run.begin(), run.end(), key, key_less);
  return at != run.end() && at->first == key ? &at->second : nullptr;
}

Value* Dict::find(std::string_view key) {
  const Place place = place_of(key);
  return place.found ? &place.at->second : nullptr;
}

Value& Dict::at_or_insert(std::string_view key) {
  Place place = place_of(key);
  if (place.found) {
    return place.at->second;
  }
  if (place.at != place.run->end() && place.run->size() >= kMovedMax) {
    split(*place.run);
    place = place_of(key);
  }
  if (rest_ != nullptr) {
    ++rest_->size;
  }
  return place.run->emplace(place.at, std::string(key), Value())->second;
}

void Dict::set(std::string_view key, Value v) { at_or_insert(key) = std::move(v); }

bool Dict::erase(std::string_view key) {
  Place place = place_of(key);
  if (!place.found) {
    return false;
  }
  if (place.run->end() - place.at > static_cast<std::ptrdiff_t>(kMovedMax)) {
    split(*place.run);
    place = place_of(key);
  }
  place.run->erase(place.at);
  if (rest_ != nullptr) {
    --rest_->size;
    if (place.run->empty()) {
      remove(*place.run);
    }
  }
  return true;
}

// Divides a run into halves of the longest that may be moved. A longer run, made whole or at its
// end, is divided once: each entry pays for it once.
void Dict::split(Run& run) {
  if (rest_ == nullptr) {
    rest_ = std::make_unique<Rest>(Rest{.runs = {}, .size = first_.size()});
  }
  constexpr size_t kHalf = kMovedMax / 2;
  std::vector<Run> parts;
  for (size_t from = 0; from < run.size(); from += kHalf) {
    const auto begin = std::move_iterator(run.begin() + static_cast<std::ptrdiff_t>(from));
    const size_t size = std::min(kHalf, run.size() - from);
    parts.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
  }
  std::vector<Run>& runs = rest_->runs;
  const auto next = &run == &first_ ? runs.begin() : runs.begin() + (&run - runs.data()) + 1;
  run = std::move(parts.front());
  runs.insert(next, std::move_iterator(parts.begin() + 1), std::move_iterator(parts.end()));
}

// Removes an empty run of several.
void Dict::remove(const Run& run) {
  std::vector<Run>& runs = rest_->runs;
  if (&run == &first_) {
    first_ = std::move(runs.front());
    runs.erase(runs.begin());
  } else {
    runs.erase(runs.begin() + (&run - runs.data()));
  }
  if (runs.empty()) {
    rest_.reset();
  }
}

}  // namespace chartwright::value
