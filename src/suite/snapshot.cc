// SPDX-License-Identifier: Apache-2.0
#include "suite/snapshot.h"

#include "base/strings.h"
#include "go/regexp.h"
#include "helm/render/pretty_yaml.h"
#include "suite/typed_yaml.h"

namespace chartwright::suite {

using value::Value;

base::Result<SnapshotTexts> Snapshots::parse(std::string_view text) {
  CW_TRY(const Value file, parse_typed_yaml(text));
  const base::Error malformed(
      base::ErrorCode::kParse,
      "a snapshot file is a map of tests, each of which maps numbers to texts");
  SnapshotTexts texts;
  if (file.is_nil()) {
    return texts;
  }
  if (!file.is_dict()) {
    return malformed;
  }
  for (const auto& [job, entries] : file.as_dict()) {
    if (!entries.is_dict()) {
      return malformed;
    }
    for (const auto& [number, entry] : entries.as_dict()) {
      const auto index = base::parse_int(number);
      if (!index || !entry.is_string()) {
        return malformed;
      }
      texts[job][*index] = entry.as_string();
    }
  }
  return texts;
}

Snapshots Snapshots::of_job(const std::string& job) const {
  const auto found = cached_.find(job);
  return {found == cached_.end() ? SnapshotTexts() : SnapshotTexts{*found}, use_};
}

void Snapshots::begin(const std::string& job) {
  job_ = job;
  number_ = 0;
}

base::Result<Snapshots::Comparison> Snapshots::compare(const Value& v, const Patterns& patterns) {
  Comparison result{.passed = true, .index = ++number_};
  CW_TRY(result.found, typed_yaml(v));
  ++total_;
  const auto job = cached_.find(job_);
  const bool existed = job != cached_.end() && job->second.contains(number_);
  inserted_ += existed ? 0 : 1;
  result.stored = existed ? job->second.at(number_) : "";
  const std::string match(base::trim(patterns.match));
  const std::string not_match(base::trim(patterns.not_match));
  if (!match.empty()) {
    CW_TRY(const auto pattern, go::Regexp::compile(match));
    result.passed = pattern.matches(result.found);
    result.message = result.passed ? "" : " pattern '" + match + "' not found in snapshot";
  }
  if (!not_match.empty() && result.passed) {
    CW_TRY(const auto pattern, go::Regexp::compile(not_match));
    result.passed = !pattern.matches(result.found);
    result.message = result.passed ? "" : " pattern '" + not_match + "' should not be in snapshot";
  }
  if (match.empty() && not_match.empty() && existed && result.found != result.stored) {
    result.passed = false;
    ++updated_;
  }
  const bool takes = use_ == SnapshotUse::kUpdate || !existed;
  current_[job_][number_] = takes ? result.found : result.stored;
  result.passed = result.passed || use_ == SnapshotUse::kUpdate;
  return result;
}

SnapshotCounts Snapshots::counts() const {
  SnapshotCounts counts{.total = total_, .created = inserted_};
  counts.failed = use_ == SnapshotUse::kUpdate ? 0 : updated_;
  for (const auto& [job, texts] : cached_) {
    const auto now = current_.find(job);
    for (const auto& [number, text] : texts) {
      counts.vanished += now == current_.end() || !now->second.contains(number) ? 1 : 0;
    }
  }
  return counts;
}

bool Snapshots::is_changed() const {
  return inserted_ > 0 || counts().vanished > 0 || (use_ == SnapshotUse::kUpdate && updated_ > 0);
}

base::Result<std::string> Snapshots::text() const {
  // Keys of the file are numbers, those of our values strings. They are written as k1, k2, … and
  // lose the letter afterwards: only they follow two spaces, as the texts have more indentation.
  Value file = Value::dict();
  for (const auto& [job, texts] : current_) {
    Value entries = Value::dict();
    for (const auto& [number, text] : texts) {
      entries.mutable_dict().set("k" + std::to_string(number), Value::string(text));
    }
    file.mutable_dict().set(job, std::move(entries));
  }
  CW_TRY(const std::string written, helm::pretty_yaml(file));
  std::string out;
  for (std::string_view rest = written; !rest.empty();) {
    const size_t end = rest.find('\n') + 1;
    std::string_view line = rest.substr(0, end == 0 ? rest.size() : end);
    rest.remove_prefix(line.size());
    if (line.starts_with("  k") || line.starts_with(": k")) {
      out += line.substr(0, 2);
      line.remove_prefix(3);
    }
    out += line;
  }
  return out;
}

}  // namespace chartwright::suite
