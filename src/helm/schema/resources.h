// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

// The identifiers of a schema document: the subschemas that have an $id, and the anchors of each.
// Source: santhosh-tekuri/jsonschema v6 roots.go, root.go.
namespace chartwright::helm {

/// A subschema with an identifier of its own. The root of the document is always a resource.
struct SchemaResource {
  std::string pointer;  ///< JSON pointer inside the document.
  std::string id;       ///< Absolute URL without fragment.
  int draft = 2020;
  std::map<std::string, std::string, std::less<>> anchors;  ///< Pointers by anchor.
  std::set<std::string, std::less<>> dynamic_anchors;
};

/// The resources of a document, collected on demand.
class SchemaResources {
 public:
  /// `document`, which is at `url`, must outlive the object.
  SchemaResources(const value::Value& document, std::string url)
      : document_(document), url_(std::move(url)) {}
  /// The URL of the document.
  const std::string& url() const { return url_; }
  /// Returns the subschema at a JSON pointer, never nullptr. Error: kSchema "json-pointer in ...
  /// not found", "invalid json-pointer ...".
  base::Result<const value::Value*> schema_at(const std::string& pointer) const;
  /// Returns the URL of the subschema at a JSON pointer.
  /// Source: santhosh-tekuri/jsonschema v6 util.go.
  std::string location(std::string_view pointer) const;
  /// Visits the subschema at `pointer` and every subschema below it that its draft defines.
  /// Repeated calls are cheap.
  base::Status collect(const std::string& pointer);
  bool has_visited(const std::string& pointer) const { return visited_.contains(pointer); }
  /// Returns the resource at exactly `pointer`, or nullptr.
  const SchemaResource* at(std::string_view pointer) const;
  /// Returns the resource that contains the subschema at `pointer`. The root must have been
  /// collected.
  const SchemaResource& of(std::string_view pointer) const;
  /// Returns the resource with the URL `id`, or nullptr.
  const SchemaResource* find(std::string_view id) const;

 private:
  base::Status visit(const value::Value& schema, const std::string& pointer,
                     const std::string& base_url, int draft, int depth);
  base::Result<SchemaResource*> own_resource(const value::Value& schema, const std::string& pointer,
                                             const std::string& base_url, int draft);
  base::Status add_anchors(const value::Value& schema, const std::string& pointer,
                           SchemaResource& resource) const;
  const value::Value& document_;
  const std::string url_;
  std::map<std::string, SchemaResource, std::less<>> resources_;  ///< Resources by pointer.
  std::map<std::string, std::string, std::less<>> pointers_;      ///< Pointers of resources by id.
  std::set<std::string, std::less<>> visited_;
};

}  // namespace chartwright::helm
