// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace chartwright::record {

/// A file of a chart, which must outlive this.
struct ChartFile {
  std::string_view name;  ///< "templates/service.yaml".
  std::string_view data;
};

/// The part of a chart that its record has beside metadata and values.
struct ChartFiles {
  value::Value lock;                       ///< Chart.lock: a dict, or nil.
  std::optional<std::string_view> schema;  ///< values.schema.json.
  std::vector<ChartFile> templates;
  std::vector<ChartFile> files;
};

/// The same, compressed, so that a chart is compressed once and not for each record. Each text ends
/// the JSON of a record, `"files":[...],...}}`, as a gzip member of its own: the record is the
/// members one after another, which RFC 1952 and Go's reader take for one text. Immutable.
struct PackedChart {
  /// With all files, and with the templates alone, unless they are far too large. A record has the
  /// first that fits.
  std::vector<std::string> choices;
};

/// Packs the files of a chart. Errors: those of gzip.
base::Result<std::shared_ptr<const PackedChart>> pack_chart(const ChartFiles& chart);

/// Packs the `chart` of a record that was written in one piece, with all that it has; nullptr if it
/// has no files. Errors: those of value::to_json and gzip.
base::Result<std::shared_ptr<const PackedChart>> pack_chart(const value::Value& chart);

/// The files of a chart that a record has, as far as they fitted into it.
struct UnpackedChart {
  struct File {
    std::string name;
    std::string data;
  };
  std::vector<File> templates;
  std::vector<File> files;
};

/// Reads back what pack_chart has packed. Anyone may have written it. Errors: kParse, and kBudget
/// where it is larger than what is packed.
base::Result<UnpackedChart> unpack_chart(const PackedChart& packed);

/// Returns the end of a record's JSON for a chart of which no files are known.
std::string_view end_without_files();

}  // namespace chartwright::record
