// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "helm/schema/schema.h"
#include "kube/object.h"
#include "tmpl/template.h"
#include "value/path.h"
#include "value/value.h"

namespace chartwright::tmpl {
struct Tree;  // tmpl/ast.h
}  // namespace chartwright::tmpl

namespace chartwright::views {

/// A column of `kubectl get`, beside the name and the age.
struct Column {
  std::string name;
  value::Path path;
  std::string type;  ///< "integer", "number", "string", "boolean" or "date".
  std::string format;
  std::string description;
  int64_t priority = 0;  ///< Above 0: only with -o wide.
};

/// The group, version and names under which objects are served.
struct Resource {
  std::string group;
  std::string version;
  std::string kind;
  std::string plural;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool namespaced = true;

  kube::Gvk gvk() const { return {group, version, kind}; }
  std::string api_version() const { return group + "/" + version; }
  std::string list_kind() const { return kind + "List"; }
};

/// Where the objects of a view come from: the objects of a kind, or a file.
struct Source {
  kube::Gvk gvk;               ///< Empty kind: inline.
  std::string label_selector;  ///< In the API's string form; "" selects everything.
  std::vector<value::Value> items;
  int64_t items_version = 0;  ///< Milliseconds since the epoch at which the file was written.

  bool is_inline() const { return gvk.kind.empty(); }
};

/// A template of a view, and where it stands.
struct WrittenTemplate {
  std::shared_ptr<const tmpl::Tree> tree;
  base::SourcePos pos;
  std::string path;  ///< "project" or "store".
};

/// A served resource, as views/*.yaml declares it. Immutable.
struct View {
  std::string file;
  Resource resource;
  std::vector<std::string> verbs;
  Source source;
  base::SourcePos group_pos;
  base::SourcePos resource_pos;
  base::SourcePos kind_pos;  ///< The place of the source's kind.
  /// The parsed templates kProjectTemplate and kStoreTemplate, as far as there are any.
  std::shared_ptr<const tmpl::Template> templates;
  std::vector<WrittenTemplate> written;  ///< Their texts, with their places.
  std::optional<value::Value> schema;    ///< OpenAPI, as written.
  std::shared_ptr<const helm::Schema> validator;
  std::vector<Column> columns;

  bool projects() const;
  bool stores() const;
  bool allows(std::string_view verb) const;
};

inline constexpr std::string_view kProjectTemplate = "project";
inline constexpr std::string_view kStoreTemplate = "store";

}  // namespace chartwright::views
