// SPDX-License-Identifier: Apache-2.0
#include "cmd/completion.h"

#include <algorithm>
#include <array>

#include "cmd/commands.h"

namespace chartwright::cmd {
namespace {

constexpr std::string_view kBash = R"(# bash completion for chartwright
_chartwright() {
  local words=() word line directive front="" rest cut
  # Bash ends words at "=", ":" and "@", too: put them together again.
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ ${#words[@]} -gt 0 && ( $word == [=:@]* || ${words[-1]} == *[=:@] ) ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  if [[ ${words[-1]} == *[=:]* ]]; then
    front="${words[-1]%"${words[-1]##*[=:]}"}"
  fi
  rest=${words[-1]#"$front"}
  cut=$front
  # Readline completes a word with its last "@".
  if [[ $rest == *@* && $COMP_WORDBREAKS == *@* ]]; then
    cut+=${rest%@*}
  fi
  COMPREPLY=()
  while IFS= read -r line; do
    directive=$line
    if [[ $line != :* && ${line%%$'\t'*} == "${words[-1]}"* ]]; then
      word=${line%%$'\t'*}
      COMPREPLY+=("${word#"$cut"}")
    fi
  done < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${words[@]}" 2>/dev/null)
  case $directive in
    :files | :folders)
      compopt -o filenames 2>/dev/null
      local kind=-f
      [[ $directive == :folders ]] && kind=-d
      while IFS= read -r line; do
        COMPREPLY+=("${line#"${cut#"$front"}"}")
      done < <(compgen "$kind" -- "$rest")
      ;;
  esac
}
complete -F _chartwright chartwright
)";

constexpr std::string_view kZsh = R"(#compdef chartwright
# zsh completion for chartwright
_chartwright() {
  local -a lines candidates
  local line directive
  lines=("${(@f)$("${words[1]/#\~/$HOME}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  directive=$lines[-1]
  for line in "${(@)lines[1,-2]}"; do
    candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  if (( $#candidates )); then
    _describe -t chartwright chartwright candidates
  fi
  if [[ $directive == :files || $directive == :folders ]]; then
    [[ $PREFIX == --*=* ]] && compset -P '*='
    if [[ $directive == :files ]]; then _files; else _files -/; fi
  fi
}
if [[ $funcstack[1] == _chartwright ]]; then
  _chartwright "$@"
else
  compdef _chartwright chartwright
fi
)";

constexpr std::string_view kFish = R"(# fish completion for chartwright
function __chartwright_complete
    set -l words (commandline -opc) (commandline -ct | string collect --allow-empty)
    set -l lines ($words[1] __complete $words[2..-1] 2>/dev/null)
    set -l directive $lines[-1]
    if test (count $lines) -gt 1
        printf '%s\n' $lines[1..-2]
    end
    set -l flag (string match -r -- '^--[^=]*=' $words[-1])
    set -l typed (string replace -r -- '^--[^=]*=' '' $words[-1])
    switch "$directive"
        case :files
            string replace -r -- '^' "$flag" (__fish_complete_path "$typed")
        case :folders
            string replace -r -- '^' "$flag" (__fish_complete_directories "$typed" '')
    end
end
complete -c chartwright -f -a '(__chartwright_complete)'
)";

struct Script {
  std::string_view shell;
  std::string_view text;
};
constexpr std::array<Script, 3> kScripts = {{{"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}}};

/// The words before the one that is being completed.
struct Before {
  const DeclaredFlag* awaiting = nullptr;  ///< The flag that takes the next word as its value.
  std::vector<std::string> flags;          ///< Whole ones, by their long names: "--name=value".
  std::vector<std::string> arguments;
};

/// Collects the words that begin with the word being completed.
class Candidates {
 public:
  Candidates(std::string_view typed, const LiveSource& live) : typed_(typed), live_(live) {}

  void add(const std::string& word, std::string_view help) {
    if (word.starts_with(typed_)) {
      found_.candidates.push_back({word, std::string(help.substr(0, help.find('\n')))});
    }
  }
  /// Adds the values of a flag or an argument, each prefixed with `front`, which is typed already.
  void add_values(const Takes& takes, const std::string& front, const Before& before) {
    for (const std::string& word : takes.words) {
      add(front + word, "");
    }
    found_.paths = takes.paths;
    const std::string whole = front + std::string(takes.live_front);
    if (takes.live != Takes::Live::kNone && typed_.starts_with(whole)) {
      const std::string typed(typed_.substr(whole.size()));
      for (const Candidate& found : live_({takes.live, before.flags, before.arguments, typed})) {
        add(whole + found.word, found.help);
      }
    }
  }
  Completions take() { return std::move(found_); }

 private:
  std::string_view typed_;
  const LiveSource& live_;
  Completions found_;
};

const DeclaredFlag* find_flag(const Declared& declared, std::string_view name) {
  const auto found =
      std::find_if(declared.flags.begin(), declared.flags.end(), [name](const DeclaredFlag& flag) {
        return std::find(flag.names.begin(), flag.names.end(), name) != flag.names.end();
      });
  return found != declared.flags.end() ? &*found : nullptr;
}

/// Takes a word that begins with a dash for a flag: "--name", "--name=value", "-n", "-nVALUE".
void add_flag(const Declared& declared, const std::string& word, Before& before) {
  const size_t equals = word.find('=');
  const bool is_long = word.starts_with("--");
  const DeclaredFlag* flag =
      find_flag(declared, is_long ? word.substr(0, equals) : word.substr(0, 2));
  if (flag == nullptr) {
    return;
  }
  const std::string& name = flag->names.front();
  if (is_long ? equals != std::string::npos : word.size() > 2) {
    before.flags.push_back(name + "=" + word.substr(is_long ? equals + 1 : 2));
  } else if (flag->value == DeclaredFlag::Value::kNext) {
    before.awaiting = flag;
  } else {
    before.flags.push_back(name);
  }
}

/// Reads all words but the last one.
Before read_before(const Declared& declared, const std::vector<std::string>& words) {
  Before before;
  bool are_flags = true;  // Until "--".
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (before.awaiting != nullptr) {
      before.flags.push_back(before.awaiting->names.front() + "=" + words[i]);
      before.awaiting = nullptr;
    } else if (are_flags && words[i] == "--") {
      are_flags = false;
    } else if (are_flags && words[i].starts_with('-')) {
      add_flag(declared, words[i], before);
    } else {
      before.arguments.push_back(words[i]);
    }
  }
  return before;
}

void complete_flag(const Declared& declared, const std::string& typed, const Before& before,
                   Candidates& candidates) {
  const size_t equals = typed.find('=');
  if (equals != std::string::npos) {
    const DeclaredFlag* flag = find_flag(declared, typed.substr(0, equals));
    if (flag != nullptr && flag->value != DeclaredFlag::Value::kNone) {
      candidates.add_values(flag->takes, typed.substr(0, equals + 1), before);
    }
    return;
  }
  for (const DeclaredFlag& flag : declared.flags) {
    for (const std::string& name : flag.names) {
      candidates.add(name, flag.help);
      if (flag.value == DeclaredFlag::Value::kOptional) {
        for (const std::string& word : flag.takes.words) {
          candidates.add(name + "=" + word, flag.help);
        }
      }
    }
  }
}

class CompletionCommand final : public Command {
 public:
  std::string_view name() const override { return "completion"; }
  std::string_view summary() const override { return "Print a shell completion script"; }

  void declare(FlagSet& flags) override {
    Takes shells;
    for (const Script& script : kScripts) {
      shells.words.emplace_back(script.shell);
    }
    flags.arguments(arguments_, "SHELL", "bash, zsh or fish", std::move(shells));
  }

  base::Result<int> run(Streams& streams) override {
    for (const Script& script : kScripts) {
      if (arguments_.size() == 1 && arguments_[0] == script.shell) {
        streams.out(script.text);
        return kExitOk;
      }
    }
    return base::Error(base::ErrorCode::kInvalidArgument,
                       "\"chartwright completion\" requires the name of a shell: bash, zsh or "
                       "fish\n\nUsage:  chartwright completion SHELL");
  }

 private:
  std::vector<std::string> arguments_;
};

}  // namespace

std::string Completions::to_string() const {
  std::string text;
  for (const Candidate& candidate : candidates) {
    text += candidate.word + "\t" + candidate.help + "\n";
  }
  switch (paths) {
    case Takes::Paths::kFiles:
      return text + ":files\n";
    case Takes::Paths::kFolders:
      return text + ":folders\n";
    case Takes::Paths::kNone:
      break;
  }
  return text + ":words\n";
}

std::string Completions::to_cobra_string(std::string_view typed) const {
  constexpr int kFilesWithoutCandidates = 0;
  constexpr int kNoFiles = 4;
  constexpr int kFolders = 16;  // Takes a candidate for the folder to look into.
  // The scripts of Cobra complete what follows "--flag=".
  const size_t front = typed.starts_with('-') ? typed.find('=') + 1 : 0;
  std::string text;
  for (const Candidate& candidate : candidates) {
    text += candidate.word.substr(front) + "\t" + candidate.help + "\n";
  }
  int directive = kNoFiles;
  if (paths == Takes::Paths::kFiles) {
    directive = kFilesWithoutCandidates;
  } else if (paths == Takes::Paths::kFolders && candidates.empty()) {
    directive = kFolders;
  }
  return text + ":" + std::to_string(directive) + "\n";
}

Completions complete(const CommandTable& commands, const std::vector<std::string>& words,
                     const LiveSource& live) {
  if (words.empty()) {
    return {};
  }
  Candidates candidates(words.back(), live);
  if (words.size() == 1) {
    for (const auto& command : commands) {
      candidates.add(std::string(command->name()), command->summary());
    }
    return candidates.take();
  }
  const auto command = std::find_if(commands.begin(), commands.end(),
                                    [&](const auto& known) { return known->name() == words[0]; });
  if (command == commands.end()) {
    return {};
  }
  const Declared declared = declarations(**command);
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  const Before before = read_before(declared, rest);
  if (before.awaiting != nullptr) {
    candidates.add_values(before.awaiting->takes, "", before);
  } else if (words.back().starts_with('-')) {
    complete_flag(declared, words.back(), before, candidates);
  } else {
    candidates.add_values(declared.arguments, "", before);
  }
  return candidates.take();
}

std::unique_ptr<Command> make_completion_command() { return std::make_unique<CompletionCommand>(); }

}  // namespace chartwright::cmd
