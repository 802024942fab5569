// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// A chart and its render inputs as one string. A fuzzer can change bytes in one file of it without
// damaging the others, which is not possible in an archive.
namespace chartwright::fuzz {

/// A section, which begins with a line "=== NAME". The name is the path of a file in the chart or
/// one of kInputs.
struct Section {
  std::string name;
  std::string text;
};

/// Sections that are not files: the user's values, the live objects of the cluster (YAML documents)
/// and the version of Helm.
inline constexpr std::string_view kInputs[] = {"values", "cluster", "helm"};

/// Splits a string into sections. Any bytes are valid; those before the first section are ignored.
std::vector<Section> sections_of(std::string_view text);
/// The inverse of sections_of.
std::string text_of(const std::vector<Section>& sections);
/// Returns the text of the first section named `name`; "" if there is none.
std::string_view section(const std::vector<Section>& sections, std::string_view name);

/// Returns the files as a .tgz. "charts/sub.tgz/Chart.yaml" is put into a nested archive
/// charts/sub.tgz.
std::string pack_chart(const std::vector<Section>& sections);

}  // namespace chartwright::fuzz
