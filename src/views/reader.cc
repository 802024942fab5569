// SPDX-License-Identifier: Apache-2.0
#include "views/reader.h"

#include <utility>

#include "base/digest.h"
#include "base/memory_limit.h"
#include "base/strings.h"
#include "kube/names.h"
#include "views/api_errors.h"

namespace chartwright::views {
namespace {

using base::ErrorCode;
using value::Value;

constexpr int64_t kPageObjects = 500;
constexpr size_t kListObjectsMax = 200'000;
// A page of sources may take one part in so many of the memory that is left: their objects need
// some.
constexpr size_t kPageShare = 2;

/// The place in an inline list after a page: its resourceVersion and the number of items before it.
std::string encode_place(const std::string& version, size_t index) {
  return base::base64_encode(version + ":" + std::to_string(index));
}

base::Result<size_t> decode_place(const std::string& token, const std::string& version) {
  const auto text = base::base64_decode(token);
  const auto parts = base::split(text.ok() ? *text : "", ':');
  const auto index = parts.size() == 2 ? base::parse_int(parts[1]) : std::nullopt;
  if (!index || *index < 0) {
    return bad_request("continue key is not valid");
  }
  if (parts[0] != version) {
    return expired("The provided continue parameter is too old to display a consistent list");
  }
  return static_cast<size_t>(*index);
}

bool wants_any_state(const ListQuery& query) {
  return query.resource_version == "0" && !query.exact_version && query.continue_token.empty();
}

}  // namespace

base::Error Reader::not_found(std::string_view name) const {
  return object_not_found(projector_.view().resource, name);
}

base::Result<ObjectPage> Reader::list(const ListQuery& query, Work& work) const {
  if (client_ == nullptr) {
    return list_feed(query);
  }
  if (wants_any_state(query) && feed_.has_synced()) {
    // As the API server does, which ignores the limit of such a list.
    ListQuery all = query;
    all.limit = 0;
    return list_feed(all);
  }
  return list_source(query, work);
}

base::Result<ObjectPage> Reader::list_feed(const ListQuery& query) const {
  CW_TRY(Feed::Snapshot all, feed_.snapshot(query.ns));
  if (query.exact_version && query.resource_version != all.resource_version) {
    return expired("The provided resource version is not the one that is served");
  }
  std::erase_if(all.objects, [&](const Shown& object) { return !query.selects(*object); });
  size_t first = 0;
  if (!query.continue_token.empty()) {
    CW_TRY(first, decode_place(query.continue_token, all.resource_version));
  }
  ObjectPage page;
  page.resource_version = all.resource_version;
  first = std::min(first, all.objects.size());
  const size_t left = all.objects.size() - first;
  const size_t count = query.limit > 0 ? std::min(left, static_cast<size_t>(query.limit)) : left;
  const auto begin = all.objects.begin() + static_cast<std::ptrdiff_t>(first);
  page.items.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  if (count < left) {
    page.continue_token = encode_place(all.resource_version, first + count);
  }
  return page;
}

/// Returns the object of a source, null if it is not shown. One version of a source has one object:
/// a template that reads the clock must not show a list another than a watch.
base::Result<Shown> Reader::show(const Value& source) const {
  if (auto known = feed_.shown(source)) {
    return *std::move(known);
  }
  auto object = projector_.project(value::deep_copy(source));
  if (!object.ok()) {
    return internal_error(object.error().message());
  }
  return object->is_nil() ? Shown() : std::make_shared<const Value>(*std::move(object));
}

base::Status Reader::add_page(const ListQuery& query, std::vector<Value> sources, Work& work,
                              ObjectPage& page) const {
  for (Value& source : sources) {
    CW_TRY_VOID(work.check());
    CW_TRY(Shown object, show(std::exchange(source, {})));
    if (object != nullptr && query.selects(*object)) {
      page.items.push_back(std::move(object));
    }
  }
  if (page.items.size() > kListObjectsMax) {
    return internal_error("more than " + std::to_string(kListObjectsMax) +
                          " objects: list them in pages");
  }
  return {};
}

/// Lists one page. If its sources are too large for the memory of the request, takes half as many,
/// for the following pages as well.
base::Result<kube::ListPage> Reader::source_page(kube::ListOptions& options, Work& work) const {
  while (true) {
    const uint64_t refused = base::MemoryLimit::refusals();
    auto page = base::within_memory(base::MemoryLimit::left() / kPageShare, [&] {
      return client_->list(projector_.view().source.gvk, options, work.call());
    });
    if (page.ok() || base::MemoryLimit::refusals() == refused || options.limit <= 1) {
      return page;
    }
    options.limit /= 2;
  }
}

base::Result<ObjectPage> Reader::list_source(const ListQuery& query, Work& work) const {
  const View& view = projector_.view();
  kube::ListOptions options;
  options.selection = {query.ns, view.source.label_selector, ""};
  options.limit = query.limit > 0 ? std::min(query.limit, kPageObjects) : kPageObjects;
  options.continue_token = query.continue_token;
  if (query.exact_version) {
    options.resource_version = query.resource_version;
    options.version_match = kube::VersionMatch::kExact;
  }
  ObjectPage page;
  do {
    auto sources = source_page(options, work);
    if (!sources.ok()) {
      const bool bad_token = sources.error().http_status() == 400 && !query.continue_token.empty();
      return bad_token ? bad_request("continue key is not valid")
                       : source_failure(view, sources.error());
    }
    CW_TRY_VOID(add_page(query, std::move(sources->items), work, page));
    page.resource_version = std::move(sources->resource_version);
    page.continue_token = std::move(sources->continue_token);
    options.continue_token = page.continue_token;
    options.resource_version.clear();  // The token has it.
    options.version_match = kube::VersionMatch::kDefault;
  } while (query.limit <= 0 && !page.continue_token.empty());
  return page;
}

base::Result<Found> Reader::get_indexed(const kube::ObjectRef& source, std::string_view name,
                                        Work& work) const {
  const View& view = projector_.view();
  auto live = client_->get(source, work.call());
  if (!live.ok()) {
    return live.error().code() == ErrorCode::kNotFound &&
                   live.error().reason() != kube::kNoMatchReason
               ? not_found(name)
               : source_failure(view, live.error());
  }
  auto object = projector_.project(value::deep_copy(*live));
  if (!object.ok()) {
    return internal_error(object.error().message());
  }
  if (object->is_nil() || kube::name_of(*object) != name) {
    return not_found(name);
  }
  return Found{*std::move(live), *std::move(object)};
}

/// Looks through the newest state of sources.
base::Result<Found> Reader::search(kube::Selection among, std::string_view name, Work& work) const {
  kube::ListOptions options;
  options.selection = std::move(among);
  options.limit = kPageObjects;
  do {
    auto sources = source_page(options, work);
    if (!sources.ok()) {
      return source_failure(projector_.view(), sources.error());
    }
    for (Value& source : sources->items) {
      CW_TRY_VOID(work.check());
      const auto object = show(source);
      // One that cannot be shown has no name.
      if (object.ok() && *object != nullptr && kube::name_of(**object) == name) {
        return Found{std::move(source), value::deep_copy(**object)};
      }
    }
    options.continue_token = sources->continue_token;
  } while (!options.continue_token.empty());
  return not_found(name);
}

base::Result<Found> Reader::get_from_feed(std::string_view ns, std::string_view name) const {
  CW_TRY(const Feed::Snapshot all, feed_.snapshot(ns));
  for (const Shown& object : all.objects) {
    if (kube::name_of(*object) == name) {
      return Found{{}, value::deep_copy(*object)};
    }
  }
  return not_found(name);
}

base::Result<Found> Reader::get(std::string_view ns, std::string_view name, Work& work) const {
  if (client_ == nullptr) {
    return get_from_feed(ns, name);
  }
  const Source& source = projector_.view().source;
  if (const auto indexed = feed_.source_of({std::string(ns), std::string(name)})) {
    auto found = get_indexed({source.gvk, indexed->first, indexed->second}, name, work);
    if (found.ok() || found.error().code() != ErrorCode::kNotFound) {
      return found;
    }
  }
  kube::Selection among = {std::string(ns), source.label_selector, ""};
  if (const auto rule = feed_.name_rule(ns)) {
    const auto candidate = rule->source_of(name);
    if (!candidate || !kube::is_dns_subdomain(*candidate)) {
      return not_found(name);
    }
    among.field_selector = "metadata.name=" + *candidate;
  }
  return search(std::move(among), name, work);
}

}  // namespace chartwright::views
