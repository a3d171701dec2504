/** The source files of a plugin: merging edits, reading plugin.json, inspecting code. */
import { invalid } from '../errors.ts'
import type { PluginFile, TranspiledFile } from '../store/plugins.ts'
import { type Manifest, readManifest } from './manifest.ts'
import type { CodeInspector } from './runtime/sandbox.ts'

export const MAX_FILES = 100
export const MAX_CHARACTERS = 4 * 1024 * 1024

/** Path to text. The main file is `index.ts`; the paths of the others are relative to it. */
export type SourceFiles = Record<string, string>

/** Inspected files and the JSON text of the capabilities found in them. */
export interface InspectedCode {
  files: TranspiledFile[]
  capabilities: string
}

/** Applies an edit; null deletes a file. Throws when plugin.json is invalid or the result is too large. */
export function mergeFiles(before: SourceFiles, edit: Record<string, string | null>): SourceFiles {
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
