// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

// The identifiers of a schema document: which subschemas carry an $id, and the anchors below each.
// Source: santhosh-tekuri/jsonschema v6 roots.go, root.go.
namespace chartwright::helm {

/// A subschema with an identifier of its own (the document's root always is one).
struct SchemaResource {
  std::string pointer;  ///< JSON pointer inside the document.
  std::string id;       ///< Absolute URL without fragment.
  int draft = 2020;
  std::map<std::string, std::string, std::less<>> anchors;  ///< Anchor to pointer.
  std::set<std::string, std::less<>> dynamic_anchors;
};

/// A URL split at its first '#', the fragment percent-decoded.
struct SplitUrl {
  std::string url;
  std::string fragment;
};
SplitUrl split_fragment(std::string_view text);
/// Why the document at `url` cannot be had: nothing is loaded, not even from the file system.
base::Error not_loaded(const std::string& url);
/// RFC 3986 resolution of a reference without fragment.
std::string join_url(std::string_view base, std::string_view reference);

/// The URL of the subschema at a JSON pointer. Source: santhosh-tekuri/jsonschema v6 util.go.
std::string schema_location(std::string_view pointer);

/// The subschema at a JSON pointer, never nullptr. Error: kSchema "json-pointer in ... not found",
/// "invalid json-pointer ...".
base::Result<const value::Value*> schema_at(const value::Value& document,
                                            const std::string& pointer);

class SchemaResources {
 public:
  /// `document` must outlive the object.
  explicit SchemaResources(const value::Value& document) : document_(document) {}
  /// Visits the subschema at `pointer` and all below it that the draft knows of; again is cheap.
  base::Status collect(const std::string& pointer);
  bool has_visited(const std::string& pointer) const { return visited_.contains(pointer); }
  /// The resource at exactly `pointer`; nullptr when there is none.
  const SchemaResource* at(std::string_view pointer) const;
  /// The resource that the subschema at `pointer` belongs to. The root must have been collected.
  const SchemaResource& of(std::string_view pointer) const;
  /// nullptr when no resource of the document has that URL.
  const SchemaResource* find(std::string_view id) const;

 private:
  base::Status visit(const value::Value& schema, const std::string& pointer, std::string base_url,
                     int draft, int depth);
  base::Status visit_children(const value::Value& schema, const std::string& pointer,
                              const SchemaResource& resource, int depth);
  base::Result<SchemaResource*> own_resource(const value::Value& schema, const std::string& pointer,
                                             const std::string& base_url, int draft);
  static base::Status add_anchors(const value::Value& schema, const std::string& pointer,
                                  SchemaResource& resource);
  const value::Value& document_;
  std::map<std::string, SchemaResource, std::less<>> resources_;  ///< By pointer.
  std::map<std::string, std::string, std::less<>> pointers_;      ///< Of the resources, by id.
  std::set<std::string, std::less<>> visited_;
};

}  // namespace chartwright::helm
