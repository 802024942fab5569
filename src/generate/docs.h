// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/watch.h"
#include "generate/manifests.h"

namespace chartwright::generate {

/// A reference of kinds in Markdown, for the users of an operator.
struct Docs {
  std::string page;                  ///< All kinds on one page.
  std::vector<GeneratedFile> files;  ///< A page for each kind: "bookstores.blog.velotio.com.md".
  std::vector<AccessNote> notes;
};

/// Returns the reference of the kinds of some watches, from their CRDs and charts. Texts of charts
/// are escaped and shortened; defaults that may be credentials and the values of overrideValues are
/// not shown. Errors: those of crd_of, schema_of and written_objects.
base::Result<Docs> docs_of(const std::vector<bundle::Watch>& watches);

}  // namespace chartwright::generate
