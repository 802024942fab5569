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

/// A node of a YAML configuration file with its place, for decoding that objects to everything it
/// does not know. Immutable once parsed.
struct DocumentNode {
  enum class Kind : uint8_t { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  bool plain = false;                  ///< A scalar without quotes.
  base::SourcePos pos;                 ///< Where the node starts.
  std::string path;                    ///< "[0].chart"; empty for the root.
  std::string tag;                     ///< A scalar's full explicit tag; empty for none.
  std::string text;                    ///< A scalar as written, quotes and escapes resolved.
  std::vector<DocumentNode> items;     ///< Of a list.
  std::vector<DocumentEntry> entries;  ///< Of a map, in the order of the file; keys are unique.

  /// The member of that name, or null.
  const DocumentNode* find(std::string_view key) const;
};

struct DocumentEntry {
  DocumentNode key;  ///< A scalar.
  DocumentNode value;
};

/// Parses a file that holds one YAML document (an empty one is kNull). `file` is the name in every
/// place. Anchors are expanded; merge keys are an error. Errors, all with a place: kParse for
/// malformed text, duplicate keys, keys that are no scalars and a second document; kBudget for
/// files that are too long, nested too deeply or unfold too far.
base::Result<DocumentNode> parse_document(std::string_view text, const std::string& file);

// Each of these decodes a node of the kind its name says. Error: kParse with the node's place,
// "[0].chart: expected a string, got a list".
base::Result<std::string> document_string(const DocumentNode& node);
/// Accepts any scalar, as Go does where a struct has a string field: 1.10 is "1.1", yes is "true".
base::Result<std::string> document_text(const DocumentNode& node);
base::Result<bool> document_bool(const DocumentNode& node);
base::Result<int64_t> document_int(const DocumentNode& node);
/// Null counts as an empty list.
base::Result<const std::vector<DocumentNode>*> document_list(const DocumentNode& node);

/// The value that parse_yaml gives for the same text. Error: kParse with a place.
base::Result<value::Value> document_value(const DocumentNode& node, value::Numbers numbers);

/// The error for a node whose content is wrong: its path and place, then `problem`.
base::Error document_error(const DocumentNode& node, std::string_view problem);

/// Reads the members of a map by name and afterwards objects to those that nobody has asked for.
///
///   CW_TRY(MapReader map, MapReader::open(node));
///   CW_TRY(const DocumentNode* chart, map.require("chart"));
///   CW_TRY_VOID(map.finish());
class MapReader {
 public:
  /// `node` must outlive the reader. Error: kParse where it is no map.
  static base::Result<MapReader> open(const DocumentNode& node);

  /// The member, or null where there is none or its value is null.
  const DocumentNode* find(std::string_view key);
  /// Error: kParse `missing key "chart"` at the map's place, also for a null value.
  base::Result<const DocumentNode*> require(std::string_view key);
  /// Lets a key pass without reading it.
  void ignore(std::string_view key) { known_.push_back(key); }
  /// Error: kParse `unknown key "chrt", did you mean "chart"?` at the first key not asked for. The
  /// names given to find, require and ignore must still exist.
  base::Status finish() const;

 private:
  explicit MapReader(const DocumentNode& node) : node_(&node) {}
  const DocumentNode* node_;
  std::vector<std::string_view> known_;
};

}  // namespace chartwright::yaml
