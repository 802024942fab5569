// SPDX-License-Identifier: Apache-2.0
#include "helm/lint/message.h"

namespace chartwright::helm::lint {
namespace {

std::string_view label(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "[INFO] ";
    case Severity::kWarning:
      return "[WARNING] ";
    case Severity::kError:
      break;
  }
  return "[ERROR] ";
}

}  // namespace

std::string Message::to_string() const { return std::string(label(severity)) + path + ": " + text; }

}  // namespace chartwright::helm::lint
