// SPDX-License-Identifier: Apache-2.0
#include "helm/schema/reference.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/strings.h"
#include "go/quote.h"
#include "go/url.h"

namespace chartwright::helm {
namespace {

base::Error loading_failed(const std::string& url, const std::string& why) {
  return {base::ErrorCode::kSchema, "failing loading " + go::quote(url) + ": " + why};
}

/// The parts of a URL or reference as they are written, with the characters that separate them:
/// "http:", "//host:80", "/path", "?query".
struct Parts {
  std::string_view scheme;
  std::string_view authority;
  std::string_view path;
  std::string_view query;
};

Parts parts_of(std::string_view text) {
  Parts parts;
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos && colon < text.find_first_of("/?")) {
    parts.scheme = text.substr(0, colon + 1);
    text.remove_prefix(colon + 1);
  }
  if (text.starts_with("//")) {
    parts.authority = text.substr(0, std::min(text.size(), text.find_first_of("/?", 2)));
    text.remove_prefix(parts.authority.size());
  }
  parts.path = text.substr(0, text.find('?'));
  parts.query = text.substr(parts.path.size());
  return parts;
}

/// Removes "." and ".." from an absolute path; nothing is above its root.
std::string without_dots(std::string_view path) {
  std::vector<std::string_view> kept;
  bool is_folder = false;
  for (std::string_view segment : base::split(path.substr(1), '/')) {
    is_folder = segment == "." || segment == "..";
    if (segment == ".." && !kept.empty()) {
      kept.pop_back();
    } else if (!is_folder) {
      kept.push_back(segment);
    }
  }
  std::string clean;
  for (std::string_view segment : kept) {
    clean.append("/").append(segment);
  }
  return is_folder || clean.empty() ? clean + "/" : clean;
}

/// Returns the path that `reference` leads to from the path `base` of the same server.
std::string joined_path(std::string_view base, std::string_view reference) {
  std::string whole;
  if (reference.empty()) {
    whole = base;
  } else if (reference.front() == '/') {
    whole = reference;
  } else {
    whole = std::string(base.substr(0, base.rfind('/') + 1)) + std::string(reference);
  }
  if (!whole.empty() && whole.front() != '/') {
    whole.insert(0, "/");
  }
  return whole.empty() ? whole : without_dots(whole);
}

}  // namespace

SplitUrl split_fragment(std::string_view text) {
  const size_t hash = text.find('#');
  SplitUrl split{std::string(text.substr(0, hash)), ""};
  const std::string_view raw = hash == std::string_view::npos ? "" : text.substr(hash + 1);
  for (size_t i = 0; i < raw.size(); ++i) {
    const bool escaped = raw[i] == '%' && i + 2 < raw.size();
    const int high = escaped ? base::hex_digit_value(raw[i + 1]) : -1;
    const int low = escaped ? base::hex_digit_value(raw[i + 2]) : -1;
    if (high >= 0 && low >= 0) {
      split.fragment += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      split.fragment += raw[i];
    }
  }
  return split;
}

std::string join_url(std::string_view base, std::string_view reference) {
  if (reference.empty()) {
    return std::string(base);
  }
  const Parts from = parts_of(base);
  const Parts to = parts_of(reference);
  if (to.authority.empty() && (from.authority.empty() || !to.scheme.empty())) {
    return std::string(reference);
  }
  if (!to.authority.empty()) {
    return base::to_lower_ascii(to.scheme.empty() ? from.scheme : to.scheme) +
           std::string(to.authority) + joined_path("", to.path) + std::string(to.query);
  }
  const bool keeps_query = to.path.empty() && to.query.empty();
  return std::string(from.scheme) + std::string(from.authority) + joined_path(from.path, to.path) +
         std::string(keeps_query ? from.query : to.query);
}

std::optional<int> draft_of(std::string_view url) {
  url = url.substr(0, url.find('#'));
  for (std::string_view scheme : {"http://", "https://"}) {
    if (url.starts_with(scheme)) {
      url.remove_prefix(scheme.size());
      break;
    }
  }
  static constexpr std::array<std::pair<std::string_view, int>, 6> kDrafts = {
      {{"json-schema.org/schema", 2020},
       {"json-schema.org/draft/2020-12/schema", 2020},
       {"json-schema.org/draft/2019-09/schema", 2019},
       {"json-schema.org/draft-07/schema", 7},
       {"json-schema.org/draft-06/schema", 6},
       {"json-schema.org/draft-04/schema", 4}}};
  for (const auto& [known, draft] : kDrafts) {
    if (url == known) {
      return draft;
    }
  }
  return std::nullopt;
}

bool is_remote(std::string_view url) {
  return url.starts_with("http://") || url.starts_with("https://");
}

base::Error not_loaded(const std::string& url) {
  const auto parsed = go::Url::parse(url);
  if (!parsed.ok()) {
    return loading_failed(url, parsed.error().message());
  }
  const std::string written = parsed->to_string();
  if (parsed->scheme == "file") {
    return loading_failed(written, "open " + parsed->path + ": no such file or directory");
  }
  return loading_failed(url, "no URLLoader registered for " + go::quote(written));
}

base::Error unknown_draft(const std::string& url) {
  return is_remote(url) ? loading_failed(url, "$schema is not a draft of JSON Schema")
                        : not_loaded(url);
}

}  // namespace chartwright::helm
