// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helm/analysis/abstract_value.h"

namespace chartwright::helm::analysis {

struct Output;
using OutputPtr = std::shared_ptr<const Output>;

/// The text that a template may write, for all values: a tree whose nodes may be shared. Immutable.
struct Output {
  enum class Kind : uint8_t {
    kText,      ///< `text`.
    kHole,      ///< Any text: the value at `path`, if that is known.
    kSequence,  ///< All of `parts`, one after another.
    kChoice,    ///< One of `parts`.
    kRepeated,  ///< `parts[0]`, any number of times.
    kIndented,  ///< `parts[0]` with `indent` spaces before each line.
  };

  Kind kind = Kind::kSequence;
  std::string_view text;  ///< Points into `owned` or the source of a template.
  std::string owned;
  std::vector<OutputPtr> parts;
  size_t indent = 0;
  Steps path;                        ///< kHole; empty if it is not a value of the chart.
  const tmpl::Tree* tree = nullptr;  ///< kHole, kText: the template that writes it, if known.
  size_t pos = 0;                    ///< The position in `tree`.

  static OutputPtr empty();
  /// `text` is at `pos` in the source of `tree`, and must outlive the node.
  static OutputPtr of_source(std::string_view text, const tmpl::Tree* tree, size_t pos);
  static OutputPtr of_text(std::string text);
  static OutputPtr hole(Steps path, const tmpl::Tree* tree, size_t pos);
  static OutputPtr sequence(std::vector<OutputPtr> parts);
  static OutputPtr choice(std::vector<OutputPtr> parts);
  static OutputPtr repeated(OutputPtr part);
  static OutputPtr indented(OutputPtr part, size_t indent);
  /// Returns `of` with other parts; `of` itself if they are the same.
  static OutputPtr with_parts(const OutputPtr& of, std::vector<OutputPtr> parts);
};

/// Returns all texts that `output` may be, without duplicates; nullopt if they are more than
/// `most`, longer than kWordMax, or not known.
std::optional<std::vector<std::string>> texts_of(const OutputPtr& output, size_t most);
inline constexpr size_t kWordMax = 256;

}  // namespace chartwright::helm::analysis
