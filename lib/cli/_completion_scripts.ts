/**
 * Completion scripts for shells. Each script runs `outrigger completion SHELL -- WORDS`, which prints
 * `files` or `words`, followed by one candidate per line. So the scripts need no update when commands or
 * flags change.
 */

import type { Candidate, Completion } from "./_complete.ts";

export type Shell = "bash" | "zsh" | "fish";

export const SHELLS: readonly Shell[] = ["bash", "zsh", "fish"];

export const SCRIPTS: Readonly<Record<Shell, string>> = {
  // Bash passes the words up to the cursor, split at `=`; see _complete.ts. Bash 3.2, the version in macOS,
  // does not have compopt.
  bash: `# bash completion for outrigger:  source <(outrigger completion bash)
_outrigger() {
  local line kind= program=\${COMP_WORDS[0]/#\\~/$HOME}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <("$program" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ $kind != files ]]; then compopt +o default 2>/dev/null; fi
}
complete -o default -F _outrigger outrigger
`,
  zsh: `#compdef outrigger
# zsh completion for outrigger:  source <(outrigger completion zsh), or as a file _outrigger in $fpath
_outrigger() {
  local -a lines
  lines=("\${(@f)$("\${words[1]/#\\~/$HOME}" completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $lines[1] == files ]]; then
    compset -P '*='
    _files
  else
    lines=("\${(@)lines[2,-1]}")
    (( $#lines )) && _describe -V outrigger lines
  fi
}
if [[ $funcstack[1] == _outrigger ]]; then _outrigger "$@"; else compdef _outrigger outrigger; fi
`,
  fish: `# fish completion for outrigger:  outrigger completion fish | source
function __outrigger_complete
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  set -l lines ($words[1] completion fish -- $words[2..] "$typed" 2>/dev/null)
  if test "$lines[1]" = files
    __fish_complete_path (string replace -r '^--[^=]*=' '' -- "$typed")
  else
    printf '%s\\n' $lines[2..]
  end
end
complete -c outrigger -f -k -a '(__outrigger_complete)'
`,
};

/** Formats candidates for the script of a shell. */
export function completionLines(completion: Completion, shell: Shell): string {
  const candidates = completion.kind === "files" ? [] : completion.candidates;
  return [completion.kind, ...candidates.map(FORMS[shell])].map((line) => `${line}\n`).join("");
}

const FORMS: Readonly<Record<Shell, (candidate: Candidate) => string>> = {
  bash: ({ word }) => word,
  zsh: ({ word, description }) =>
    word.replaceAll(":", "\\:") + (description === "" ? "" : `:${description}`),
  fish: ({ word, description }) => description === "" ? word : `${word}\t${description}`,
};
