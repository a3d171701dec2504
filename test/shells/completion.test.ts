/** The completion scripts in real bash, zsh and fish, which type a line with the Tab key in a terminal. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { defined } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { command, type Ended, ended, programFile, startProcess } from '../helpers/programs/process.ts'

const PROMPT = 'ready> '
const ACCEPTED = 'accepted the line'

const home = freshFolder(t)
const bin = join(home, 'bin')
const typedLine = join(home, 'typed')

/** The interactive shell, and how it lists candidates of a line without a terminal. */
const SHELLS: Record<string, { start: string[]; files: Record<string, string> }> = {
  bash: {
    start: ['bash', '--noprofile', '--rcfile', join(home, 'bashrc'), '-i'],
    files: { bashrc: `PS1='${PROMPT}'\nsource <(workspace-admin completion bash)\n` },
  },
  zsh: {
    start: ['zsh', '-d', '-i'],
    files: {
      '.zshrc': `PS1='${PROMPT}'\nautoload -Uz compinit\ncompinit -u -D\nsource <(workspace-admin completion zsh)\n`,
    },
  },
  fish: {
    start: ['fish', '--private', '-i'],
    files: {
      '.config/fish/config.fish': `set -g fish_greeting\nfunction fish_prompt\n  echo -n '${PROMPT}'\nend\n`,
    },
  },
}

const requireProgram = (name: string): void => {
  if ((process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)))) return
  throw new Error(`${name} is not installed. Run \`apt-get install bash zsh fish bsdutils\`.`)
}

const NAMES = {
  shop: "Ada's shop",
  quoted: 'Say "hi"',
  special: 'Cost $5 \\ & (new): 50%',
  umlaut: 'Überblick für Köln',
  export: 'Every day into files',
  plugin: 'Sender & filter',
}

const environment: Record<string, string> = {
  PATH: `${bin}:${process.env.PATH}`,
  HOME: home,
  ZDOTDIR: home,
  TERM: 'xterm',
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  NODE_COMPILE_CACHE: defined(process.env.NODE_COMPILE_CACHE ?? join(home, 'compile-cache')),
}

const run = async (args: string[], input = ''): Promise<string> => {
  const { code, stdout, stderr }: Ended = await ended(command(args, environment), input)
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`)
  return stdout
}

const server = await startProcess(t, { DATABASE_URL: `sqlite:${join(home, 'data')}` })
await run(['login', '--base-url', server.url], `${server.api_key}\n`)
for (const name of [NAMES.shop, NAMES.quoted, NAMES.special, NAMES.umlaut])
  await run(['projects', 'create', '--name', name])
const destination = '{"type": "File", "config": {"prefix": "x"}}'
await run(['exports', 'create', '--name', NAMES.export, '--interval', 'day', '--destination', destination])
const source = { 'plugin.json': JSON.stringify({ name: NAMES.plugin }), 'index.js': 'export function onEvent() {}' }
const plugin = JSON.stringify({ plugin_type: 'source', name: NAMES.plugin, source })
await run(['pipeline_destinations', 'create', '--data', '-'], plugin)
// Completion runs the program. Any other command records its arguments.
const program = `exec '${process.execPath}' '${programFile('workspace-admin.js')}' "$@"`
mkdirSync(bin)
writeFileSync(
  join(bin, 'workspace-admin'),
  `#!/bin/sh\ncase "$1" in complete|completion) ${program} ;; esac\nprintf '%s\\0' "$@" > '${typedLine}'\necho '${ACCEPTED}'\n`,
  { mode: 0o755 },
)
mkdirSync(join(home, '.config', 'fish', 'completions'), { recursive: true })
for (const { files } of Object.values(SHELLS))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
const fish = await run(['completion', 'fish'])
writeFileSync(join(home, '.config', 'fish', 'completions', 'workspace-admin.fish'), fish)

interface Terminal {
  type(keys: string): void
  /** Resolves with the output up to the text, which follows that of the last call. */
  shows(text: string): Promise<string>
}

function openTerminal(t: Test, shell: string): Terminal {
  requireProgram('script')
  requireProgram(shell)
  const line = defined(SHELLS[shell])
    .start.map((word) => `'${word}'`)
    .join(' ')
  const child: ChildProcessWithoutNullStreams = spawn('script', ['-qec', line, '/dev/null'], {
    env: environment,
    cwd: home,
  })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  let exit: number | null | undefined
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const resume of waiting) resume()
    waiting.clear()
  }
  child.stdout.on('data', (bytes) => {
    output += bytes
    wake()
  })
  child.on('close', (code) => {
    exit = code
    wake()
  })
  return {
    type: (keys) => child.stdin.write(keys),
    shows: async (text) => {
      while (!output.includes(text)) {
        if (exit !== undefined) throw new Error(`${shell} ended with ${exit}: ${output}`)
        await new Promise<void>((resume) => waiting.add(resume))
      }
      const end = output.indexOf(text) + text.length
      const shown = output.slice(0, end)
      output = output.slice(end)
      return shown
    },
  }
}

/** What a person types before the Tab key, and the arguments that the command gets. */
const LINES: [typed: string, args: string[]][] = [
  ['organizations retr\tMy\t', ['organizations', 'retrieve', 'My organization']],
  ['exports retrieve Ev\t', ['exports', 'retrieve', NAMES.export]],
  ["runs list 'Ev\t", ['runs', 'list', NAMES.export]],
  ['exports pause "Ev\t', ['exports', 'pause', NAMES.export]],
  ['exports pause Every\\ d\t', ['exports', 'pause', NAMES.export]],
  ['projects retrieve Ad\t', ['projects', 'retrieve', NAMES.shop]],
  ['projects retrieve "Ad\t', ['projects', 'retrieve', NAMES.shop]],
  ['projects retrieve Sa\t', ['projects', 'retrieve', NAMES.quoted]],
  ["projects retrieve 'Sa\t", ['projects', 'retrieve', NAMES.quoted]],
  ['projects retrieve Co\t', ['projects', 'retrieve', NAMES.special]],
  ['projects retrieve Üb\t', ['projects', 'retrieve', NAMES.umlaut]],
  ['members update ow\t--level adm\t', ['members', 'update', 'owner@example.com', '--level', 'admin']],
  ['members update owner@ex\t', ['members', 'update', 'owner@example.com']],
  ['exports list --project Sa\t', ['exports', 'list', '--project', NAMES.quoted]],
  ['exports list --project=Ad\t', ['exports', 'list', `--project=${NAMES.shop}`]],
  ['pipeline_destinations retrieve Se\t', ['pipeline_destinations', 'retrieve', NAMES.plugin]],
  ['plugin_configs create --plugin Se\t', ['plugin_configs', 'create', '--plugin', NAMES.plugin]],
]

for (const shell of Object.keys(SHELLS)) {
  t.test(`${shell} inserts names that need no correction`, async (t) => {
    const terminal = openTerminal(t, shell)
    await terminal.shows(PROMPT)
    for (const [typed, args] of LINES) {
      rmSync(typedLine, { force: true })
      terminal.type(`workspace-admin ${typed}\r`)
      // The line itself is shown, too.
      await terminal.shows(ACCEPTED)
      t.strictSame(readFileSync(typedLine, 'utf8').split('\0').slice(0, -1), args, JSON.stringify(typed))
      await terminal.shows(PROMPT)
    }
  })

  t.test(`${shell} lists candidates`, async (t) => {
    const terminal = openTerminal(t, shell)
    await terminal.shows(PROMPT)
    terminal.type('workspace-admin projects retrieve \t\t')
    const shown = await terminal.shows('Default')
    t.notMatch(shown, 'not found')
  })
}

t.test('fish shows ids beside names', (t) => {
  requireProgram('fish')
  const listed = execFileSync('fish', ['-c', "complete -C 'workspace-admin projects retrieve '"], {
    env: environment,
    encoding: 'utf8',
  })
  for (const name of [NAMES.shop, NAMES.quoted, NAMES.umlaut]) t.match(listed, `${name}\t`)
  t.end()
})
