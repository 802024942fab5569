// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "helm/schema/schema_source.h"

namespace chartwright::helm {

/// Where the documents come from that a chart's schemas refer to by URL.
struct SchemaSources {
  /// Whether those in operator/schemas/ are used, before others.
  enum class Vendored : uint8_t { kUsed, kIgnored };
  Vendored vendored = Vendored::kUsed;
  std::shared_ptr<const SchemaSource> elsewhere;  ///< nullptr: nowhere else.
};

/// Returns where the document at `url` is, or would be, in the folder operator/:
/// "schemas/https/example.com/a/b.json". Different URLs have different paths, of characters that
/// any file system has; none leaves the folder, and no file is the folder of another.
std::string vendored_path(std::string_view url);

/// The documents that a chart's schemas refer to. The references must outlive it.
class ChartSchemas final : public SchemaSource {
 public:
  /// `operator_files` are the files of operator/, by their path in that folder.
  ChartSchemas(const std::map<std::string, std::string>& operator_files,
               const SchemaSources& sources)
      : operator_files_(operator_files), sources_(sources) {}
  /// Errors: kSchema with what to do if there is nowhere to load from, else those of the source.
  base::Result<std::string> load(const std::string& url) const override;

 private:
  const std::map<std::string, std::string>& operator_files_;
  const SchemaSources& sources_;
};

}  // namespace chartwright::helm
