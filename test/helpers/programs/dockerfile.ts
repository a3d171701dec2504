/** Runs a Dockerfile without a container engine: each stage is a folder, and its commands run as a normal user. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { ended } from './process.ts'

export interface Instruction {
  word: string
  /** Without the flags. */
  text: string
  /** `--from=build` is `{ from: 'build' }`. */
  flags: Record<string, string>
}

/** The instructions of a Dockerfile, with joined lines and without comments. */
export function parseDockerfile(text: string): Instruction[] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  return lines.filter(Boolean).map((line) => {
    const [, word = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? []
    const flags: Record<string, string> = {}
    let text = rest
    for (let flag = /^--([\w-]+)=(\S+)\s+/.exec(text); flag; flag = /^--([\w-]+)=(\S+)\s+/.exec(text)) {
      flags[flag[1] ?? ''] = flag[2] ?? ''
      text = text.slice(flag[0].length)
    }
    return { word, text, flags }
  })
}

/** The variables of `ENV A=1 B=2`. */
export const variablesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(/\s+/).map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )

/** Whether `.dockerignore` leaves out a file. */
export function isIgnored(patterns: readonly string[], file: string): boolean {
  return patterns.some((pattern) => {
    const source = pattern
      .replace(/^\*\*\//, '\0')
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '[^/]*')
      .replace('\0', '(?:.*/)?')
    return new RegExp(`^${source}(?:/|$)`).test(file)
  })
}

export interface Image {
  /** The folder that stands for `/`. */
  root: string
  environment: Record<string, string>
  /** ENTRYPOINT and CMD. */
  entrypoint: string[]
  command: string[]
  healthcheck: string
  user: string
}

interface Stage extends Image {
  folder: string
}

interface BuildOptions {
  folder: string
  /** The files of `COPY . .`. */
  context: readonly string[]
  /** The environment of RUN commands. PATH stands for the base image. */
  environment: Record<string, string>
  user: { uid?: number; gid?: number }
}

/** Builds into `folder`. */
export async function buildImage(
  instructions: readonly Instruction[],
  { folder, context, environment: base, user }: BuildOptions,
): Promise<Image> {
  // Only root can change owners, and the commands run as a normal user.
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'chown'), '#!/bin/sh\n', { mode: 0o755 })
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  const within = (path: string): string => join(stage?.root ?? '', resolve('/', stage?.folder ?? '', path))
  for (const { word, text, flags } of instructions) {
    if (word === 'FROM') {
      const name = / AS (\w+)$/.exec(text)?.[1] ?? 'final'
      const root = join(folder, name)
      stage = { root, folder: '/', environment: {}, entrypoint: [], command: [], healthcheck: '', user: 'root' }
      stages.set(name, stage)
      mkdirSync(join(root, 'tmp'), { recursive: true })
      own(root, user)
    }
    if (!stage) throw new Error(`${word} comes before FROM.`)
    if (word === 'WORKDIR') {
      stage.folder = text
      mkdirSync(within('.'), { recursive: true })
      own(within('.'), user)
    }
    if (word === 'ENV' || word === 'ARG') Object.assign(stage.environment, variablesOf(text.replaceAll('"', '')))
    if (word === 'COPY') {
      const [target = '', ...sources] = text.split(/\s+/).reverse()
      const from = flags.from === undefined ? undefined : stages.get(flags.from)
      for (const source of sources)
        for (const file of from ? [source] : source === '.' ? context : context.filter((name) => name === source)) {
          const to = within(from || (sources.length === 1 && source !== '.') ? target : join(target, file))
          mkdirSync(dirname(to), { recursive: true })
          cpSync(from ? join(from.root, file) : file, to, { recursive: true, verbatimSymlinks: true })
        }
      own(within('.'), user)
    }
    if (word === 'RUN') {
      const { root, environment } = stage
      // Absolute paths are inside the stage.
      const command = text.replaceAll(/(?<=\s)\/(?=\w)/g, `${root}/`)
      const temporary = { HOME: join(root, 'tmp'), TMPDIR: join(root, 'tmp') }
      const env = { ...environment, ...base, ...temporary, PATH: `${bin}:${base.PATH}` }
      const { code, stderr } = await ended(spawn('sh', ['-euc', command], { cwd: within('.'), env, ...user }))
      if (code !== 0) throw new Error(`RUN ${text} exited with ${code}: ${stderr}`)
    }
    if (word === 'ENTRYPOINT') stage.entrypoint = JSON.parse(text)
    if (word === 'CMD') stage.command = JSON.parse(text)
    if (word === 'HEALTHCHECK') stage.healthcheck = text.replace(/^.*?CMD /, '')
    if (word === 'USER') stage.user = text
  }
  const last = [...stages.values()].at(-1)
  if (!last) throw new Error('The Dockerfile has no FROM.')
  chmodSync(join(folder, basename(last.root)), 0o755)
  return last
}

function own(path: string, { uid, gid }: { uid?: number; gid?: number }): void {
  if (uid !== undefined) spawnSync('chown', ['-R', `${uid}:${gid}`, path])
}
