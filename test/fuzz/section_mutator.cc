// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/section_mutator.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "test/fuzz/chart_text.h"

namespace chartwright::fuzz {
namespace {

// Building blocks of charts, and inputs that broke other programs. Each is inserted between lines
// or within one.
constexpr std::array<std::string_view, 96> kPhrases = {
    "{{ range $i, $x := .Values.list }}",
    "{{ range until 3 }}",
    "{{ with .Values.a }}",
    "{{ if .Values.enabled }}",
    "{{ else }}",
    "{{- end }}",
    "{{ end }}",
    "{{ define \"t\" }}",
    "{{ template \"t\" . }}",
    "{{ include \"t\" . }}",
    "{{ include \"t\" . | nindent 4 }}",
    "{{ tpl .Values.text . }}",
    "{{ tpl (toYaml .Values) . }}",
    "{{ toYaml .Values | nindent 2 }}",
    "{{ toJson . }}",
    "{{ .Values | toYaml | fromYaml | toJson }}",
    "{{ fromYamlArray .Values.text }}",
    "{{ toToml .Values }}",
    "{{ .Files.Get \"a.txt\" }}",
    "{{ (.Files.Glob \"**\").AsConfig | nindent 2 }}",
    "{{ (.Files.Glob \"*\").AsSecrets | indent 2 }}",
    "{{ range .Files.Lines \"a.txt\" }}",
    "{{ lookup \"v1\" \"Secret\" \"shop\" \"\" }}",
    "{{ (lookup \"v1\" \"ConfigMap\" \"shop\" \"c\").data }}",
    "{{ $x := dict \"a\" 1 }}",
    "{{ $_ := set .Values \"a\" .Values }}",
    "{{ $_ := set $ \"b\" (deepCopy .Values) }}",
    "{{ merge .Values .Values.a }}",
    "{{ mergeOverwrite (dict) .Values }}",
    "{{ unset .Values \"a\" }}",
    "{{ required \"a is needed\" .Values.a }}",
    "{{ fail \"no\" }}",
    "{{ printf \"%v %d %s %q %T\" . 1 2 3 4 }}",
    "{{ printf \"%999999d\" 1 }}",
    "{{ repeat 9999999 \"x\" }}",
    "{{ randAlphaNum 9 }}",
    "{{ now | date \"2006\" }}",
    "{{ regexReplaceAll \"(a|b)*c\" .Values.text \"$1\" }}",
    "{{ semverCompare \">=1.2-0\" .Capabilities.KubeVersion.Version }}",
    "{{ .Capabilities.APIVersions.Has \"v1\" }}",
    "{{ .Subcharts }}",
    "{{ .Values.global }}",
    "{{ $.Release.Name }}",
    "{{ .Chart.Name }}-{{ .Chart.Version }}",
    "{{/* a comment */}}",
    "{{- ",
    " -}}",
    "| quote",
    "| b64enc",
    "| sha256sum",
    "| default (list)",
    "| dig \"a\" \"b\" \"c\"",
    "| splitList \"\"",
    "| sortAlpha | uniq | join \",\"",
    "| int64 | add 9223372036854775807",
    "| mul 4611686018427387904",
    "---",
    "--- ",
    "...",
    "&a",
    "*a",
    "<<: *a",
    "a: &a [*a, *a]",
    "!!binary",
    "!!int \"x\"",
    "? [a, b]",
    "|",
    ">-",
    "|2+",
    "{}",
    "[]",
    "null",
    "~",
    "1e400",
    "-0.0",
    "0x7fffffffffffffff",
    "18446744073709551616",
    "1_000",
    "\"\\u0000\"",
    "# Source: a",
    "apiVersion: v1",
    "kind: List",
    "items:",
    "kind: Secret",
    "stringData:",
    "kind: Namespace",
    "metadata: {name: x}",
    "helm.sh/hook: pre-install,test",
    "helm.sh/resource-policy: keep",
    "global:",
    "enabled: true",
    "condition: sub.enabled",
    "import-values:",
    "alias: b",
    "tags: [t]",
    "{\"$ref\": \"#/definitions/a\"}",
};

constexpr std::array<std::string_view, 24> kNames = {
    "values",
    "cluster",
    "helm",
    "Chart.yaml",
    "values.yaml",
    "values.schema.json",
    "requirements.yaml",
    ".helmignore",
    "a.txt",
    "templates/a.yaml",
    "templates/b.yaml",
    "templates/_t.tpl",
    "templates/NOTES.txt",
    "templates/tests/t.yaml",
    "crds/c.yaml",
    "operator/operator.yaml",
    "charts/sub/Chart.yaml",
    "charts/sub/values.yaml",
    "charts/sub/values.schema.json",
    "charts/sub/templates/a.yaml",
    "charts/sub.tgz/Chart.yaml",
    "charts/sub.tgz/templates/a.yaml",
    "charts/sub/charts/deep/Chart.yaml",
    "../x",
};

/// Generates small random numbers; a seed gives the same sequence on every platform.
class Dice {
 public:
  explicit Dice(uint32_t seed) : engine_(seed) {}
  size_t below(size_t end) { return end == 0 ? 0 : engine_() % end; }

 private:
  std::minstd_rand engine_;
};

template <typename Items>
auto& pick(Items& items, Dice& dice) {
  return items[dice.below(items.size())];
}

/// A range of whole lines.
struct Lines {
  size_t begin;
  size_t bytes;
};

size_t line_begin(std::string_view text, Dice& dice) {
  const size_t at = text.rfind('\n', dice.below(text.size() + 1));
  return at == std::string_view::npos ? 0 : std::min(at + 1, text.size());
}

Lines some_lines(std::string_view text, Dice& dice) {
  const size_t begin = line_begin(text, dice);
  size_t end = begin;
  for (size_t more = dice.below(4) + 1; more > 0 && end < text.size(); --more) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  return {begin, end - begin};
}

void insert_phrase(std::string& text, Dice& dice) {
  const std::string_view phrase = pick(kPhrases, dice);
  if (dice.below(2) == 0) {
    text.insert(dice.below(text.size() + 1), phrase);
  } else {
    const std::string indent(dice.below(5), ' ');
    text.insert(line_begin(text, dice), indent + std::string(phrase) + "\n");
  }
}

void copy_lines(const std::string& from, std::string& to, Dice& dice) {
  const Lines lines = some_lines(from, dice);
  const std::string copied = from.substr(lines.begin, lines.bytes);
  to.insert(line_begin(to, dice), copied);
}

void drop_lines(std::string& text, Dice& dice) {
  const Lines lines = some_lines(text, dice);
  text.erase(lines.begin, lines.bytes);
}

/// Picks a section to change, rarely Chart.yaml: a chart with broken metadata does not load.
std::string& some_text(std::vector<Section>& sections, Dice& dice) {
  Section& one = pick(sections, dice);
  constexpr size_t kRareTimes = 8;
  const bool spared = one.name.ends_with("Chart.yaml") && dice.below(kRareTimes) != 0;
  return spared ? pick(sections, dice).text : one.text;
}

void rename(Section& one, Dice& dice) {
  one.name = dice.below(3) == 0 ? "charts/sub/" + one.name : std::string(pick(kNames, dice));
}

/// Adds, swaps, renames or removes files.
void change_files(std::vector<Section>& sections, Dice& dice) {
  Section& one = pick(sections, dice);
  switch (dice.below(4)) {
    case 0: {
      Section copy = one;
      rename(copy, dice);
      sections.push_back(std::move(copy));
      return;
    }
    case 1:
      std::swap(one.text, pick(sections, dice).text);
      return;
    case 2:
      rename(one, dice);
      return;
    default:
      sections.erase(sections.begin() + static_cast<std::ptrdiff_t>(dice.below(sections.size())));
  }
}

}  // namespace

std::string mutate_sections(std::string_view text, size_t bytes_max, uint32_t seed,
                            const MutateBytes& bytes) {
  Dice dice(seed);
  std::vector<Section> sections = sections_of(text);
  constexpr size_t kRareTimes = 32;  // Mostly leaves names and section lines intact.
  if (sections.empty() || dice.below(kRareTimes) == 0) {
    return bytes(text, bytes_max);
  }
  for (size_t more = dice.below(3) + 1; more > 0 && !sections.empty(); --more) {
    std::string& part = some_text(sections, dice);
    switch (const size_t how = dice.below(16); how) {
      case 0:
        change_files(sections, dice);
        break;
      case 1:
      case 2:
        drop_lines(part, dice);
        break;
      case 3:
      case 4:
      case 5:
        copy_lines(pick(sections, dice).text, part, dice);
        break;
      case 6:
      case 7:
      case 8:
      case 9:
        insert_phrase(part, dice);
        break;
      default:
        part = bytes(part, std::min(bytes_max, part.size() + 64));
    }
  }
  std::string changed = text_of(sections);
  return changed.size() <= bytes_max ? changed : bytes(text, bytes_max);
}

std::string cross_sections(std::string_view a, std::string_view b, size_t bytes_max,
                           uint32_t seed) {
  Dice dice(seed);
  std::vector<Section> mixed = sections_of(a);
  for (Section& other : sections_of(b)) {
    const auto same = std::find_if(mixed.begin(), mixed.end(),
                                   [&other](const Section& one) { return one.name == other.name; });
    if (dice.below(2) == 0) {
      continue;
    }
    if (same == mixed.end()) {
      mixed.push_back(std::move(other));
    } else {
      same->text = std::move(other.text);
    }
  }
  const std::string text = text_of(mixed);
  return text.size() <= bytes_max ? text : std::string(a);
}

}  // namespace chartwright::fuzz
