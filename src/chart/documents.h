// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace chartwright::chart {

/// One document of a stream and how many lines come before it.
struct YamlDocument {
  std::string text;
  int lines_before = 0;
};

/// Documents between lines of "---", which only blanks and a comment may follow; documents without
/// any line are left out. Error: kParse with the line.
/// Source: k8s.io/apimachinery pkg/util/yaml/decoder.go YAMLReader.
base::Result<std::vector<YamlDocument>> split_documents(std::string_view text);

}  // namespace chartwright::chart
