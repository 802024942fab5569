// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// A chart, and what it is rendered with, as one text: a fuzzer that changes some bytes of it leaves
// the other files as they are, which no change of an archive's bytes does.
namespace chartwright::fuzz {

/// What begins with a line "=== NAME": a file of the chart by its path in there, or an input of the
/// render by a name of kInputs.
struct Section {
  std::string name;
  std::string text;
};

/// Sections that are no files: the user's values, the objects that the cluster has (YAML documents)
/// and the version of Helm.
inline constexpr std::string_view kInputs[] = {"values", "cluster", "helm"};

/// Any bytes are a text of sections; what stands before the first is none of them.
std::vector<Section> sections_of(std::string_view text);
/// The reverse.
std::string text_of(const std::vector<Section>& sections);
/// The text of the first section of that name; "" without one.
std::string_view section(const std::vector<Section>& sections, std::string_view name);

/// The files as a .tgz. "charts/sub.tgz/Chart.yaml" is a file of the archive charts/sub.tgz in it.
std::string pack_chart(const std::vector<Section>& sections);

}  // namespace chartwright::fuzz
