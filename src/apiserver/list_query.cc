// SPDX-License-Identifier: Apache-2.0
#include "apiserver/list_query.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/strings.h"
#include "views/api_errors.h"

namespace chartwright::apiserver {
namespace {

using views::bad_request;
using views::FieldSelector;
using views::ListQuery;

constexpr int64_t kWatchSecondsMin = 1800;
constexpr int64_t kWatchSecondsMax = 3600;

base::Error invalid_options(const std::string& problem) {
  return base::Error(base::ErrorCode::kInvalid,
                     "ListOptions.meta.k8s.io \"\" is invalid: " + problem)
      .with_http(422, "Invalid");
}

base::Status read_version(const Target& target, ListQuery& query) {
  query.resource_version = target.parameter("resourceVersion");
  const std::string match = target.parameter("resourceVersionMatch");
  if (!query.resource_version.empty() && !base::is_all_digits(query.resource_version)) {
    return bad_request("Invalid value: \"" + query.resource_version +
                       "\": a resourceVersion is a whole number here");
  }
  if (match.empty()) {
    return {};
  }
  if (match != "Exact" && match != "NotOlderThan") {
    return invalid_options("resourceVersionMatch: Unsupported value: \"" + match +
                           "\": supported values: \"Exact\", \"NotOlderThan\"");
  }
  query.exact_version = match == "Exact";
  if (query.resource_version.empty() && !target.flag("sendInitialEvents")) {
    return invalid_options(
        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion "
        "is provided");
  }
  if (query.exact_version && query.resource_version == "0") {
    return invalid_options(
        "resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is forbidden for "
        "resourceVersion \"0\"");
  }
  return {};
}

base::Result<ListQuery> read_selection(const Target& target, const std::string& ns) {
  ListQuery query;
  query.ns = ns;
  auto labels = kube::LabelSelector::parse(target.parameter("labelSelector"));
  if (!labels.ok()) {
    return bad_request("unable to parse labelSelector: " + labels.error().message());
  }
  query.labels = *std::move(labels);
  CW_TRY(query.fields, FieldSelector::parse(target.parameter("fieldSelector")));
  CW_TRY_VOID(read_version(target, query));
  return query;
}

}  // namespace

base::Result<ListQuery> read_list_query(const Target& target, const std::string& ns) {
  CW_TRY(ListQuery query, read_selection(target, ns));
  query.continue_token = target.parameter("continue");
  if (!query.continue_token.empty() && !query.resource_version.empty()) {
    return bad_request("specifying resource version is not allowed when using continue");
  }
  const std::string limit = target.parameter("limit");
  if (!limit.empty()) {
    const auto number = base::parse_int(limit);
    if (!number || *number < 0) {
      return bad_request("limit: \"" + limit + "\" is not a number of objects");
    }
    query.limit = *number;
  }
  return query;
}

base::Result<WatchQuery> read_watch_query(const Target& target, const std::string& ns) {
  WatchQuery query;
  CW_TRY(query.selection, read_selection(target, ns));
  query.bookmarks = target.flag("allowWatchBookmarks");
  query.initial = target.flag("sendInitialEvents");
  const std::string match = target.parameter("resourceVersionMatch");
  if (query.initial && match != "NotOlderThan") {
    return invalid_options(
        "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch "
        "to NotOlderThan");
  }
  if (!query.initial && !match.empty()) {
    return invalid_options(
        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless "
        "sendInitialEvents is provided");
  }
  return query;
}

base::Result<base::Duration> read_watch_timeout(const Target& target) {
  const std::string text = target.parameter("timeoutSeconds");
  if (text.empty() || text == "0") {
    // Spread, so that not all watches of a client come back at once.
    const int64_t spread = base::random_seed() % (kWatchSecondsMax - kWatchSecondsMin);
    return base::Duration(std::chrono::seconds(kWatchSecondsMin + spread));
  }
  const auto seconds = base::parse_int(text);
  if (!seconds || *seconds < 0) {
    return bad_request("timeoutSeconds: \"" + text + "\" is not a number of seconds");
  }
  return base::Duration(std::chrono::seconds(std::min(*seconds, kWatchSecondsMax)));
}

base::Result<Rendition> read_rendition(const Target& target, std::string_view accept,
                                       Form metadata_form) {
  Rendition rendition;
  CW_TRY(rendition.accepted, negotiate(accept, {{Form::kPlain, ""},
                                                {Form::kTable, "v1"},
                                                {Form::kTable, "v1beta1"},
                                                {metadata_form, "v1"},
                                                {metadata_form, "v1beta1"}}));
  const std::string include = target.parameter("includeObject");
  if (include == "None") {
    rendition.include = IncludeObject::kNone;
  } else if (include == "Object") {
    rendition.include = IncludeObject::kObject;
  } else if (!include.empty() && include != "Metadata") {
    return bad_request("includeObject: \"" + include + "\" is not one of None, Metadata, Object");
  }
  return rendition;
}

}  // namespace chartwright::apiserver
