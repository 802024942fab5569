// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace chartwright::helm {

/// One document of a stream and how many lines come before it.
struct YamlDocument {
  std::string text;
  int lines_before = 0;
};

/// Documents between lines of "---", which only blanks and a comment may follow; documents without
/// any line are left out. Source: k8s.io/apimachinery pkg/util/yaml/decoder.go YAMLReader.
class DocumentReader {
 public:
  /// The text must outlive the reader.
  explicit DocumentReader(std::string_view text) : rest_(text) {}

  /// The next document; nullopt at the end. Error: kParse with the line of a wrong separator.
  base::Result<std::optional<YamlDocument>> next();

 private:
  std::string_view rest_;
  int lines_ = 0;  // Read so far.
};

/// All documents. Error: as DocumentReader.
base::Result<std::vector<YamlDocument>> split_documents(std::string_view text);

}  // namespace chartwright::helm
