/** Shell completion: short scripts that ask the hidden command `complete` for candidates. */
import { Argument, Command, type Option } from 'commander'
import type { Variables } from '../config.ts'
import { type Candidate, namesAt } from './completion-names.ts'
import { FLAG_CHOICES } from './inputs.ts'
import { joinFields } from './json-output.ts'
import { profileNames } from './profiles.ts'

const SCRIPTS: Record<string, string> = {
  bash: `_workspace_admin() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <(workspace-admin complete bash "$COMP_WORDBREAKS" "\${COMP_LINE:0:COMP_POINT}" -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 0 ]]; then compopt -o default 2>/dev/null; fi
}
complete -F _workspace_admin workspace-admin`,
  zsh: `#compdef workspace-admin
_workspace_admin() {
  local -a candidates
  local value description
  while IFS=$'\\t' read -r value description; do
    value="\${value//\\\\/\\\\\\\\}"
    candidates+=("\${value//:/\\\\:}:$description")
  done < <(workspace-admin complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  if (( \${#candidates} )); then _describe 'workspace-admin' candidates; else _files; fi
}
if [ "$funcstack[1]" = "_workspace_admin" ]; then _workspace_admin "$@"; else compdef _workspace_admin workspace-admin; fi`,
  fish: `function __workspace_admin
  set -l words (commandline -opc) (commandline -ct)
  set -l candidates (workspace-admin complete -- $words[2..-1] 2>/dev/null)
  if test (count $candidates) -gt 0
    printf '%s\\n' $candidates
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c workspace-admin -f -a '(__workspace_admin)'`,
}

export const SHELLS = Object.keys(SCRIPTS)

export const completionCommand = (): Command =>
  new Command('completion')
    .summary('print the completion script of a shell')
    .description(
      'Prints a script that completes commands, flags and their values with the Tab key. Names of resources come from the server of the profile.',
    )
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

const firstLine = (text: string): string => text.split('\n', 1)[0]?.replaceAll('\t', ' ') ?? ''

const plain = (values: readonly string[]): Candidate[] => values.map((value) => ({ value, description: '' }))

/** The candidates for the last of the words. `command` is the command that the words before `given` select. */
export async function candidatesFor(
  command: Command,
  given: readonly string[],
  variables: Variables,
): Promise<Candidate[]> {
  const current = given.at(-1) ?? ''
  const before = given.slice(0, -1)
  const options = command.options.filter(({ hidden }) => !hidden)
  const flagNamed = (word: string | undefined): Option | undefined =>
    word === undefined
      ? undefined
      : options.find((option) => [option.long, option.short].includes(word) && (option.required || option.optional))
  const flag = flagNamed(before.at(-1))
  if (flag?.required) {
    parse(command, before.slice(0, -1))
    return valuesOf(command, flag, variables)
  }
  const [, name, separator = ''] = /^(--[a-z0-9-]+)(=)/.exec(current) ?? []
  const joined = flagNamed(name)
  if (joined) {
    parse(command, before)
    const values = await valuesOf(command, joined, variables)
    return values.map(({ value, description }) => ({ value: `${name}${separator}${value}`, description }))
  }
  if (current.startsWith('-'))
    return [
      ...options.map(({ long, description }) => ({ value: long ?? '', description: firstLine(description) })),
      { value: '--help', description: 'print this help' },
    ]
  if (command.commands.length)
    return command.commands.map((child) => ({ value: child.name(), description: firstLine(child.summary()) }))
  const operands = parse(command, before)
  const argument = command.registeredArguments[operands.length]
  return argument?.argChoices ? plain(argument.argChoices) : namesAt(command, { operands }, variables)
}

/** Sets the flags of the command. Returns the arguments, also of a line that is not complete. */
function parse(command: Command, words: readonly string[]): string[] {
  command.configureOutput({ writeErr: () => undefined })
  try {
    return command.parseOptions(joinFields(command, [...words])).operands
  } catch {
    return []
  }
}

async function valuesOf(command: Command, option: Option, variables: Variables): Promise<Candidate[]> {
  if (option.long === '--profile') return plain(profileNames(variables))
  const choices = option.argChoices ?? FLAG_CHOICES.get(option) ?? []
  return choices.length ? plain(choices) : namesAt(command, { option }, variables)
}
