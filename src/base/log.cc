// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <spdlog/formatter.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/json_text.h"

namespace chartwright::base {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

// Returns the level's name as zap writes it.
std::string_view level_name(spdlog::level::level_enum level, LogEncoding encoding) {
  const bool json = encoding == LogEncoding::kJson;
  switch (level) {
    case spdlog::level::debug:
      return json ? "debug" : "DEBUG";
    case spdlog::level::warn:
      return json ? "warn" : "WARN";
    case spdlog::level::err:
      return json ? "error" : "ERROR";
    default:
      return json ? "info" : "INFO";
  }
}

void append_text(std::string& out, std::string_view text) {
  append_json_string(out, text, JsonEscape::kNone);
}

void append_number(std::string& out, double number) {
  // JSON has no NaN and no infinity. zap, too, writes them as strings.
  if (std::isnan(number)) {
    out += "\"NaN\"";
  } else if (std::isinf(number)) {
    out += number > 0 ? "\"+Inf\"" : "\"-Inf\"";
  } else {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
    out.append(buffer.data(), end);
  }
}

void append_scalar(std::string& out, const LogField::Scalar& scalar) {
  if (const auto* text = std::get_if<std::string>(&scalar)) {
    append_text(out, *text);
  } else if (const auto* whole = std::get_if<int64_t>(&scalar)) {
    out += std::to_string(*whole);
  } else if (const auto* number = std::get_if<double>(&scalar)) {
    append_number(out, *number);
  } else {
    out += std::get<bool>(scalar) ? "true" : "false";
  }
}

// Appends a comma and a `"key":value` pair.
void append_field(std::string& out, const LogField& field) {
  out += ',';
  append_text(out, field.key);
  out += ':';
  append_scalar(out, field.value);
}

// Quotes text with special characters: a line break in a message must not make two console lines.
void append_console_text(std::string& out, std::string_view text) {
  std::string quoted;
  append_text(quoted, text);
  const bool plain = quoted.size() == text.size() + 2;
  out += plain ? std::string_view(text) : std::string_view(quoted);
}

// Builds a line around spdlog's payload, which holds its middle part (logger, message, fields).
// Only this class and Logger::write know what a log line looks like.
class LineFormatter final : public spdlog::formatter {
 public:
  explicit LineFormatter(LogEncoding encoding) : encoding_(encoding) {}

  void format(const spdlog::details::log_msg& msg, spdlog::memory_buf_t& dest) override {
    const std::string ts = format_rfc3339_micro(msg.time);
    const std::string_view level = level_name(msg.level, encoding_);
    std::string head;
    if (encoding_ == LogEncoding::kJson) {
      head.append("{\"level\":\"").append(level).append("\",\"ts\":\"").append(ts).append("\"");
    } else {
      head.append(ts).append("\t").append(level);
    }
    dest.append(head.data(), head.data() + head.size());
    dest.append(msg.payload.data(), msg.payload.data() + msg.payload.size());
    const std::string_view tail = encoding_ == LogEncoding::kJson ? "}\n" : "\n";
    dest.append(tail.data(), tail.data() + tail.size());
  }

  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<LineFormatter>(encoding_);
  }

 private:
  const LogEncoding encoding_;
};

// Passes complete lines to a function, one at a time.
class FunctionSink final : public spdlog::sinks::sink {
 public:
  explicit FunctionSink(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

  void log(const spdlog::details::log_msg& msg) override {
    MutexLock lock(mutex_);
    spdlog::memory_buf_t line;
    formatter_->format(msg, line);
    write_(std::string_view(line.data(), line.size()));
  }
  void flush() override {}
  void set_pattern(const std::string& /*pattern*/) override {}  // The form of the line is fixed.
  void set_formatter(std::unique_ptr<spdlog::formatter> formatter) override {
    MutexLock lock(mutex_);
    formatter_ = std::move(formatter);
  }

 private:
  Mutex mutex_;
  const std::function<void(std::string_view)> write_;
  std::unique_ptr<spdlog::formatter> formatter_ CW_GUARDED_BY(mutex_);
};

}  // namespace

struct Logger::Sink {
  Sink(const LogOptions& options, const Clock& time, spdlog::sink_ptr target)
      : encoding(options.encoding), clock(time), logger("chartwright", std::move(target)) {
    logger.set_level(to_spdlog(options.level));
    logger.set_formatter(std::make_unique<LineFormatter>(options.encoding));
  }
  const LogEncoding encoding;
  const Clock& clock;
  // spdlog's log() is not const, but many threads may call it at once.
  mutable spdlog::logger logger;
};

Logger::Logger(const LogOptions& options, const Clock& clock)
    : sink_(std::make_shared<const Sink>(options, clock,
                                         std::make_shared<spdlog::sinks::stderr_sink_mt>())) {}

Logger::Logger(const LogOptions& options, const Clock& clock,
               std::function<void(std::string_view)> sink)
    : sink_(std::make_shared<const Sink>(options, clock,
                                         std::make_shared<FunctionSink>(std::move(sink)))) {}

Logger Logger::with(std::initializer_list<LogField> fields) const {
  Logger out = *this;
  out.context_.insert(out.context_.end(), fields.begin(), fields.end());
  return out;
}

Logger Logger::named(std::string_view name) const {
  Logger out = *this;
  out.name_ = name;
  return out;
}

bool Logger::enabled(LogLevel level) const { return sink_->logger.should_log(to_spdlog(level)); }

void Logger::debug(std::string_view message, std::initializer_list<LogField> fields) const {
  write(LogLevel::kDebug, message, fields);
}

void Logger::info(std::string_view message, std::initializer_list<LogField> fields) const {
  write(LogLevel::kInfo, message, fields);
}

void Logger::warn(std::string_view message, std::initializer_list<LogField> fields) const {
  write(LogLevel::kWarn, message, fields);
}

void Logger::error(std::string_view message, std::initializer_list<LogField> fields) const {
  write(LogLevel::kError, message, fields);
}

void Logger::error(std::string_view message, const Error& error,
                   std::initializer_list<LogField> fields) const {
  Logger out = with(fields);
  if (error.pos()) {
    const SourcePos& pos = *error.pos();
    out.context_.emplace_back("file", pos.file);
    out.context_.emplace_back("line", pos.line);
    out.context_.emplace_back("column", pos.column);
  }
  out.context_.emplace_back("code", to_string(error.code()));
  out.context_.emplace_back("error", error.message());
  out.write(LogLevel::kError, message, {});
}

void Logger::write(LogLevel level, std::string_view message,
                   std::initializer_list<LogField> fields) const {
  if (!enabled(level)) {
    return;
  }
  std::string members;
  for (const LogField& field : context_) {
    append_field(members, field);
  }
  for (const LogField& field : fields) {
    append_field(members, field);
  }
  std::string line;
  if (sink_->encoding == LogEncoding::kJson) {
    if (!name_.empty()) {
      line += ",\"logger\":";
      append_text(line, name_);
    }
    line += ",\"msg\":";
    append_text(line, message);
    line += members;
  } else {
    if (!name_.empty()) {
      line += "\t" + name_;
    }
    line += '\t';
    append_console_text(line, message);
    if (!members.empty()) {
      line.append("\t{").append(members, 1).append("}");
    }
  }
  const auto time = std::chrono::time_point_cast<spdlog::log_clock::duration>(sink_->clock.wall());
  sink_->logger.log(time, spdlog::source_loc{}, to_spdlog(level), spdlog::string_view_t(line));
}

}  // namespace chartwright::base
