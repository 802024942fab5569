// SPDX-License-Identifier: Apache-2.0
#include "kinds/plural.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace chartwright::kinds {
namespace {

/// Words, or endings of words, whose plural has `added` in place of `cut`.
struct Inflection {
  std::string_view cut;
  std::string_view added;
  std::string_view stems;  ///< Separated by spaces, each with what is cut.
};

/// A word has the plural of the longest ending that it has, and is a plural itself if the longest
/// one is that of a plural.
constexpr std::array kEndings = {
    // The plural is the same.
    Inflection{"", "",
               "aircraft beef bison deer equipment fish graffiti information money moose police "
               "rice salmon sheep shrimp swine trout tuna you"},
    // Exceptions from what follows, and after a vowel.
    Inflection{"", "s",
               "agenda ano ay bureau curriculum dwarf ey formula human io lo oo oy pretorium quota "
               "seum stadium to uy vedalia"},
    Inflection{"", "es", "buffalo ch o potato sh ss tomato topaz tz us x zz"},
    Inflection{"", "zes", "ez iz"},
    Inflection{"y", "ies", "quy y"},
    Inflection{"f", "ves", "eaf lf oaf rf thief"},
    Inflection{"fe", "ves", "fe"},
    // Words from Latin and Greek.
    Inflection{"um", "a",
               "antum atum brum crum ctum dum elum entum ernum etum eum gnum ilum imum itum ium "
               "llum olum otum oum ovum serum stracum terum trum ulum utum ylum"},
    Inflection{"on", "a",
               "criterion ganglion hedron lexicon mitochondrion noumenon phenomenon taxon"},
    Inflection{"is", "es",
               "basis crisis ellipsis genesis gnosis iasis kinesis mesis oasis opsis resis testis "
               "thesis ysis"},
    Inflection{"us", "i", "alumnus bacillus cactus coccus focus locus nucleus radius syllabus"},
    Inflection{"us", "era", "genus"},
    Inflection{"us", "ora", "corpus"},
    Inflection{"ex", "ices", "apex codex index latex vertex vortex"},
    Inflection{"x", "ces", "appendix helix radix trix"},
    Inflection{"", "e",
               "alumna bula differentia larva minutia postcava praecava uva vertebra vita"},
    // flect's own: it writes "bulae" for all of these, and "octupuses".
    Inflection{"dula", "bulae", "dula"},
    Inflection{"lula", "bulae", "lula"},
    Inflection{"nula", "bulae", "nula"},
    Inflection{"vula", "bulae", "vula"},
    Inflection{"opus", "upuses", "octopus"},
    // Words from French.
    Inflection{"", "x", "adieu eau fabliau"},
    // Plurals of old English.
    Inflection{"an", "en", "man"},
    Inflection{"", "ren", "child"},
    Inflection{"oot", "eet", "foot"},
    Inflection{"oose", "eese", "goose"},
    Inflection{"ouse", "ice", "mouse"},
    Inflection{"ooth", "eeth", "tooth"},
    Inflection{"rson", "ople", "person"},
};

/// Whole words that their ending would lead astray. flect takes three of them for acronyms.
constexpr std::array kWords = {
    Inflection{"is", "es", "axis"},     Inflection{"", "es", "alias"},
    Inflection{"e", "ce", "die"},       Inflection{"", "s", "eia ssh tia"},
    Inflection{"ouse", "ice", "louse"}, Inflection{"", "en", "ox"},
};

/// Whole words that are plurals, though they do not look it.
constexpr std::array<std::string_view, 6> kPlurals = {"adieus", "dice",   "formulae",
                                                      "lice",   "octopi", "oxen"};

/// Returns `stem` with what is added in place of what is cut.
std::string inflected(std::string_view stem, const Inflection& by) {
  return std::string(stem.substr(0, stem.size() - by.cut.size())) + std::string(by.added);
}

/// The longest ending that a word has, and what comes in its place.
struct Match {
  std::string ending;
  std::string plural;
};

Match longest_match(std::string_view word) {
  Match best;
  for (const Inflection& inflection : kEndings) {
    for (const std::string_view stem : base::split(inflection.stems, ' ')) {
      const std::string plural = inflected(stem, inflection);
      for (const std::string_view ending : {std::string_view(plural), stem}) {
        if (ending.size() > best.ending.size() && word.ends_with(ending)) {
          best = {std::string(ending), plural};
        }
      }
    }
  }
  return best;
}

std::string plural_of_word(std::string_view word) {
  for (const Inflection& inflection : kWords) {
    for (const std::string_view stem : base::split(inflection.stems, ' ')) {
      if (word == stem) {
        return inflected(stem, inflection);
      }
    }
  }
  if (std::ranges::find(kPlurals, word) != kPlurals.end()) {
    return std::string(word);
  }
  const Match match = longest_match(word);
  if (!match.ending.empty()) {
    return std::string(word.substr(0, word.size() - match.ending.size())) + match.plural;
  }
  return std::string(word) + (word.ends_with('s') ? "" : "s");
}

}  // namespace

std::string plural_of(std::string_view kind) {
  std::string singular = base::to_lower_ascii(kind);
  if (singular.empty() || singular.ends_with("endpoints")) {
    return singular;
  }
  if (singular.back() == 's') {
    return singular + "es";
  }
  if (singular.back() == 'y') {
    return singular.substr(0, singular.size() - 1) + "ies";
  }
  return singular + "s";
}

std::string own_plural_of(std::string_view kind) {
  const std::string name = base::to_lower_ascii(kind);
  if (name.empty()) {
    return name;
  }
  const size_t word = name.rfind('-') + 1;  // The last word alone; 0 if there is one only.
  return name.substr(0, word) + plural_of_word(std::string_view(name).substr(word));
}

}  // namespace chartwright::kinds
