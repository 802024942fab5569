// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "value/value.h"
#include "views/view.h"

// The discovery documents of a set of views. Versions of a group are in the order of Kubernetes:
// v2, v1, v1beta1, v1alpha1, others.
namespace chartwright::apiserver {

/// Returns the APIGroupList of /apis.
value::Value group_list(const std::vector<views::View>& views);
/// Returns the APIGroup of /apis/GROUP; nil if there is none.
value::Value group_document(const std::vector<views::View>& views, std::string_view group);
/// Returns the APIResourceList of /apis/GROUP/VERSION; nil if there is none.
value::Value resource_list(const std::vector<views::View>& views, std::string_view group,
                           std::string_view version);
/// Returns the APIGroupDiscoveryList of /apis, as apidiscovery.k8s.io/`version` ("v2", "v2beta1").
value::Value aggregated_discovery(const std::vector<views::View>& views, std::string_view version);

/// Returns the groups, each with its versions, the most stable first.
std::vector<std::pair<std::string, std::vector<std::string>>> groups_of(
    const std::vector<views::View>& views);

}  // namespace chartwright::apiserver
