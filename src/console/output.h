// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "value/value.h"

namespace chartwright::cmd {

/// The flag --output of a command: the forms that it takes, and the one that is asked for.
struct OutputFlag {
  std::vector<std::string> words;  ///< The first one is the default.
  std::string_view help;
  std::string word = words.empty() ? "" : words.front();

  /// Reports whether the form is a document, which print_items() prints.
  bool is_document() const { return word == "json" || word == "yaml"; }
};

/// Declares --output and -o. `output` must outlive the flags.
void declare_output_flag(FlagSet& flags, OutputFlag& output);

/// Returns an error that names the forms there are, where another one is asked for.
base::Status check_output(const OutputFlag& output);

/// Prints a document whose member `items` has these values. Errors: those of document_of.
base::Status print_items(std::vector<value::Value> items, const OutputFlag& output,
                         const Streams& streams);

}  // namespace chartwright::cmd
