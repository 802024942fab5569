// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "suite/typed_yaml.h"
#include "value/path.h"
#include "value/value.h"

namespace chartwright::suite {

/// A document of a suite file, and the warnings about it.
struct SuiteText {
  const yaml::Document& written;
  size_t lines_before;
  const std::string& file;
  std::vector<std::string>& warnings;
};

/// A map of a suite file, whose members are read by name. The text must outlive it.
class SuiteMap {
 public:
  using Steps = std::vector<value::Path::Step>;

  /// Error: kParse if the value is neither a map nor nil.
  static base::Result<SuiteMap> open(const SuiteText& text, const value::Value& v, Steps steps);

  /// Returns the member, or nil.
  value::Value get(std::string_view key);
  bool has(std::string_view key) const { return v_.find(key) != nullptr; }
  // Each reads the member into a variable, which a missing member and nil leave unchanged. Error:
  // kParse if it has another type.
  base::Status text(std::string_view key, std::string& into);
  base::Status boolean(std::string_view key, bool& into);
  base::Status integer(std::string_view key, int64_t& into);
  base::Status integer(std::string_view key, std::optional<int64_t>& into);
  base::Status texts(std::string_view key, std::vector<std::string>& into);
  base::Status dict(std::string_view key, value::Value& into);
  base::Result<SuiteMap> map(std::string_view key);
  /// Returns the items of a list.
  base::Result<std::vector<value::Value>> list(std::string_view key);

  /// Warns of each member that was not read.
  void finish();
  /// Error: kParse for the first member that was not read.
  base::Status finish_strictly() const;

  Steps steps_to(std::string_view key) const;
  const SuiteText& source() const { return text_; }
  const value::Value& value() const { return v_; }
  /// Returns the position of a member, or of the map if there is no such member.
  base::SourcePos pos(std::string_view key = {}) const;
  base::Error error(std::string_view key, std::string_view problem) const;

 private:
  SuiteMap(const SuiteText& text, value::Value v, Steps steps)
      : text_(text), v_(std::move(v)), steps_(std::move(steps)) {}
  bool was_read(std::string_view key) const;
  /// Says that a key is unknown, and which one may be meant.
  std::string unknown(std::string_view key) const;
  base::Error wrong(std::string_view key, std::string_view wanted) const;

  const SuiteText& text_;
  value::Value v_;
  Steps steps_;
  std::vector<std::string> read_;
};

}  // namespace chartwright::suite
