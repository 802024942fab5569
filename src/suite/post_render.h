// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/result.h"
#include "suite/suite.h"

namespace chartwright::suite {

/// The texts of rendered files, by path.
using RenderedTexts = std::map<std::string, std::string>;

/// Runs a program with manifests as its input, and returns what it prints.
using PostRender =
    std::function<base::Result<std::string>(const PostRenderer&, const std::string& manifests)>;

/// The file that has everything that a post-renderer prints, if that names no file.
inline constexpr std::string_view kPostRenderedFile = "manifest.yaml";

/// Runs the post-renderer of a job over all that was rendered, with the path of each file in a
/// comment, and returns the files that it prints. Errors: kInvalidArgument if `run` is empty: no
/// program may be run; those of `run`.
/// Source: helm-unittest pkg/unittest/test_job.go MergeAndPostRender, SplitManifests.
base::Result<RenderedTexts> post_rendered(const PostRenderer& renderer, const RenderedTexts& texts,
                                          const PostRender& run);

}  // namespace chartwright::suite
