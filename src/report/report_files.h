// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/secret_mask.h"
#include "value/value.h"

namespace chartwright::cmd {

/// The part of a text that is kept if it is too long.
enum class Keep : uint8_t { kBegin, kEnd };

/// Collects the files of a report, as many and as long as it may have, and what is missing.
class ReportFiles {
 public:
  static constexpr size_t kFileBytesMax = size_t{2} << 20;
  static constexpr size_t kTotalBytesMax = size_t{64} << 20;
  static constexpr size_t kFilesMax = 5000;
  static constexpr size_t kGapsMax = 1000;

  /// Adds a text under the name that these folders and the last one, of a file, make: of any
  /// characters, of which only those stay that every file system takes. A name that there is gets a
  /// number.
  void add(const std::vector<std::string>& path, std::string text, Keep keep = Keep::kBegin);
  /// Adds an object, which will be YAML. One that is too long is a gap.
  void add_object(const std::vector<std::string>& path, const value::Value& object);
  /// Notes what is missing, once: one line.
  void gap(std::string_view what);
  const std::vector<std::string>& gaps() const { return gaps_; }
  size_t size() const { return files_.size(); }

  /// Returns the texts by their names, with errors.txt, in which the gaps are. All are masked.
  std::map<std::string, std::string> take(const host::SecretMask& mask);

 private:
  enum class Form : uint8_t {
    kText,
    kObject,  ///< In JSON. Lines of YAML are folded, which would hide secrets from the mask.
  };
  struct File {
    Form form;
    std::string text;
  };

  std::string free_name(const std::vector<std::string>& path) const;
  void put(const std::string& name, File file);

  std::map<std::string, File> files_;
  std::vector<std::string> gaps_;
  size_t bytes_ = 0;
  bool is_full_ = false;
};

}  // namespace chartwright::cmd
