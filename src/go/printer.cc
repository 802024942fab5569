// SPDX-License-Identifier: Apache-2.0
#include "go/printer.h"

#include <utility>

#include "base/unicode.h"
#include "go/complex.h"
#include "go/type_name.h"

namespace chartwright::go {
namespace {

using value::IntType;
using value::Kind;
using value::Value;

constexpr std::string_view kNilText = "<nil>";

bool is_unsigned(IntType type) { return type == IntType::kUint8 || type == IntType::kUint64; }

IntegerOperand operand_of(const Value& value) {
  const auto bits = static_cast<uint64_t>(value.as_int());
  const bool negative = !is_unsigned(value.int_type()) && value.as_int() < 0;
  return {negative ? 0 - bits : bits, negative};
}

// Reports whether the verb is for integers only. Under any other verb a named integer prints as a
// string.
bool is_integer_verb(char32_t verb) {
  return verb == 'b' || verb == 'c' || verb == 'd' || verb == 'o' || verb == 'O' || verb == 'U';
}

// Reports whether the verb prints a pointer within a struct or list as a number.
bool is_address_verb(char32_t verb) {
  return verb == 'b' || verb == 'o' || verb == 'd' || verb == 'x' || verb == 'X';
}

// The verb and default precision with which strconv formats a float; '\0' for other verbs.
struct FloatForm {
  char verb = '\0';
  int precision = -1;
};

FloatForm float_form(char32_t verb) {
  constexpr int kDefaultPrecision = 6;
  switch (verb) {
    case 'v':
      return {'g', -1};
    case 'b':
    case 'g':
    case 'G':
    case 'x':
    case 'X':
      return {static_cast<char>(verb), -1};
    case 'e':
    case 'E':
    case 'f':
      return {static_cast<char>(verb), kDefaultPrecision};
    case 'F':
      return {'f', kDefaultPrecision};
    default:
      return {};
  }
}

}  // namespace

void Printer::print_operand(const Value& value, char32_t verb) {
  if (value.is_nothing()) {
    if (verb == 'T' || verb == 'v') {
      spec_.pad(out_, kNilText);
    } else {
      bad_verb(value, verb);
    }
    return;
  }
  if (verb == 'T') {
    spec_.write_string(out_, type_name(value));
    return;
  }
  if (verb == 'p' && value.is_native() && value.as_native().go_kind() == "struct") {
    bad_verb(value, verb);
    return;
  }
  print(value, verb);
}

void Printer::print_typed(const Value& value) {
  if (value.is_nothing()) {
    out_ += kNilText;
    return;
  }
  out_ += type_name(value);
  out_ += '=';
  print(value, 'v');
}

// Prints a member of a list or dict.
void Printer::print_element(const Value& value, char32_t verb) {
  if (value.is_nothing()) {
    out_ += spec_.sharp_v ? "interface {}(nil)" : kNilText;
    return;
  }
  if (depth_ >= depth_max_ || is_exhausted()) {
    exhausted_ = true;
    return;
  }
  ++depth_;
  print(value, verb);
  --depth_;
}

void Printer::print(const Value& value, char32_t verb) {
  switch (value.kind()) {
    case Kind::kNil:
    case Kind::kNoValue:
      out_ += kNilText;
      break;
    case Kind::kBool:
      print_bool(value, verb);
      break;
    case Kind::kInt:
      print_integer(value, verb);
      break;
    case Kind::kFloat:
      print_float(value, verb);
      break;
    case Kind::kString:
      print_string(value, value.as_string(), verb);
      break;
    case Kind::kBytes:
      print_bytes(value, verb);
      break;
    case Kind::kList:
      print_list(value, type_name_view(value), verb);
      break;
    case Kind::kDict:
      print_dict(value, verb);
      break;
    case Kind::kNative:
      print_native(value, verb);
      break;
  }
}

void Printer::bad_verb(const Value& value, char32_t verb) {
  const int depth = std::exchange(depth_, 0);
  erroring_ = true;
  out_ += "%!";
  base::append_rune(out_, verb);
  out_ += '(';
  print_typed(value);
  out_ += ')';
  erroring_ = false;
  depth_ = depth;
}

void Printer::print_bool(const Value& value, char32_t verb) {
  if (verb == 't' || verb == 'v') {
    spec_.pad(out_, value.as_bool() ? "true" : "false");
  } else {
    bad_verb(value, verb);
  }
}

void Printer::print_integer(const Value& value, char32_t verb) {
  const auto bits = static_cast<uint64_t>(value.as_int());
  switch (verb) {
    case 'v':
      if (spec_.sharp_v && is_unsigned(value.int_type())) {
        FormatSpec hex = spec_;
        hex.sharp = true;
        hex.write_integer(out_, operand_of(value), 'x');
        break;
      }
      [[fallthrough]];
    case 'b':
    case 'd':
    case 'o':
    case 'O':
    case 'x':
    case 'X':
      spec_.write_integer(out_, operand_of(value), static_cast<char>(verb));
      break;
    case 'c':
      spec_.write_rune(out_, bits);
      break;
    case 'q':
      spec_.write_quoted_rune(out_, bits);
      break;
    case 'U':
      spec_.write_unicode(out_, bits);
      break;
    default:
      bad_verb(value, verb);
  }
}

void Printer::print_float(const Value& value, char32_t verb) {
  const FloatForm form = float_form(verb);
  if (form.verb == '\0') {
    bad_verb(value, verb);
  } else {
    spec_.write_float(out_, value.as_float(), form.verb, form.precision);
  }
}

void Printer::print_complex(const Value& value, char32_t verb) {
  const FloatForm form = float_form(verb);
  if (form.verb == '\0') {
    bad_verb(value, verb);
    return;
  }
  const std::complex<double> number = as_complex(value)->number();
  out_ += '(';
  spec_.write_float(out_, number.real(), form.verb, form.precision);
  FormatSpec signed_spec = spec_;
  signed_spec.plus = true;
  signed_spec.write_float(out_, number.imag(), form.verb, form.precision);
  out_ += "i)";
}

void Printer::print_string(const Value& value, std::string_view text, char32_t verb) {
  switch (verb) {
    case 'v':
      if (spec_.sharp_v) {
        spec_.write_quoted(out_, text);
        break;
      }
      [[fallthrough]];
    case 's':
      spec_.write_string(out_, text);
      break;
    case 'x':
      spec_.write_hex(out_, text, Letters::kLower);
      break;
    case 'X':
      spec_.write_hex(out_, text, Letters::kUpper);
      break;
    case 'q':
      spec_.write_quoted(out_, text);
      break;
    default:
      bad_verb(value, verb);
  }
}

void Printer::print_bytes(const Value& value, char32_t verb) {
  const bool as_text = verb == 's' || verb == 'q' || verb == 'x' || verb == 'X';
  if (as_text) {
    print_string(value, value.as_string(), verb);
  } else {
    print_byte_elements(value, verb);
  }
}

void Printer::write_byte_hex(unsigned char byte) {
  FormatSpec hex = spec_;
  hex.sharp = true;
  hex.write_integer(out_, {byte, false}, 'x');
}

void Printer::print_byte_elements(const Value& value, char32_t verb) {
  if (spec_.sharp_v) {
    out_ += depth_ == 0 ? "[]byte" : "[]uint8";
    if (value.is_nil_bytes()) {
      out_ += "(nil)";
      return;
    }
  }
  out_ += spec_.sharp_v ? '{' : '[';
  bool first = true;
  for (char c : value.as_string()) {
    if (is_exhausted()) {
      return;
    }
    if (!first) {
      out_ += spec_.sharp_v ? ", " : " ";
    }
    first = false;
    print_integer(Value::integer(static_cast<unsigned char>(c), IntType::kUint8), verb);
  }
  out_ += spec_.sharp_v ? '}' : ']';
}

void Printer::print_list(const Value& value, std::string_view type, char32_t verb) {
  if (verb == 'w' && !erroring_) {  // %w is for errors, which are never operands here.
    bad_verb(value, verb);
    return;
  }
  const value::List& list = value.as_list();
  if (spec_.sharp_v) {
    out_ += type;
    if (list.is_nil) {
      out_ += "(nil)";
      return;
    }
  }
  out_ += spec_.sharp_v ? '{' : '[';
  bool first = true;
  for (const Value& item : list.items) {
    if (is_exhausted()) {
      return;
    }
    if (!first) {
      out_ += spec_.sharp_v ? ", " : " ";
    }
    first = false;
    print_element(item, verb);
  }
  out_ += spec_.sharp_v ? '}' : ']';
}

void Printer::print_dict(const Value& value, char32_t verb) {
  if (verb == 'w' && !erroring_) {
    bad_verb(value, verb);
    return;
  }
  if (spec_.sharp_v) {
    out_ += type_name_view(value);
    if (value.is_nil_dict()) {
      out_ += "(nil)";
      return;
    }
    out_ += '{';
  } else {
    out_ += "map[";
  }
  bool first = true;
  for (const auto& [key, member] : value.as_dict()) {
    if (is_exhausted()) {
      return;
    }
    if (!first) {
      out_ += spec_.sharp_v ? ", " : " ";
    }
    first = false;
    print_string(Value::string(key), key, verb);
    out_ += ':';
    print_element(member, verb);
  }
  out_ += spec_.sharp_v ? '}' : ']';
}

// A String method handles the verbs for strings, but is not called inside %!verb(...). Structs with
// unknown members (times with a zone) print as strings there, too.
void Printer::print_native(const Value& value, char32_t verb) {
  if (as_complex(value) != nullptr) {
    print_complex(value, verb);
    return;
  }
  const value::Native& native = value.as_native();
  if (native.is_nil_pointer()) {
    print_nil_pointer(value, verb);
    return;
  }
  if (verb == 'w' && !erroring_) {
    bad_verb(value, verb);
    return;
  }
  const bool textual = verb == 'v' || verb == 's' || verb == 'q' || verb == 'x' || verb == 'X';
  const Value number = opened_integer(value);
  if (!erroring_ && print_by_method(native, verb)) {
    return;
  }
  if (number.is_int() && (erroring_ || spec_.sharp_v || is_integer_verb(verb))) {
    print_integer(number, verb);
  } else if (native.underlying() != nullptr) {
    print_underlying(native, verb);
  } else if (const auto members = native.members(); !members.empty()) {
    print_struct(value, members, verb);
  } else if (erroring_) {
    out_ += native.to_plain_string();
  } else if (textual) {
    print_string(value, native.to_plain_string(), verb);
  } else {
    bad_verb(value, verb);
  }
}

void Printer::print_nil_pointer(const Value& value, char32_t verb) {
  if (verb == 'v') {
    spec_.pad(out_, kNilText);
  } else if (is_address_verb(verb)) {
    spec_.write_integer(out_, {0, false}, static_cast<char>(verb));
  } else {
    bad_verb(value, verb);
  }
}

// Source: Go fmt.(*pp).handleMethods.
bool Printer::print_by_method(const value::Native& native, char32_t verb) {
  if (spec_.sharp_v) {
    const std::optional<std::string> text = native.go_string();
    out_ += text.value_or("");
    return text.has_value();
  }
  const bool textual = verb == 'v' || verb == 's' || verb == 'q' || verb == 'x' || verb == 'X';
  if (!textual || !native.is_stringer()) {
    return false;
  }
  const std::string text = native.to_string();
  print_string(Value::string(text), text, verb);
  return true;
}

// Prints a value of a named slice or map type.
void Printer::print_underlying(const value::Native& native, char32_t verb) {
  const Value& underlying = *native.underlying();
  if (underlying.is_list()) {
    print_list(underlying, native.go_type(), verb);
  } else {
    print(underlying, verb);
  }
}

// Prints each member under the verb. Go follows a pointer only if it is the operand itself, and
// otherwise prints its address; this prints the pointed-to value instead of the address.
void Printer::print_struct(const Value& value, const std::vector<value::Native::Member>& members,
                           char32_t verb) {
  const value::Native& native = value.as_native();
  std::string_view type = native.go_type();
  const bool is_pointer = native.go_kind() == "ptr";
  if (is_pointer && depth_ > 0) {
    if (verb == 'v' || verb == 'p' || is_address_verb(verb)) {
      out_ += native.to_plain_string();
    } else {
      bad_verb(value, verb);
    }
    return;
  }
  if (is_pointer) {
    out_ += '&';
    type.remove_prefix(1);
  }
  if (spec_.sharp_v) {
    out_ += type;
  }
  out_ += '{';
  bool first = true;
  for (const auto& [name, member] : members) {
    if (!first) {
      out_ += spec_.sharp_v ? ", " : " ";
    }
    first = false;
    if (spec_.sharp_v || spec_.plus_v) {
      out_ += name;
      out_ += ':';
    }
    print_element(member, verb);
  }
  out_ += '}';
}

}  // namespace chartwright::go
