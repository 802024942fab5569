// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace chartwright::fuzz {

/// Returns `text` with some bytes changed, at most `bytes_max` bytes long.
using MutateBytes = std::function<std::string(std::string_view text, size_t bytes_max)>;

/// Mutates a string of sections (chart_text.h) but keeps most of its meaning: it changes bytes in
/// one file, or whole lines and files. Deterministic for a given seed if `bytes` is.
std::string mutate_sections(std::string_view text, size_t bytes_max, uint32_t seed,
                            const MutateBytes& bytes);

/// Returns a string of sections with files of both `a` and `b`.
std::string cross_sections(std::string_view a, std::string_view b, size_t bytes_max, uint32_t seed);

}  // namespace chartwright::fuzz
