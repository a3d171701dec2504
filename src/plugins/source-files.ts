/** The source files of a plugin: merging edits, reading plugin.json, inspecting code. */
import type { components } from '../contract/openapi.ts'
import { contract, resolve } from '../contract/table.ts'
import { invalid } from '../errors.ts'
import type { PluginFile, TranspiledFile } from '../store/plugins.ts'
import { type Manifest, readManifest } from './manifest.ts'
import type { CodeInspector } from './runtime/sandbox.ts'

export const MAX_FILES = 100
export const MAX_CHARACTERS = 4 * 1024 * 1024
const MAX_NAME = 200
const MAX_TEXT = 1024 * 1024

/** Path to text. The main file is `index.ts`; the paths of the others are relative to it. */
export type SourceFiles = Record<string, string>

/** Inspected files and the JSON text of the capabilities found in them. */
export interface InspectedCode {
  files: TranspiledFile[]
  capabilities: string
}

/** The contents of the files that change; null deletes a file. */
export type SourceEdit = Record<string, string | null>

/** The fields of a plugin that may be sent back beside `source`. */
const RESOURCE = contract.components.schemas.PluginWithSource
const READ_ONLY = new Set(
  [RESOURCE, ...(RESOURCE.allOf ?? [])].flatMap((part) => Object.keys(resolve(part).properties ?? {})),
)

/** The edit in a body: `source`, or the files themselves. Throws for keys that are neither fields nor file names. */
export function readEdit({
  source,
  allow_broken: _,
  ...others
}: components['schemas']['PluginSourceWrite']): SourceEdit {
  if (source === undefined) return Object.fromEntries(Object.entries(others).map(readFile))
  const unknown = Object.keys(others).find((key) => !READ_ONLY.has(key))
  if (unknown !== undefined)
    throw invalid(fieldOf(unknown), 'This field is unknown. Remove it, or move the file into "source".')
  return source
}

function readFile([name, text]: [string, unknown]): [string, string | null] {
  const attr = fieldOf(name)
  if (attr === null || !/.\.[^.]+$/.test(name))
    throw invalid(
      attr,
      `"${attr ?? 'A key'}" is no file name: it needs an extension and at most ${MAX_NAME} characters.`,
    )
  if (text !== null && typeof text !== 'string') throw invalid(attr, `"${name}" must be the text of the file, or null.`)
  if (text !== null && text.length > MAX_TEXT)
    throw invalid(attr, `"${name}" must have at most ${MAX_TEXT} characters.`, 'max_length')
  return [name, text]
}

/** Errors do not repeat longer names. */
const fieldOf = (name: string): string | null => (name.length <= MAX_NAME ? name : null)

/** Applies an edit; null deletes a file. Throws when plugin.json is invalid or the result is too large. */
export function mergeFiles(before: SourceFiles, edit: SourceEdit): SourceFiles {
  const all = new Map<string, string | null>([...Object.entries(before), ...Object.entries(edit)])
  const after = Object.fromEntries([...all].flatMap(([name, text]) => (text === null ? [] : [[name, text]])))
  const texts = Object.values<string>(after)
  if (texts.length > MAX_FILES)
    throw invalid('source', `A plugin has at most ${MAX_FILES} files. Remove some of them.`, 'max_length')
  if (texts.reduce((sum, text) => sum + text.length, 0) > MAX_CHARACTERS)
    throw invalid(
      'source',
      `The files of a plugin have at most ${MAX_CHARACTERS} characters. Shorten them.`,
      'max_length',
    )
  if (edit['plugin.json'] != null) manifestIn(after)
  return after
}

export const manifestIn = (files: SourceFiles): Manifest | undefined =>
  files['plugin.json'] === undefined
    ? undefined
    : readManifest(files['plugin.json'], (detail) => invalid('source__plugin.json', detail))

export async function inspectFiles(inspector: CodeInspector, files: SourceFiles): Promise<InspectedCode> {
  const { capabilities, errors, transpiled } = await inspector.inspect(files)
  const errorOf = new Map(Object.entries(errors))
  const scriptOf = new Map(Object.entries(transpiled))
  return {
    capabilities: JSON.stringify(capabilities),
    files: Object.entries(files).map(([name, text]) => ({
      name,
      text,
      error: errorOf.get(name)?.detail ?? null,
      error_line: errorOf.get(name)?.position?.line ?? null,
      error_column: errorOf.get(name)?.position?.column ?? null,
      transpiled: scriptOf.get(name) ?? null,
    })),
  }
}

export const textsOf = (files: readonly PluginFile[]): SourceFiles =>
  Object.fromEntries(files.map(({ name, text }) => [name, text]))
