// SPDX-License-Identifier: Apache-2.0
#include "generate/rule.h"

namespace chartwright::generate {

std::string_view describe(Purpose purpose) {
  switch (purpose) {
    case Purpose::kCustomResources:
      return "The custom resources: read them, and maintain their finalizers.";
    case Purpose::kStatus:
      return "Their status.";
    case Purpose::kOwnerReferences:
      return "Clusters that check blockOwnerDeletion in owner references require these.";
    case Purpose::kChildren:
      return "The objects that the charts render.";
    case Purpose::kHooks:
      return "Objects that are hooks only.";
    case Purpose::kPatches:
      return "Partial objects, of operator/patches/.";
    case Purpose::kRelated:
      return "Related objects, of operator/operator.yaml.";
    case Purpose::kLookups:
      return "Objects that templates look up.";
    case Purpose::kDefinitions:
      return "CRDs, of crds/.";
    case Purpose::kCapabilities:
      return "What the cluster serves, for charts that read .Capabilities.APIVersions.";
    case Purpose::kGrants:
      return "Roles and bindings of the charts may grant rights that the operator does not have.";
    case Purpose::kRevisions:
      return "Revisions are stored in Secrets in the namespace of each custom resource.";
    case Purpose::kEvents:
      return "Events about custom resources.";
    case Purpose::kCauses:
      return "Pods and what belongs to them, to say why children are not ready (optional).";
    case Purpose::kViews:
      return "The objects that views show and store.";
    case Purpose::kRegistration:
      return "The APIServices of the views, which the server creates and keeps right, with their "
             "caBundle.";
    case Purpose::kServing:
      return "The serving certificate, and the Service that leads to the views.";
    case Purpose::kAggregator:
      return "Who the aggregator is, and in which headers it names the user.";
    case Purpose::kReviews:
      return "Whether a user of the views may do what they ask for (--subject-access-review).";
  }
  return "";
}

bool is_optional(Purpose purpose) { return purpose == Purpose::kCauses; }

}  // namespace chartwright::generate
