// SPDX-License-Identifier: Apache-2.0
#include "apiserver/request.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "views/api_errors.h"

namespace chartwright::apiserver {
namespace {

using views::bad_request;
using views::not_acceptable;

std::optional<int> hex_digit(char c) {
  const size_t at = std::string_view("0123456789abcdef").find(base::to_lower_ascii({&c, 1}));
  return at == std::string_view::npos ? std::nullopt : std::optional(static_cast<int>(at));
}

/// A media type with its parameters, from an Accept header.
struct MediaType {
  std::string type;
  std::map<std::string, std::string> parameters;
};

MediaType parse_media_type(std::string_view text) {
  MediaType media;
  const auto parts = base::split(text, ';');
  media.type = base::to_lower_ascii(base::trim(parts.front()));
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::string_view part = base::trim(parts[i]);
    const size_t equals = part.find('=');
    if (equals != std::string_view::npos) {
      media.parameters.emplace(part.substr(0, equals), part.substr(equals + 1));
    }
  }
  return media;
}

bool is_json(const std::string& type) {
  return type == "application/json" || type == "application/*" || type == "*/*";
}

/// The form that a media type asks for; nullopt for one that nobody knows.
std::optional<Accepted> form_of(const MediaType& media) {
  const auto parameter = [&](const char* name) {
    const auto found = media.parameters.find(name);
    return found == media.parameters.end() ? std::string() : found->second;
  };
  const std::string as = parameter("as");
  const std::string group = parameter("g");
  if (as.empty()) {
    return Accepted{Form::kPlain, ""};
  }
  if (as == "APIGroupDiscoveryList" && group == "apidiscovery.k8s.io") {
    return Accepted{Form::kAggregatedDiscovery, parameter("v")};
  }
  if (group != "meta.k8s.io") {
    return std::nullopt;
  }
  if (as == "Table") {
    return Accepted{Form::kTable, parameter("v")};
  }
  if (as == "PartialObjectMetadata") {
    return Accepted{Form::kPartialMetadata, parameter("v")};
  }
  if (as == "PartialObjectMetadataList") {
    return Accepted{Form::kPartialMetadataList, parameter("v")};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
    const auto low = i + 2 < text.size() ? hex_digit(text[i + 2]) : std::nullopt;
    if (!high || !low) {
      return std::nullopt;
    }
    out += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return out;
}

std::string Target::parameter(std::string_view name) const {
  const auto found = query.find(std::string(name));
  return found == query.end() ? "" : found->second;
}

bool Target::flag(std::string_view name) const {
  const auto found = query.find(std::string(name));
  // Go's EqualFold takes a long s for an s, too.
  return found != query.end() && found->second != "0" &&
         base::to_lower_ascii(base::replace_all(found->second, "\u017f", "s")) != "false";
}

base::Result<Target> parse_target(std::string_view target) {
  Target parsed;
  const size_t mark = target.find('?');
  const std::string_view path = target.substr(0, mark);
  parsed.path = path;
  for (const std::string_view segment : base::split(path, '/')) {
    const auto decoded = percent_decoded(segment);
    if (!decoded) {
      return bad_request("the path has a malformed escape");
    }
    if (!decoded->empty()) {
      parsed.segments.push_back(*decoded);
    }
  }
  if (mark == std::string_view::npos) {
    return parsed;
  }
  for (const std::string_view pair : base::split(target.substr(mark + 1), '&')) {
    if (pair.find(';') != std::string_view::npos) {
      continue;
    }
    const size_t equals = std::min(pair.find('='), pair.size());
    const auto key = percent_decoded(base::replace_all(pair.substr(0, equals), "+", " "));
    const auto text = percent_decoded(base::replace_all(
        equals < pair.size() ? pair.substr(equals + 1) : std::string_view(), "+", " "));
    if (!key || !text) {
      return bad_request("the query has a malformed escape");
    }
    if (!key->empty()) {
      parsed.query.emplace(*key, *text);
    }
  }
  return parsed;
}

std::optional<ResourcePath> parse_resource_path(const std::vector<std::string>& segments) {
  if (segments.size() < 4 || segments[0] != "apis") {
    return std::nullopt;
  }
  ResourcePath path;
  path.group = segments[1];
  path.version = segments[2];
  size_t at = 3;
  if (segments[at] == "namespaces" && segments.size() > 5) {
    path.ns = segments[at + 1];
    at += 2;
  }
  path.plural = segments[at++];
  if (at < segments.size()) {
    path.name = segments[at++];
  }
  return at == segments.size() ? std::optional(std::move(path)) : std::nullopt;
}

base::Result<Accepted> negotiate(std::string_view accept, const std::vector<Accepted>& offered) {
  if (base::trim(accept).empty()) {
    accept = "*/*";
  }
  for (const std::string_view one : base::split(accept, ',')) {
    const MediaType media = parse_media_type(one);
    const auto form = is_json(media.type) ? form_of(media) : std::nullopt;
    if (!form) {
      continue;
    }
    const auto same = std::find_if(offered.begin(), offered.end(), [&](const Accepted& offer) {
      return offer.form == form->form && offer.version == form->version;
    });
    if (same != offered.end()) {
      return *form;
    }
  }
  return not_acceptable("only the following media types are accepted: application/json");
}

}  // namespace chartwright::apiserver
