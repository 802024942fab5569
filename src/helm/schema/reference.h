// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

// References from one schema to another: URLs with a fragment, and why they lead nowhere.
namespace chartwright::helm {

/// A URL split at its first '#', with the fragment percent-decoded.
struct SplitUrl {
  std::string url;
  std::string fragment;
};
SplitUrl split_fragment(std::string_view text);

/// Resolves a reference without fragment against a base URL. If neither has an authority, the
/// reference is the result.
/// Source: Go net/url URL.ResolveReference.
std::string join_url(std::string_view base, std::string_view reference);

/// Returns the draft that a "$schema" names, ignoring its fragment; nullopt if it is unknown.
std::optional<int> draft_of(std::string_view url);

/// Reports whether the document at `url` can be asked of a SchemaSource: its scheme is http or
/// https.
bool is_remote(std::string_view url);

/// Returns the error for a document that no source is asked for: one with another scheme. Files are
/// never read, so that they do not exist.
base::Error not_loaded(const std::string& url);
/// Returns the error for a "$schema" that is not one of the drafts, although it may be at `url`.
base::Error unknown_draft(const std::string& url);

}  // namespace chartwright::helm
