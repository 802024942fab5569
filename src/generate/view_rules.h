// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "apiserver/registration.h"
#include "generate/rule.h"
#include "kinds/resource.h"
#include "views/view.h"

namespace chartwright::generate {

/// Views that a process serves, and the Service that leads to them.
struct ServedViews {
  std::vector<views::View> views;  ///< Empty: none are served.
  std::string folder;              ///< The folder of the views, as flags name it.
  apiserver::ServiceRef service;
  bool reviews_access = false;  ///< Whether the server asks about each request's user.
};

/// Returns the rights that a server of views needs: of the sources in all namespaces, of its
/// certificate and its Service in their own, and those to register with the aggregator.
std::vector<Rule> view_rules(const ServedViews& served, const kinds::DefinedKinds& defined);

}  // namespace chartwright::generate
