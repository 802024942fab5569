// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace chartwright::fuzz {

/// Changes some bytes of a text, which may become as long as `bytes_max`.
using MutateBytes = std::function<std::string(std::string_view text, size_t bytes_max)>;

/// Changes a text of sections (chart_text.h) so that most of what it says stays: within one file,
/// or whole lines and files. The same for the same seed, as far as `bytes` is.
std::string mutate_sections(std::string_view text, size_t bytes_max, uint32_t seed,
                            const MutateBytes& bytes);

/// A text with files of both.
std::string cross_sections(std::string_view a, std::string_view b, size_t bytes_max, uint32_t seed);

}  // namespace chartwright::fuzz
