// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <iostream>
#include <string>

#include "base/digest.h"
#include "helm/version/profile.h"
#include "test/cases/case_file.h"
#include "test/helm/render/case_answer.h"
#include "value/json.h"

// Answers the cases of the differential fuzzer. Reads one JSON object per line from standard input,
//   {"helm": "3.22", "sections": [{"name": "template", "arg": "", "text": "{{ 1 }}"}, …]}
// and writes one JSON object per line to standard output: {"want": HEX}, {"error": HEX}, or
// {"refused": HEX} if the budget ended the render. HEX is hexadecimal because output need not be
// UTF-8. Exits at the end of the input.
namespace chartwright::helm {
namespace {

using value::Value;

base::Result<std::string> text_of(const Value& dict, std::string_view key) {
  const Value* found = dict.is_dict() ? dict.as_dict().find(key) : nullptr;
  if (found == nullptr || !found->is_string()) {
    return base::Error(base::ErrorCode::kInvalidArgument,
                       "a case needs the string " + std::string(key));
  }
  return std::string(found->as_string());
}

base::Result<cases::Case> read_sections(const Value& request) {
  const Value* sections = request.is_dict() ? request.as_dict().find("sections") : nullptr;
  if (sections == nullptr || !sections->is_list()) {
    return base::Error(base::ErrorCode::kInvalidArgument, "a case needs the list sections");
  }
  cases::Case c;
  for (const Value& item : sections->as_list().items) {
    cases::Section section;
    CW_TRY(section.name, text_of(item, "name"));
    CW_TRY(section.arg, text_of(item, "arg"));
    CW_TRY(section.text, text_of(item, "text"));
    c.sections.push_back(std::move(section));
  }
  return c;
}

struct Request {
  const Profile* profile;
  cases::Case c;
};

base::Result<Request> read_request(const std::string& line) {
  CW_TRY(const Value request, value::parse_json(line, value::Numbers::kFloat64));
  CW_TRY(const std::string helm, text_of(request, "helm"));
  const Profile* profile = find_profile(helm);
  if (profile == nullptr) {
    return base::Error(base::ErrorCode::kInvalidArgument, "there is no Helm " + helm);
  }
  CW_TRY(cases::Case c, read_sections(request));
  return Request{profile, std::move(c)};
}

/// Far more than a random case needs, and far less than Helm would use before it fails.
constexpr base::BudgetLimits kLimits = {.steps_max = 200'000,
                                        .output_bytes_max = size_t{4} << 20,
                                        .memory_bytes_max = size_t{64} << 20,
                                        .cpu_max = std::chrono::seconds(5)};

std::string answer_line(const base::Result<std::string>& got) {
  if (got.ok()) {
    return R"({"want":")" + base::hex_encode(*got) + "\"}";
  }
  const bool refused = got.error().code() == base::ErrorCode::kBudget;
  return (refused ? R"({"refused":")" : R"({"error":")") + base::hex_encode(got.error().message()) +
         "\"}";
}

/// Answers cases until the input ends. Returns the exit code: 1 for a line that is not a case.
int answer_lines(std::istream& in, std::ostream& out) {
  for (std::string line; std::getline(in, line);) {
    const auto request = read_request(line);
    if (!request.ok()) {
      std::cerr << "differential: " << request.error().message() << "\n";
      return 1;
    }
    out << answer_line(answer_case(request->c, *request->profile, kLimits))
        << std::endl;  // Flushes: the client waits for the line.
  }
  return 0;
}

}  // namespace
}  // namespace chartwright::helm

int main() {
  if (setenv("TZ", "UTC", 1) != 0) {  // Local times use the zone of the process.
    return 1;
  }
  std::ios::sync_with_stdio(false);
  return chartwright::helm::answer_lines(std::cin, std::cout);
}
