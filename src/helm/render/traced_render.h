// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/render/inputs.h"
#include "helm/render/rendering.h"
#include "tmpl/output_trace.h"

// Renders again and records which template wrote what, so that a render that nobody asks about does
// not have to.
namespace chartwright::helm {

/// The inputs of a render that is repeated. The references must outlive it.
struct RenderRequest {
  const RenderableChart& loaded;
  const RenderInputs& inputs;
  const RenderContext& context;
};

/// Converts the column of a place in YAML, which counts characters, to bytes; 0 stays 0.
size_t byte_column(std::string_view text, const base::SourcePos& pos);

/// A file that was rendered again.
struct TracedFile {
  const std::string& path;  ///< The path as in "# Source:".
  const std::string& text;
  const tmpl::OutputTrace& trace;
  const Rendering& rendering;
};

/// Renders the files of a chart again, and calls `visit` for each that `wants` names. Only one
/// trace is in memory at a time. Schemas are not checked. Errors: those of prepare and of
/// Rendering.
base::Status trace_files(const RenderRequest& request,
                         const std::function<bool(const std::string& path)>& wants,
                         const std::function<void(const TracedFile&)>& visit);

/// A document that was rendered again.
class TracedDocument {
 public:
  TracedDocument(const TracedFile& file, std::string_view text, int first_line)
      : file_(file), text_(text), first_line_(first_line) {}

  const std::string& path() const { return file_.path; }  ///< The path as in "# Source:".
  std::string_view text() const { return text_; }         ///< The text as in helm::Manifest.
  /// Returns the place in the templates that wrote a place of the document: the innermost one, in a
  /// partial if that wrote it. Returns nullopt if the file was too long to be traced.
  std::optional<base::SourcePos> writer_of(const base::SourcePos& pos) const;
  /// Returns the actions that wrote a line of the document, from a place to its end: see
  /// OutputTrace::actions.
  std::vector<tmpl::OutputTrace::Origin> actions_at(const base::SourcePos& pos) const;
  /// The execution, for the values that these actions read.
  const Rendering& rendering() const { return file_.rendering; }

 private:
  size_t line_in_file(const base::SourcePos& pos) const {
    return static_cast<size_t>(first_line_ + pos.line - 1);
  }
  size_t column_in_file(const base::SourcePos& pos) const;

  const TracedFile& file_;
  const std::string_view text_;
  const int first_line_;  ///< In the rendered file.
};

/// Calls `visit` for each document of a chart, hooks among them. Errors: as trace_files.
base::Status trace_documents(const RenderRequest& request,
                             const std::function<void(const TracedDocument&)>& visit);

}  // namespace chartwright::helm
