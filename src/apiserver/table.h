// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "apiserver/request.h"
#include "base/clock.h"
#include "value/value.h"
#include "views/reader.h"
#include "views/view.h"

namespace chartwright::apiserver {

/// The parts of an object that a table row includes. Source: metav1.IncludeObjectPolicy.
enum class IncludeObject : uint8_t { kNone, kMetadata, kObject };

/// The representation of a response.
struct Rendition {
  Accepted accepted;
  IncludeObject include = IncludeObject::kMetadata;
  bool headers = true;  ///< Tables have column definitions; in a watch, only the first.
};

/// Returns an object in the representation asked for.
value::Value present(const views::View& view, const value::Value& object,
                     const Rendition& rendition, base::WallTime now);
/// Returns a list in the representation asked for, without its members, which are as many elements
/// of the field `members_key`.
value::Value present_frame(const views::View& view, const views::ObjectPage& page,
                           const Rendition& rendition);
std::string_view members_key(const Rendition& rendition);
/// Returns a member of a list in the representation asked for.
value::Value present_member(const views::View& view, const value::Value& object,
                            const Rendition& rendition, base::WallTime now);

/// Formats the time since `then` as kubectl does: "12s", "5m3s", "3d". Source: k8s.io/apimachinery
/// pkg/util/duration HumanDuration.
std::string human_age(base::WallTime then, base::WallTime now);

}  // namespace chartwright::apiserver
