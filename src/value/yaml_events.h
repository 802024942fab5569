// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::value {

enum class YamlEventKind : uint8_t {
  kStreamEnd,
  kDocumentStart,
  kDocumentEnd,
  kAlias,
  kScalar,
  kSequenceStart,
  kSequenceEnd,
  kMappingStart,
  kMappingEnd,
};

/// One step of a walk through a YAML stream.
struct YamlEvent {
  YamlEventKind kind = YamlEventKind::kStreamEnd;
  /// The scalar is plain, or tagged "!": it may be a merge key, and untagged its text decides its
  /// type.
  bool implicit = false;
  int line = 0;        ///< 1-based.
  int column = 0;      ///< 1-based.
  std::string anchor;  ///< Defined by a node or named by an alias; empty for none.
  std::string tag;     ///< A scalar's full tag; empty for none.
  std::string value;   ///< A scalar's text.
};

/// Turns YAML 1.1 text into events. The text must outlive it. Not thread-safe.
class YamlEvents {
 public:
  explicit YamlEvents(std::string_view text);
  ~YamlEvents();
  YamlEvents(const YamlEvents&) = delete;
  YamlEvents& operator=(const YamlEvents&) = delete;

  /// The next event; kStreamEnd again and again after the end. Error: kParse with go-yaml's text
  /// ("yaml: line 2: did not find expected key") and the true line and column; final.
  base::Result<YamlEvent> next();

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace chartwright::value
