// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace chartwright::fields {

/// The field manager of what is ours alone: statuses, finalizers, Events, records. Earlier versions
/// applied the children and partial objects of all custom resources with it, too: such fields move
/// to the manager of their custom resource (managed_fields.h).
inline constexpr std::string_view kFieldManager = "chartwright";

/// Returns the field manager of the children and partial objects of the custom resource with that
/// uid: "chartwright-" and 12 hex digits. A server-side apply removes what its manager owned and
/// does not send, so no two custom resources may share one.
std::string manager_of_owner(std::string_view uid);

/// Reports whether `manager` is that of some custom resource, see manager_of_owner.
bool is_manager_of_owner(std::string_view manager);

/// Reports whether `manager` is one of those above.
bool is_our_manager(std::string_view manager);

}  // namespace chartwright::fields
