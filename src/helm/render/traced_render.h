// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/render/inputs.h"
#include "helm/render/rendering.h"
#include "tmpl/output_trace.h"
#include "value/path.h"
#include "value/value.h"

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
/// Does the same with a chart that is prepared.
base::Status trace_files(const RenderRequest& request, const PreparedChart& prepared,
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

/// Something that the line of a template reads.
struct ReadOperand {
  std::string name;  ///< ".Values.image.tag", ".Release.Name".
  /// The path among the values of the root chart; empty: it is not a value.
  std::vector<value::Path::Step> path;
  std::optional<value::Value> value;  ///< nullopt: it is not set.
  /// Where the value is set, the place that wins first.
  std::vector<ValueOrigins::Origin> origins;
};

/// The origin of a field in the templates.
struct TemplateLines {
  /// The line with the name of the field, then those of partials that write its value; empty if
  /// that is not known.
  std::vector<base::SourcePos> places;
  std::vector<ReadOperand> reads;
};

/// A field in a rendered document.
struct RenderedField {
  const std::vector<value::Path::Step>& steps;  ///< In the document.
  const value::Value& value;
};

/// Finds the lines of templates that write fields of one document. The document must outlive it.
class LineReader {
 public:
  explicit LineReader(const TracedDocument& document)
      : document_(document), origins_(document.rendering().origins()) {}

  TemplateLines lines_of(const RenderedField& field);

 private:
  using Steps = std::vector<value::Path::Step>;
  std::optional<Steps> path_of(const tmpl::Operand& operand);
  ReadOperand read_of(const tmpl::Operand& operand, const RenderedField& field);

  const TracedDocument& document_;
  const ValueOrigins origins_;
  /// The paths among the values of the tables that were searched.
  std::map<const value::Dict*, std::optional<Steps>> holders_;
};

}  // namespace chartwright::helm
