// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "health/ready_state.h"
#include "value/value.h"

// The words of the rules for kinds.
namespace chartwright::health {

/// Judges an object of one kind.
using KindRule = Readiness (*)(const value::Value& object);

Readiness ready();
/// The message need be neither short nor printable.
Readiness progressing(std::string message);
Readiness failed(std::string message);

/// Returns the number of objects at that member, or `fallback` if it is missing or no integer. A
/// larger one is cut to 32 bits, so that differences of two counts cannot overflow.
int64_t count_at(const value::Value& object, std::initializer_list<std::string_view> path,
                 int64_t fallback = 0);
bool has_observed_generation(const value::Value& object);

/// Returns "Reason: message" of a condition, or of any dict with such members; either alone where
/// the other is missing. "" for nullptr. Leaves out the name of a pod that was refused: it is drawn
/// anew at each attempt. Long messages are cut.
std::string words_of(const value::Value* condition);
/// Returns words_of() the condition, or `otherwise` if it has none.
std::string words_or(const value::Value* condition, std::string_view otherwise);
/// Returns "text: words" of the condition, or `text` if it has none.
std::string with_words(std::string_view text, const value::Value* condition);

}  // namespace chartwright::health
