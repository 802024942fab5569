// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <utility>

namespace chartwright::base {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kAlreadyExists:
      return "already_exists";
    case ErrorCode::kParse:
      return "parse";
    case ErrorCode::kTemplate:
      return "template";
    case ErrorCode::kSchema:
      return "schema";
    case ErrorCode::kBudget:
      return "budget";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kOwnership:
      return "ownership";
    case ErrorCode::kForbidden:
      return "forbidden";
    case ErrorCode::kUnauthorized:
      return "unauthorized";
    case ErrorCode::kInvalid:
      return "invalid";
    case ErrorCode::kImmutable:
      return "immutable";
    case ErrorCode::kExpired:
      return "expired";
    case ErrorCode::kTooManyRequests:
      return "too_many_requests";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "unknown";
}

std::string SourcePos::to_string() const {
  std::string out = file;
  if (line > 0) {
    out += (file.empty() ? "" : ":") + std::to_string(line);
    if (column > 0) {
      out += ":" + std::to_string(column);
    }
  }
  return out;
}

Error::Error(ErrorCode code, std::string message)
    : data_(std::make_shared<Data>(Data{code, std::move(message), {}, 0, 0, {}, {}, {}})) {}

Error::Data& Error::edit() {
  if (data_.use_count() > 1) {
    data_ = std::make_shared<Data>(*data_);
  }
  return *data_;
}

Error&& Error::at(SourcePos pos) && {
  edit().pos = std::move(pos);
  return std::move(*this);
}

Error&& Error::with_http(int status, std::string reason) && {
  edit().http_status = status;
  data_->reason = std::move(reason);
  return std::move(*this);
}

Error&& Error::with_causes(std::vector<ErrorCause> causes) && {
  edit().causes = std::move(causes);
  return std::move(*this);
}

Error&& Error::with_retry_after(int seconds) && {
  edit().retry_after_s = seconds;
  return std::move(*this);
}

Error&& Error::with_help(std::string help) && {
  edit().help = std::move(help);
  return std::move(*this);
}

Error&& Error::wrap(std::string_view context) && {
  Data& data = edit();
  data.message = std::string(context) + ": " + data.message;
  return std::move(*this);
}

std::string Error::to_string() const {
  std::string out;
  if (data_->pos) {
    out = data_->pos->to_string() + ": ";
  }
  out += data_->message;
  if (!data_->help.empty()) {
    out += "\n" + data_->help;
  }
  return out;
}

}  // namespace chartwright::base
