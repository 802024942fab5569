// SPDX-License-Identifier: Apache-2.0
#include "doctor/install_check.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"
#include "go/quote.h"
#include "helm/chart/document_reader.h"
#include "helm/chart/go_struct.h"
#include "kube/object.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::doctor {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";
constexpr std::string_view kReleaseName = "meta.helm.sh/release-name";
constexpr std::string_view kReleaseNamespace = "meta.helm.sh/release-namespace";

/// Joins several errors into one message. Source: k8s.io/apimachinery pkg/util/errors Aggregate.
std::string aggregate(const std::vector<std::string>& texts) {
  std::vector<std::string> distinct;
  for (const std::string& text : texts) {
    if (std::find(distinct.begin(), distinct.end(), text) == distinct.end()) {
      distinct.push_back(text);
    }
  }
  return distinct.size() == 1 ? distinct.front() : "[" + base::join(distinct, ", ") + "]";
}

/// Appends to `wrong` if a member is not set or not a string.
void check_text(const Value* member, std::string_view name, std::vector<std::string>& wrong) {
  if (member == nullptr || member->is_nil()) {
    wrong.push_back(std::string(name) + " not set");
  } else if (!member->is_string()) {
    wrong.push_back(std::string(name) + " isn't string type");
  }
}

/// Returns why a document is not an object; empty if it is one.
/// Source: k8s.io/kubectl pkg/validation/validation.go getObjectKind.
std::vector<std::string> head_errors(const Value& document) {
  if (!document.is_dict()) {
    return {"invalid object to validate"};
  }
  std::vector<std::string> wrong;
  const Value* const api_version = document.find("apiVersion");
  check_text(api_version, "apiVersion", wrong);
  if (wrong.empty() && base::split(api_version->as_string(), '/').size() > 2) {
    wrong.push_back("unexpected GroupVersion string: " + api_version->as_string());
  }
  check_text(document.find("kind"), "kind", wrong);
  return wrong;
}

/// Returns the first member of `v` that is neither a string nor null; nullptr if there is none.
const Value* first_other_than_text(const Value& v) {
  if (v.is_dict()) {
    for (const auto& [key, member] : v.as_dict()) {
      if (!member.is_string() && !member.is_nil()) {
        return &member;
      }
    }
  }
  return nullptr;
}

std::string wrong_field(const Value& v, std::string_view field, std::string_view type) {
  return "json: cannot unmarshal " + std::string(helm::json_type(v)) +
         " into Go struct field ObjectMeta.metadata." + std::string(field) + " of type " +
         std::string(type);
}

/// Returns why a document's metadata cannot be read; empty if it can.
/// Source: k8s.io/cli-runtime pkg/resource/metadata_decoder.go.
std::string metadata_error(const Value& document) {
  const Value* const metadata = document.find("metadata");
  if (metadata == nullptr || metadata->is_nil()) {
    return "";
  }
  if (!metadata->is_dict()) {
    return "json: cannot unmarshal " + std::string(helm::json_type(*metadata)) +
           " into Go struct field metadataOnlyObject.metadata of type v1.ObjectMeta";
  }
  for (const auto& [key, member] : metadata->as_dict()) {
    const std::string name = key;
    constexpr std::array kTexts = {"name",     "generateName", "namespace",
                                   "selfLink", "uid",          "resourceVersion"};
    if (member.is_nil()) {
      continue;
    }
    if (std::find(kTexts.begin(), kTexts.end(), name) != kTexts.end() && !member.is_string()) {
      return wrong_field(member, name, "string");
    }
    if (name == "labels" || name == "annotations") {
      if (!member.is_dict()) {
        return wrong_field(member, name, "map[string]string");
      }
      if (const Value* other = first_other_than_text(member)) {
        return wrong_field(*other, name, "string");
      }
    }
    if ((name == "finalizers" || name == "ownerReferences") && !member.is_list()) {
      return wrong_field(member, name, name == "finalizers" ? "[]string" : "[]v1.OwnerReference");
    }
  }
  return "";
}

/// The objects found so far, and what is wrong with the others.
struct Objects {
  std::vector<kube::ObjectRef> refs;
  std::vector<std::string> errors;
};

/// Reads the objects of a stream of documents.
class Builder {
 public:
  Builder(const InstallCheck& check, kube::Client& client, const kube::Call& call)
      : check_(check), client_(client), call_(call) {}

  /// Reads documents until the end or until one that cannot be parsed or validated. Returns errors
  /// of the server; those of documents are appended to objects().errors.
  base::Status read(std::string_view manifests) {
    auto documents = helm::split_documents(manifests);
    if (!documents.ok()) {
      objects_.errors.push_back("error parsing : " + documents.error().message());
      return {};
    }
    for (const helm::YamlDocument& document : *documents) {
      auto parsed = yaml::parse_yaml(document.text, value::Numbers::kInt64);
      if (!parsed.ok()) {
        objects_.errors.push_back("error parsing : " + parsed.error().message());
        return {};
      }
      if (parsed->is_nil()) {
        continue;
      }
      const std::vector<std::string> wrong =
          check_.fields == FieldCheck::kYes ? head_errors(*parsed) : std::vector<std::string>();
      if (!wrong.empty()) {
        objects_.errors.push_back("error validating \"\": error validating data: " +
                                  aggregate(wrong));
        return {};
      }
      CW_TRY_VOID(read_document(*parsed));
    }
    return {};
  }

  Objects& objects() { return objects_; }

 private:
  /// Reads an object or a list of objects.
  base::Status read_document(const Value& document) {
    const std::string wrong = decode_error(document);
    if (!wrong.empty()) {
      objects_.errors.push_back("unable to decode \"\": " + wrong);
      return {};
    }
    const Value* const items = document.find("items");
    if (items == nullptr || !items->is_list()) {
      return add(document, kube::gvk_of(document), Place::kDocument);
    }
    const kube::Gvk list = kube::gvk_of(document);
    for (const Value& item : items->as_list().items) {
      kube::Gvk gvk = kube::gvk_of(item);
      if (gvk.kind.empty() && gvk.api_version().empty()) {
        gvk = list;
        gvk.kind = gvk.kind.substr(0, gvk.kind.rfind("List"));
      }
      CW_TRY_VOID(add(item, gvk, Place::kList));
    }
    return {};
  }

  static std::string decode_error(const Value& document) {
    if (!document.is_dict()) {
      return "json: cannot unmarshal " + std::string(helm::json_type(document)) +
             " into Go value of type unstructured.detector";
    }
    if (kube::gvk_of(document).kind.empty()) {
      return "Object 'Kind' is missing in '" + value::to_json(document).value_or("") + "'";
    }
    return metadata_error(document);
  }

  enum class Place : uint8_t { kDocument, kList };

  base::Status add(const Value& object, const kube::Gvk& gvk, Place place) {
    const std::string name(kube::name_of(object));
    const std::string ns(kube::namespace_of(object));
    auto mapping = client_.mapping_for(gvk, call_);
    if (mapping.ok()) {
      const bool namespaced = mapping->scope == kube::Scope::kNamespaced;
      const std::string& own_ns = ns.empty() ? check_.ns : ns;
      objects_.refs.push_back({gvk, namespaced ? own_ns : "", name});
      return {};
    }
    if (mapping.error().reason() != kube::kNoMatchReason) {
      return std::move(mapping).error().wrap("unable to recognize \"\"");
    }
    const std::string none = "no matches for kind " + go::quote(gvk.kind) + " in version " +
                             go::quote(gvk.api_version());
    objects_.errors.push_back(place == Place::kList
                                  ? "unable to recognize " + none
                                  : "resource mapping not found for name: " + go::quote(name) +
                                        " namespace: " + go::quote(ns) + " from \"\": " + none +
                                        "\nensure CRDs are installed first");
    return {};
  }

  const InstallCheck& check_;
  kube::Client& client_;
  const kube::Call& call_;
  Objects objects_;
};

/// Returns why the entry is wrong; "" if it has the value wanted. Source: helm/helm v3
/// pkg/action/validate.go requireValue.
std::string wrong_entry(std::optional<std::string_view> actual, std::string_view key,
                        std::string_view wanted) {
  if (!actual) {
    return "missing key " + go::quote(key) + ": must be set to " + go::quote(wanted);
  }
  return *actual == wanted ? ""
                           : "key " + go::quote(key) + " must equal " + go::quote(wanted) +
                                 ": current value is " + go::quote(*actual);
}

/// Returns why `live` does not belong to the release; empty if it does.
std::string not_ours(const Value& live, const InstallCheck& check) {
  const std::string label = wrong_entry(kube::label_of(live, kManagedBy), kManagedBy, "Helm");
  const std::string name =
      wrong_entry(kube::annotation_of(live, kReleaseName), kReleaseName, check.release);
  const std::string ns =
      wrong_entry(kube::annotation_of(live, kReleaseNamespace), kReleaseNamespace, check.ns);
  std::string text;
  text += label.empty() ? "" : "; label validation error: " + label;
  text += name.empty() ? "" : "; annotation validation error: " + name;
  text += ns.empty() ? "" : "; annotation validation error: " + ns;
  return text.empty() ? "" : "invalid ownership metadata" + text;
}

std::string described(const kube::ObjectRef& ref) {
  return ref.gvk.kind + " " + go::quote(ref.name) + " in namespace " + go::quote(ref.ns);
}

/// Checks that all objects that exist belong to the release.
base::Status check_ownership(const std::vector<kube::ObjectRef>& refs, const InstallCheck& check,
                             kube::Client& client, const kube::Call& call) {
  constexpr std::string_view kContext = "Unable to continue with install";
  for (const kube::ObjectRef& ref : refs) {
    if (ref.name.empty()) {
      return Error(ErrorCode::kInvalidArgument,
                   std::string(kContext) + ": could not get information about the resource " +
                       described(ref) + ": resource name may not be empty");
    }
    auto live = client.get(ref, call);
    if (!live.ok()) {
      if (live.error().code() == ErrorCode::kNotFound) {
        continue;
      }
      return std::move(live)
          .error()
          .wrap("could not get information about the resource " + described(ref))
          .wrap(kContext);
    }
    const std::string why = check.ownership == Ownership::kAny ? "" : not_ours(*live, check);
    if (!why.empty()) {
      return Error(ErrorCode::kOwnership,
                   std::string(kContext) + ": " + described(ref) +
                       " exists and cannot be imported into the current release: " + why);
    }
  }
  return {};
}

}  // namespace

base::Status check_install(std::string_view manifests, const InstallCheck& check,
                           kube::Client& client, const kube::Call& call) {
  constexpr std::string_view kContext = "unable to build kubernetes objects from release manifest";
  Builder builder(check, client, call);
  if (auto status = builder.read(manifests); !status.ok()) {
    return std::move(status).error().wrap(kContext);
  }
  if (!builder.objects().errors.empty()) {
    return Error(ErrorCode::kInvalidArgument,
                 std::string(kContext) + ": " + aggregate(builder.objects().errors));
  }
  if (check.ownership == Ownership::kUnasked) {
    return {};
  }
  return check_ownership(builder.objects().refs, check, client, call);
}

}  // namespace chartwright::doctor
