// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace chartwright::helm {

/// A document of a stream and the number of lines before it.
struct YamlDocument {
  std::string text;
  int lines_before = 0;
};

/// Splits a stream into documents at "---" lines, on which only blanks and a comment may follow.
/// Skips documents that have no lines.
/// Source: k8s.io/apimachinery pkg/util/yaml/decoder.go YAMLReader.
class DocumentReader {
 public:
  /// `text` must outlive the reader.
  explicit DocumentReader(std::string_view text) : rest_(text) {}

  /// Returns the next document; nullopt at the end. Error: kParse with the line of a malformed
  /// separator.
  base::Result<std::optional<YamlDocument>> next();

 private:
  std::string_view rest_;
  int lines_ = 0;  // Lines read so far.
};

/// Returns all documents of a stream. Error: as DocumentReader::next.
base::Result<std::vector<YamlDocument>> split_documents(std::string_view text);

}  // namespace chartwright::helm
