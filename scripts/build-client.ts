/**
 * Compiles the typed client into client/dist, or into the folder named by the first argument: with the compiler to ESM, and
 * its only module once more to CommonJS.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'
import { writeDialects } from './dialects.ts'

const CONFIG = resolve('client/tsconfig.json')
const ENTRY = resolve('client/src/index.ts')
const outdir = resolve(process.argv[2] ?? 'client/dist')
const built = (name: string): string => join(outdir, 'client/src', name)

const FORMAT: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: ts.sys.getCurrentDirectory,
  getNewLine: () => '\n',
}

function emitModules(): void {
  const { config } = ts.readConfigFile(CONFIG, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [ENTRY] }, ts.sys, dirname(CONFIG))
  const program = ts.createProgram([ENTRY], { ...options, outDir: outdir })
  const diagnostics = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics]
  if (diagnostics.length) throw new Error(ts.formatDiagnostics(diagnostics, FORMAT))
}

function emitCommonJs(): void {
  const { outputText, sourceMapText = '' } = ts.transpileModule(readFileSync(ENTRY, 'utf8'), {
    fileName: ENTRY,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.CommonJS,
      esModuleInterop: true,
      sourceMap: true,
      inlineSources: true,
    },
  })
  writeFileSync(built('index.cjs'), outputText.replace(/^(\/\/# sourceMappingURL=).*$/m, '$1index.cjs.map'))
  const { sources } = JSON.parse(readFileSync(built('index.js.map'), 'utf8'))
  const map = { ...JSON.parse(sourceMapText), file: 'index.cjs', sources }
  writeFileSync(built('index.cjs.map'), JSON.stringify(map))
  writeFileSync(built('index.d.cts'), commonJsTypes(readFileSync(built('index.d.ts'), 'utf8')))
}

/** The same declarations: they import types of ESM files, which CommonJS files may do with this attribute. */
const commonJsTypes = (text: string): string =>
  text.replace(/^(import type .* from '[^'\n]*');$/gm, "$1 with { 'resolution-mode': 'import' };")

await writeDialects()
rmSync(outdir, { recursive: true, force: true })
mkdirSync(outdir, { recursive: true })
emitModules()
emitCommonJs()
