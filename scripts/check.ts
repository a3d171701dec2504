/** Runs all static checks concurrently. */
import { spawn } from 'node:child_process'

const CHECKS: [name: string, ...command: string[]][] = [
  ['generated files', 'tsx', 'scripts/contract.ts', '--check'],
  ['types', 'tsc', '-p', '.'],
  ['types of the plugin API', 'tsc', '-p', 'src/plugins/runtime/library'],
  ['types of the console', 'tsc', '-p', 'console'],
  ['lint and format', 'biome', 'check', '--error-on-warnings', '.'],
  ['floors', 'tsx', 'scripts/floors.ts'],
  ['lock files', 'tsx', 'scripts/lock-files.ts'],
  ['regular expressions', 'tsx', 'scripts/regexes.ts'],
]

const run = ([name, command, ...args]: string[]): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(`node_modules/.bin/${command}`, args)
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('close', (code) => {
      console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}${code === 0 ? '' : `\n${output}`}`)
      resolve(code === 0)
    })
  })

const results = await Promise.all(CHECKS.map(run))
if (results.includes(false)) process.exitCode = 1
