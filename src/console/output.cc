// SPDX-License-Identifier: Apache-2.0
#include "console/output.h"

#include <algorithm>

#include "base/strings.h"
#include "go/quote.h"
#include "report/table.h"

namespace chartwright::cmd {

using base::Error;
using base::ErrorCode;

void declare_output_flag(FlagSet& flags, OutputFlag& output) {
  flags.text(
      output.word,
      {.name = "output", .letter = 'o', .help = output.help, .takes = {.words = output.words}});
}

base::Status check_output(const OutputFlag& output) {
  if (std::ranges::find(output.words, output.word) != output.words.end()) {
    return {};
  }
  const std::vector<std::string> first(output.words.begin(), output.words.end() - 1);
  return Error(ErrorCode::kInvalidArgument, "--output: " + go::quote(output.word) + " is not " +
                                                base::join(first, ", ") + " or " +
                                                output.words.back());
}

base::Status print_items(std::vector<value::Value> items, const OutputFlag& output,
                         const Streams& streams) {
  CW_TRY(const std::string text,
         document_of(std::move(items), output.word == "json" ? DataForm::kJson : DataForm::kYaml));
  streams.out(text);
  return {};
}

}  // namespace chartwright::cmd
