/** The command for shells, run by the process of `runCommand`. Loading the program takes longer than most commands. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { OWN_PROCESS, programFile, runInHost } from './process.ts'

/** A program that sends its arguments, its environment and its input, and prints the reply. */
const clientOf = (port: number): string => `#!/usr/bin/env node
const { readFileSync } = require('node:fs')
const words = process.argv.slice(2)
if (${JSON.stringify(OWN_PROCESS)}.includes(words[0])) {
  const program = ${JSON.stringify(programFile('workspace-admin.js'))}
  const { status } = require('node:child_process').spawnSync(process.execPath, [program, ...words], { stdio: 'inherit' })
  process.exit(status)
}
const request = require('node:http').request({ host: '127.0.0.1', port: ${port}, method: 'POST' }, (response) => {
  let reply = ''
  response.setEncoding('utf8')
  response.on('data', (text) => { reply += text })
  response.on('end', () => {
    const { code, stdout, stderr } = JSON.parse(reply)
    process.stdout.write(stdout)
    process.stderr.write(stderr)
    process.exitCode = code
  })
})
request.end(JSON.stringify({ words, environment: process.env, folder: process.cwd(), input: readFileSync(0, 'utf8') }))
`

/** Writes the command into a file. It works until the end of the test. */
export async function writeHostedCommand(t: Test, file: string): Promise<void> {
  const server = createServer(async (request, response) => {
    response.end(JSON.stringify(await runInHost(JSON.parse(await text(request)))))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  rmSync(file, { force: true })
  writeFileSync(file, clientOf((server.address() as AddressInfo).port))
  chmodSync(file, 0o755)
}
