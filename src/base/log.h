// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"

namespace chartwright::base {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarn, kError };
enum class LogEncoding : uint8_t { kJson, kConsole };

/// A key and a value of a log line. Never pass chart values, manifests or Secret data.
struct LogField {
  using Scalar = std::variant<std::string, int64_t, double, bool>;
  std::string key;
  Scalar value;
  LogField(std::string_view k, std::string_view v) : key(k), value(std::string(v)) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(std::string(v)) {}
  LogField(std::string_view k, int64_t v) : key(k), value(v) {}
  LogField(std::string_view k, int v) : key(k), value(int64_t{v}) {}
  LogField(std::string_view k, size_t v) : key(k), value(static_cast<int64_t>(v)) {}
  LogField(std::string_view k, double v) : key(k), value(v) {}
  LogField(std::string_view k, bool v) : key(k), value(v) {}
};

struct LogOptions {
  LogLevel level = LogLevel::kInfo;
  LogEncoding encoding = LogEncoding::kJson;
};

/// Writes one line per event to stderr: a constant message with fields, never an interpolated
/// message. Loggers are cheap to copy and share one sink. A logger made by `with` adds its fields
/// to every line. Thread-safe.
class Logger {
 public:
  /// Writes to stderr.
  Logger(const LogOptions& options, const Clock& clock);
  /// Writes complete lines to `sink`, for tests.
  Logger(const LogOptions& options, const Clock& clock, std::function<void(std::string_view)> sink);

  Logger with(std::initializer_list<LogField> fields) const;
  /// Returns a logger whose lines carry `"logger": name` (helm-operator's loggers are `cmd` and
  /// `helm.controller`).
  Logger named(std::string_view name) const;

  bool enabled(LogLevel level) const;
  void debug(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void info(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void warn(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  void error(std::string_view message, std::initializer_list<LogField> fields = {}) const;
  /// Logs `error` with its code, position and message as fields.
  void error(std::string_view message, const Error& error,
             std::initializer_list<LogField> fields = {}) const;

 private:
  struct Sink;
  void write(LogLevel level, std::string_view message,
             std::initializer_list<LogField> fields) const;
  std::shared_ptr<const Sink> sink_;
  std::string name_;
  std::vector<LogField> context_;
};

}  // namespace chartwright::base
