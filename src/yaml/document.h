// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/json.h"
#include "value/value.h"

namespace chartwright::yaml {

struct DocumentEntry;

/// A node of a YAML configuration file with its position, for decoding that rejects anything
/// unknown. Immutable once parsed.
struct DocumentNode {
  enum class Kind : uint8_t { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  bool plain = false;                  ///< A scalar without quotes.
  base::SourcePos pos;                 ///< Where the node starts.
  std::string path;                    ///< "[0].chart"; empty for the root.
  std::string tag;                     ///< A scalar's full explicit tag; empty for none.
  std::string text;                    ///< A scalar's text, with quotes and escapes resolved.
  std::vector<DocumentNode> items;     ///< For a list.
  std::vector<DocumentEntry> entries;  ///< For a map, in the order of the file; keys are unique.

  /// Returns the member with that name, or nullptr.
  const DocumentNode* find(std::string_view key) const;
};

struct DocumentEntry {
  DocumentNode key;  ///< A scalar.
  DocumentNode value;
};

/// Whether merge keys (<<) are an error, or members like others.
enum class MergeKeys : uint8_t { kRefuse, kKeep };

/// Parses a file that holds one YAML document (an empty file is kNull). `file` is the file name in
/// every position. Anchors are expanded. Errors, all with a position:
/// kParse for malformed text, duplicate keys, keys that are not scalars, and a second document;
/// kBudget for files that are too long, nested too deeply, or too large once anchors are expanded.
base::Result<DocumentNode> parse_document(std::string_view text, const std::string& file,
                                          MergeKeys merge_keys = MergeKeys::kRefuse);

// Each of these decodes a node of the kind in its name. Error: kParse with the node's position,
// "[0].chart: expected a string, got a list".
base::Result<std::string> document_string(const DocumentNode& node);
/// Accepts any scalar, as Go does for a string field of a struct: 1.10 is "1.1", yes is "true".
base::Result<std::string> document_text(const DocumentNode& node);
base::Result<bool> document_bool(const DocumentNode& node);
base::Result<int64_t> document_int(const DocumentNode& node);
/// Treats null as an empty list.
base::Result<const std::vector<DocumentNode>*> document_list(const DocumentNode& node);

/// Returns the value that parse_yaml gives for the same text. Error: kParse with a position.
base::Result<value::Value> document_value(const DocumentNode& node, value::Numbers numbers);

/// Returns the error kParse for a node with wrong content: its path and position, then `problem`.
base::Error document_error(const DocumentNode& node, std::string_view problem);
/// Like document_error, with kInvalidArgument: the node can be read, but may not say this.
base::Error invalid_node(const DocumentNode& node, std::string_view problem);

/// Reports whether a file of this name is taken for YAML.
bool has_yaml_name(std::string_view path);

/// Reads the members of a map by name, then rejects those that were not read.
///
///   CW_TRY(MapReader map, MapReader::open(node));
///   CW_TRY(const DocumentNode* chart, map.require("chart"));
///   CW_TRY_VOID(map.finish());
class MapReader {
 public:
  /// `node` must outlive the reader. Error: kParse if it is not a map.
  static base::Result<MapReader> open(const DocumentNode& node);

  /// Returns the member, or nullptr if it is missing or null.
  const DocumentNode* find(std::string_view key);
  /// Returns the member. Error, also for a null value: kParse `missing key "chart"` at the map's
  /// position or, if a key that was not read yet looks like it, at that one, with its name.
  base::Result<const DocumentNode*> require(std::string_view key);
  /// Returns the text of the member; "" if it is missing or null. Error: as document_text.
  base::Result<std::string> text(std::string_view key);
  /// Accepts a key without reading it.
  void ignore(std::string_view key) { known_.push_back(key); }
  /// Error: kParse `unknown key "chrt", did you mean "chart"?` at the first key that was not read.
  /// The names given to find, require, text and ignore must still exist.
  base::Status finish() const;

 private:
  explicit MapReader(const DocumentNode& node) : node_(&node) {}
  const DocumentNode* node_;
  std::vector<std::string_view> known_;
};

}  // namespace chartwright::yaml
