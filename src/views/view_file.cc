// SPDX-License-Identifier: Apache-2.0
#include "views/view_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/strings.h"
#include "bundle/mentions.h"
#include "bundle/selector_config.h"
#include "bundle/template_names.h"
#include "helm/render/functions.h"
#include "kube/names.h"
#include "value/json.h"
#include "yaml/document.h"

namespace chartwright::views {
namespace {

using base::Error;
using base::ErrorCode;
using yaml::DocumentNode;
using yaml::MapReader;

constexpr size_t kFileBytesMax = size_t{1} << 20;
constexpr size_t kViewsMax = 200;
constexpr size_t kItemsMax = 10000;
constexpr std::array<std::string_view, 8> kVerbs = {
    "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"};
constexpr std::array<std::string_view, 5> kColumnTypes = {"integer", "number", "string", "boolean",
                                                          "date"};

constexpr std::array<std::string_view, 4> kItemMetadata = {"name", "namespace", "labels",
                                                           "annotations"};

template <size_t kCount>
std::string one_of(const std::array<std::string_view, kCount>& words) {
  std::string text;
  for (const std::string_view word : words) {
    text += (text.empty() ? "" : ", ") + std::string(word);
  }
  return text;
}

/// Returns the error for a word that is not one of `words`, with the one that was probably meant.
template <size_t kCount>
Error unknown_word(const DocumentNode& node, const std::array<std::string_view, kCount>& words) {
  const std::string_view near = base::nearest(node.text, {words.begin(), words.end()});
  return yaml::invalid_node(
      node, "\"" + node.text + "\" is not one of " + one_of(words) +
                (near.empty() ? "" : ", did you mean \"" + std::string(near) + "\"?"));
}

base::Result<std::string> required_text(MapReader& map, std::string_view key) {
  CW_TRY(const DocumentNode* node, map.require(key));
  return yaml::document_text(*node);
}

base::Result<std::vector<std::string>> read_names(MapReader& map, std::string_view key) {
  std::vector<std::string> names;
  if (const DocumentNode* node = map.find(key)) {
    CW_TRY(const std::vector<DocumentNode>* items, yaml::document_list(*node));
    for (const DocumentNode& item : *items) {
      CW_TRY(names.emplace_back(), yaml::document_text(item));
      if (!kube::is_dns_label(names.back())) {
        return yaml::invalid_node(item,
                                  "\"" + names.back() + "\" is not a name such as \"farmpods\"");
      }
    }
  }
  return names;
}

// An aggregated API takes precedence over the cluster's own for its group and version.
base::Status check_group(const DocumentNode& node, const std::string& group) {
  const bool reserved = group == "k8s.io" || group.ends_with(".k8s.io") ||
                        group == "kubernetes.io" || group.ends_with(".kubernetes.io");
  if (!kube::is_dns_subdomain(group) || group.find('.') == std::string::npos) {
    return yaml::invalid_node(
        node, "\"" + group + "\" is not a group of your own such as \"farm.example.com\"");
  }
  if (reserved) {
    return yaml::invalid_node(
        node,
        "\"" + group + "\" belongs to Kubernetes: choose a group such as \"farm.example.com\"");
  }
  return {};
}

base::Status check_label(const DocumentNode& node, const std::string& text,
                         std::string_view wanted) {
  if (!kube::is_dns_label(base::to_lower_ascii(text))) {
    return yaml::invalid_node(node, "\"" + text + "\" is not " + std::string(wanted));
  }
  return {};
}

base::Status read_resource(MapReader& file, Resource& resource) {
  CW_TRY(resource.group, required_text(file, "group"));
  CW_TRY_VOID(check_group(*file.find("group"), resource.group));
  CW_TRY(resource.version, required_text(file, "version"));
  if (!kube::is_dns_label(resource.version)) {
    return yaml::invalid_node(
        *file.find("version"),
        "\"" + resource.version + "\" is not an API version such as \"v1alpha\"");
  }
  CW_TRY(const DocumentNode* node, file.require("resource"));
  CW_TRY(MapReader map, MapReader::open(*node));
  CW_TRY(resource.kind, required_text(map, "kind"));
  CW_TRY_VOID(check_label(*map.find("kind"), resource.kind, "a kind such as \"FarmPod\""));
  CW_TRY(resource.plural, required_text(map, "plural"));
  CW_TRY(resource.singular, map.text("singular"));
  if (!kube::is_dns_label(resource.plural)) {
    return yaml::invalid_node(
        *map.find("plural"),
        "\"" + resource.plural + "\" is not a resource name such as \"farmpods\"");
  }
  if (resource.singular.empty()) {
    resource.singular = base::to_lower_ascii(resource.kind);
  } else if (!kube::is_dns_label(resource.singular)) {
    return yaml::invalid_node(
        *map.find("singular"),
        "\"" + resource.singular + "\" is not a resource name such as \"farmpod\"");
  }
  if (const DocumentNode* namespaced = map.find("namespaced")) {
    CW_TRY(resource.namespaced, yaml::document_bool(*namespaced));
  }
  CW_TRY(resource.short_names, read_names(map, "shortNames"));
  CW_TRY(resource.categories, read_names(map, "categories"));
  return map.finish();
}

bool is_write(std::string_view verb) { return verb != "get" && verb != "list" && verb != "watch"; }

base::Status read_verbs(MapReader& file, View& view) {
  const DocumentNode* node = file.find("verbs");
  if (node == nullptr) {
    view.verbs = {"get", "list", "watch"};
    return {};
  }
  CW_TRY(const std::vector<DocumentNode>* items, yaml::document_list(*node));
  for (const DocumentNode& item : *items) {
    CW_TRY(const std::string verb, yaml::document_text(item));
    if (std::find(kVerbs.begin(), kVerbs.end(), verb) == kVerbs.end()) {
      return unknown_word(item, kVerbs);
    }
    if (view.allows(verb)) {
      return yaml::invalid_node(item, "\"" + verb + "\" is there twice");
    }
    if (is_write(verb) && file.find("store") == nullptr) {
      return yaml::invalid_node(
          item, "\"" + verb + "\" needs `store`, the template of the object that is written");
    }
    view.verbs.push_back(verb);
  }
  if (view.verbs.empty()) {
    return yaml::invalid_node(*node, "no verb: a view allows at least one of " + one_of(kVerbs));
  }
  if (view.allows("watch") && !view.allows("list")) {
    return yaml::invalid_node(*node, "\"watch\" needs \"list\": clients list before they watch");
  }
  return {};
}

/// The time at which a file was written, in milliseconds; it is a resourceVersion, so never 0.
int64_t written_at(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) {
    return 1;
  }
  const int64_t ms = int64_t{found.st_mtim.tv_sec} * 1000 + found.st_mtim.tv_nsec / 1'000'000;
  return std::max<int64_t>(ms, 1);
}

/// Rejects, with its position, an item that could not be served as an object.
base::Status check_item(const DocumentNode& item, bool namespaced,
                        std::set<std::pair<std::string, std::string>>& seen) {
  CW_TRY_DISCARD(MapReader::open(item));
  const DocumentNode* metadata = item.find("metadata");
  const DocumentNode* name = metadata == nullptr ? nullptr : metadata->find("name");
  const DocumentNode* ns = metadata == nullptr ? nullptr : metadata->find("namespace");
  if (name == nullptr || !kube::is_dns_subdomain(name->text)) {
    return yaml::invalid_node(name == nullptr ? item : *name,
                              "an item needs metadata.name, a DNS name such as \"dolly\"");
  }
  if (namespaced && (ns == nullptr || !kube::is_dns_subdomain(ns->text))) {
    return yaml::invalid_node(
        ns == nullptr ? item : *ns,
        "an item of a namespaced view needs metadata.namespace, such as \"default\"");
  }
  if (!namespaced && ns != nullptr) {
    return yaml::invalid_node(*ns, "an item of a view with `namespaced: false` has no namespace");
  }
  for (const yaml::DocumentEntry& entry : metadata->entries) {
    if (std::find(kItemMetadata.begin(), kItemMetadata.end(), entry.key.text) ==
        kItemMetadata.end()) {
      return unknown_word(entry.key, kItemMetadata);
    }
  }
  if (!seen.emplace(ns == nullptr ? "" : ns->text, name->text).second) {
    return yaml::invalid_node(*name, "there is another item with the name \"" + name->text + "\"");
  }
  return {};
}

base::Status read_inline(const DocumentNode& node, View& view) {
  CW_TRY(const std::string path, yaml::document_text(node));
  const std::string full =
      (std::filesystem::path(view.file).parent_path() / std::filesystem::path(path)).string();
  auto text = base::read_file(full, kFileBytesMax);
  if (!text.ok()) {
    return yaml::invalid_node(node,
                              text.error().message() + ": a path relative to this file is needed");
  }
  CW_TRY(const DocumentNode root, yaml::parse_document(*text, full));
  CW_TRY(const std::vector<DocumentNode>* items, yaml::document_list(root));
  if (items->size() > kItemsMax) {
    return yaml::invalid_node(root, "more than " + std::to_string(kItemsMax) + " items");
  }
  std::set<std::pair<std::string, std::string>> seen;
  for (const DocumentNode& item : *items) {
    CW_TRY_VOID(check_item(item, view.resource.namespaced, seen));
    CW_TRY(view.source.items.emplace_back(), yaml::document_value(item, value::Numbers::kInt64));
  }
  view.source.items_version = written_at(full);
  return {};
}

base::Status read_source(MapReader& file, View& view) {
  CW_TRY(const DocumentNode* node, file.require("source"));
  CW_TRY(MapReader map, MapReader::open(*node));
  if (const DocumentNode* path = map.find("inline")) {
    if (const DocumentNode* store = file.find("store")) {
      return yaml::invalid_node(
          *store, "nothing can be stored in a file: `store` needs a source of a kind");
    }
    CW_TRY_VOID(map.finish());
    return read_inline(*path, view);
  }
  if (map.find("kind") == nullptr && map.find("apiVersion") == nullptr) {
    return yaml::invalid_node(
        *node, "names neither a kind (`apiVersion` and `kind`) nor a file (`inline`)");
  }
  CW_TRY(const std::string api_version, required_text(map, "apiVersion"));
  CW_TRY(const std::string kind, required_text(map, "kind"));
  view.source.gvk = kube::Gvk::from_api_version(api_version, kind);
  view.kind_pos = map.find("kind")->pos;
  if (const DocumentNode* selector = map.find("selector")) {
    CW_TRY(view.source.label_selector, bundle::read_label_selector(*selector));
  }
  return map.finish();
}

/// Returns the names that a template of a view may use; `source` are those of the source.
bundle::KnownNames names_in(std::string_view name, const bundle::KnownNames& source = {}) {
  bundle::KnownNames known;
  known.below.emplace("source", source);
  if (name == kStoreTemplate) {
    known.below["object"];
  }
  return known;
}

/// Returns the names of an object with this schema.
bundle::KnownNames names_of_object(const value::Value& schema) {
  bundle::KnownNames known;
  for (const char* name : {"apiVersion", "kind", "metadata"}) {
    known.below[name];
  }
  known.schema.emplace(schema, bundle::Unlisted::kDropped);
  return known;
}

/// Parses a template of the view. Its errors have the position in the view's file.
base::Status read_template(const DocumentNode& node, std::string_view name, View& view,
                           tmpl::Template& templates) {
  CW_TRY(std::string text, yaml::document_string(node));
  const auto parsed = templates.parse_tree(name, std::move(text));
  if (parsed.ok()) {
    view.written.push_back({*parsed, node.pos, node.path});
    return bundle::check_names(**parsed, {node.pos, node.path}, names_in(name));
  }
  const int line = parsed.error().pos() ? parsed.error().pos()->line : 0;
  Error error = yaml::invalid_node(node, parsed.error().message());
  // A block begins on the line after its key.
  const int begin = node.pos.line + (node.plain || line == 0 ? 0 : line);
  return std::move(error).at({view.file, begin, 0});
}

base::Status read_templates(MapReader& file, View& view) {
  auto templates = std::make_shared<tmpl::Template>(helm::helm_functions());
  const DocumentNode* project = file.find(kProjectTemplate);
  if (project == nullptr && !view.source.is_inline()) {
    CW_TRY_DISCARD(file.require(kProjectTemplate));
  }
  for (const auto& [node, name] :
       {std::pair{project, kProjectTemplate}, {file.find(kStoreTemplate), kStoreTemplate}}) {
    if (node != nullptr) {
      CW_TRY_VOID(read_template(*node, name, view, *templates));
    }
  }
  view.templates = std::move(templates);
  return {};
}

base::Status read_schema(MapReader& file, View& view) {
  const DocumentNode* node = file.find("schema");
  if (node == nullptr) {
    return {};
  }
  CW_TRY_DISCARD(MapReader::open(*node));
  CW_TRY(value::Value schema, yaml::document_value(*node, value::Numbers::kInt64));
  CW_TRY(const std::string json, value::to_json(schema, value::JsonEscape::kNone));
  auto compiled = helm::Schema::compile(json);
  if (!compiled.ok()) {
    return yaml::invalid_node(*node, compiled.error().message());
  }
  view.validator = std::make_shared<const helm::Schema>(*std::move(compiled));
  view.schema = std::move(schema);
  return {};
}

base::Result<Column> read_column(const DocumentNode& node) {
  CW_TRY(MapReader map, MapReader::open(node));
  Column column{"", value::Path({}), "string", "", "", 0};
  CW_TRY(column.name, required_text(map, "name"));
  CW_TRY(const DocumentNode* path_node, map.require("jsonPath"));
  CW_TRY(const std::string text, yaml::document_text(*path_node));
  auto path = value::Path::parse(text.starts_with('.') ? std::string_view(text).substr(1) : text);
  if (!path.ok()) {
    return yaml::invalid_node(*path_node,
                              "\"" + text + "\": " + path.error().message() +
                                  ": a path such as .spec.containers or .status.items[0].name");
  }
  column.path = *std::move(path);
  if (const DocumentNode* type = map.find("type")) {
    CW_TRY(column.type, yaml::document_text(*type));
    if (std::find(kColumnTypes.begin(), kColumnTypes.end(), column.type) == kColumnTypes.end()) {
      return unknown_word(*type, kColumnTypes);
    }
  }
  CW_TRY(column.format, map.text("format"));
  CW_TRY(column.description, map.text("description"));
  if (const DocumentNode* priority = map.find("priority")) {
    CW_TRY(column.priority, yaml::document_int(*priority));
  }
  CW_TRY_VOID(map.finish());
  return column;
}

/// Refuses a column of a field that the schema of the view does not have.
base::Status check_column(const DocumentNode& column, const View& view) {
  if (!view.schema) {
    return {};
  }
  const DocumentNode& path = *column.find("jsonPath");
  const auto unknown =
      bundle::unknown_name(names_of_object(*view.schema), bundle::path_names(path.text));
  if (unknown) {
    return yaml::invalid_node(path, unknown->text + " (the schema of this file has the fields)");
  }
  return {};
}

base::Status read_columns(MapReader& file, View& view) {
  if (const DocumentNode* node = file.find("columns")) {
    CW_TRY(const std::vector<DocumentNode>* items, yaml::document_list(*node));
    for (const DocumentNode& item : *items) {
      CW_TRY(Column column, read_column(item));
      CW_TRY_VOID(check_column(item, view));
      view.columns.push_back(std::move(column));
    }
  }
  return {};
}

base::Result<std::vector<std::string>> files_of(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (yaml::has_yaml_name(it->path().native())) {
      files.push_back(it->path().string());
    }
  }
  if (error) {
    return Error(ErrorCode::kNotFound, folder + ": " + error.message());
  }
  if (files.empty()) {
    return Error(ErrorCode::kNotFound, folder + ": no view: a folder with *.yaml files is needed");
  }
  if (files.size() > kViewsMax) {
    return Error(ErrorCode::kBudget,
                 folder + ": more than " + std::to_string(kViewsMax) + " views");
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Every name by which clients may ask for a resource.
std::vector<std::string> names_of(const Resource& resource) {
  std::vector<std::string> names = {resource.plural, resource.singular};
  names.insert(names.end(), resource.short_names.begin(), resource.short_names.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  names.push_back("kind " + resource.kind);
  return names;
}

}  // namespace

bool View::projects() const { return templates->has(kProjectTemplate); }
bool View::stores() const { return templates->has(kStoreTemplate); }
bool View::allows(std::string_view verb) const {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

base::Result<View> parse_view(const std::string& text, const std::string& file) {
  View view;
  view.file = file;
  CW_TRY(const DocumentNode root, yaml::parse_document(text, file));
  CW_TRY(MapReader map, MapReader::open(root));
  CW_TRY_VOID(read_resource(map, view.resource));
  view.group_pos = map.find("group")->pos;
  view.resource_pos = map.find("resource")->pos;
  for (const std::string_view key : {"verbs", "source", "project", "store", "schema", "columns"}) {
    map.ignore(key);
  }
  CW_TRY_VOID(map.finish());  // Before the rest: a misspelt key explains what seems to be missing.
  CW_TRY_VOID(read_verbs(map, view));
  CW_TRY_VOID(read_source(map, view));
  CW_TRY_VOID(read_templates(map, view));
  CW_TRY_VOID(read_schema(map, view));
  CW_TRY_VOID(read_columns(map, view));
  return view;
}

namespace {

base::Result<View> read_view(const std::string& file) {
  CW_TRY(const std::string text, base::read_file(file, kFileBytesMax));
  return parse_view(text, file);
}

}  // namespace

base::Status check_source_names(const View& view, const value::Value& schema) {
  const bundle::KnownNames source = names_of_object(schema);
  for (const WrittenTemplate& one : view.written) {
    CW_TRY_VOID(bundle::check_names(*one.tree, {one.pos, one.path}, names_in(one.path, source)));
  }
  return {};
}

base::Status check_names(const std::vector<View>& views) {
  std::map<std::string, const View*> seen;
  for (const View& view : views) {
    for (const std::string& name : names_of(view.resource)) {
      const auto [first, fresh] = seen.emplace(view.resource.api_version() + " " + name, &view);
      if (!fresh) {
        return Error(ErrorCode::kInvalidArgument,
                     "resource: the name \"" + name + "\" of " + view.resource.api_version() +
                         " is taken by " + first->second->resource_pos.to_string() +
                         ": choose another")
            .at(view.resource_pos);
      }
    }
  }
  return {};
}

base::Status check_groups(const std::vector<View>& views,
                          const std::vector<bundle::Watch>& watches) {
  for (const View& view : views) {
    const Resource& resource = view.resource;
    const auto watched =
        std::find_if(watches.begin(), watches.end(), [&resource](const bundle::Watch& watch) {
          return watch.gvk.api_version() == resource.api_version();
        });
    if (watched != watches.end()) {
      return Error(ErrorCode::kInvalidArgument,
                   "group: " + resource.api_version() + " is the group and version of the kind " +
                       watched->gvk.kind +
                       ", whose CRD the API server serves itself: choose "
                       "another group or version")
          .at(view.group_pos);
    }
  }
  return {};
}

std::vector<View> load_views(const std::string& folder, base::Faults& faults) {
  std::vector<View> views;
  const auto files = files_of(folder);
  if (!files.ok()) {
    faults.add(files.error());
    return views;
  }
  for (const std::string& file : *files) {
    auto view = read_view(file);
    if (view.ok()) {
      views.push_back(*std::move(view));
    } else {
      faults.add(std::move(view).error());
    }
  }
  faults.add(check_names(views));
  return views;
}

base::Result<std::vector<View>> load_views(const std::string& folder) {
  base::Faults faults;
  std::vector<View> views = load_views(folder, faults);
  CW_TRY_VOID(faults.status());
  return views;
}

}  // namespace chartwright::views
