// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suite/results/suite_result.h"
#include "value/value.h"

// Where two structured values differ, field by field: what the failure of an assertion has beyond
// the words of helm-unittest. Pure.
namespace chartwright::suite {

/// The fields of one comparison that are kept.
inline constexpr size_t kFieldsMax = 20;

struct FieldDifferences {
  std::vector<FieldDifference> kept;
  size_t left_out = 0;  ///< Those beyond kFieldsMax.
};

/// Returns the fields that two maps or two lists do not have alike, as Go compares them: 1 and 1.0
/// differ. None if the values are anything else.
FieldDifferences field_differences(const value::Value& expected, const value::Value& actual);

/// Returns the members of a map that another one has, too; one that is missing equals null.
value::Value narrowed(const value::Value& map, const value::Value& members);

/// The item of a list that is most like an expected one.
struct NearestItem {
  size_t index = 0;
  FieldDifferences differences;
};

/// The members of an expected item that count.
enum class Members : uint8_t {
  kAll,
  kExpected,  ///< An item may have others.
};

/// Returns the item that has the fewest differences, of the first 100; nullopt if none has a member
/// in common with the expected one, which has to be a map.
std::optional<NearestItem> nearest_item(const std::vector<value::Value>& items,
                                        const value::Value& expected, Members members);

/// Returns a heading, and below it a line for each field; none if there are no differences.
std::vector<std::string> field_lines(std::string_view heading, const FieldDifferences& found);

}  // namespace chartwright::suite
