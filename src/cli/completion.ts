/** Shell completion: short scripts that ask the hidden command `complete` for candidates. It sends no requests. */
import { Argument, Command, type Option } from 'commander'
import type { Variables } from '../config.ts'
import { FLAG_CHOICES } from './inputs.ts'
import { profileNames } from './profiles.ts'

const SCRIPTS: Record<string, string> = {
  bash: `_workspace_admin() {
  local word line
  word="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do
    [[ "$line" == "$word"* ]] && COMPREPLY+=("$line")
  done < <(workspace-admin complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 0 ]]; then compopt -o default 2>/dev/null; fi
}
complete -F _workspace_admin workspace-admin`,
  zsh: `#compdef workspace-admin
_workspace_admin() {
  local -a candidates
  local value description
  while IFS=$'\\t' read -r value description; do
    candidates+=("\${value//:/\\\\:}:$description")
  done < <(workspace-admin complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then _describe 'workspace-admin' candidates; else _files; fi
}
if [ "$funcstack[1]" = "_workspace_admin" ]; then _workspace_admin "$@"; else compdef _workspace_admin workspace-admin; fi`,
  fish: `function __workspace_admin
  set -l words (commandline -opc) (commandline -ct)
  workspace-admin complete -- $words[2..-1] 2>/dev/null
end
complete -c workspace-admin -f -a '(__workspace_admin)'`,
}

export const SHELLS = Object.keys(SCRIPTS)

export const completionCommand = (): Command =>
  new Command('completion')
    .summary('print the completion script of a shell')
    .description('Prints a script that completes commands, flags and their values with the Tab key.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  $ source <(workspace-admin completion bash)                                          # in ~/.bashrc
  $ source <(workspace-admin completion zsh)                                           # in ~/.zshrc, after compinit
  $ workspace-admin completion fish > ~/.config/fish/completions/workspace-admin.fish`,
    )
    .action((shell: string) => console.log(SCRIPTS[shell]))

export interface Candidate {
  value: string
  description: string
}

const firstLine = (text: string): string => text.split('\n', 1)[0]?.replaceAll('\t', ' ') ?? ''

/** The candidates for the last of the words. `command` is the command that the words before it select. */
export function candidatesFor(command: Command, words: string[], variables: Variables): Candidate[] {
  const current = words.at(-1) ?? ''
  const before = words.at(-2) ?? ''
  const options = command.options.filter(({ hidden }) => !hidden)
  const flag = options.find(
    (option) => [option.long, option.short].includes(before) && (option.required || option.optional),
  )
  if (flag) return valuesOf(flag, variables).map((value) => ({ value, description: '' }))
  if (current.startsWith('-'))
    return [
      ...options.map(({ long, description }) => ({ value: long ?? '', description: firstLine(description) })),
      { value: '--help', description: 'print this help' },
    ]
  if (command.commands.length)
    return command.commands.map((child) => ({ value: child.name(), description: firstLine(child.summary()) }))
  const argument = command.registeredArguments[0]
  return (argument?.argChoices ?? []).map((value) => ({ value, description: '' }))
}

function valuesOf(option: Option, variables: Variables): string[] {
  if (option.long === '--profile') return profileNames(variables)
  return option.argChoices ?? FLAG_CHOICES.get(option) ?? []
}
