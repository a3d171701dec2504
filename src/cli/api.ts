/** `api`: calls any path, with the key and the error handling of the other commands. */
import { Command } from 'commander'
import type { Variables } from '../config.ts'
import { METHODS } from '../contract/document.ts'
import { pages, readJson, request, unreachable } from './client.ts'
import { type ConnectionOptions, readConnection, withConnectionOptions } from './connection.ts'
import { EXIT_CODES_SUMMARY, usageError } from './failure.ts'
import { readData } from './inputs.ts'
import { type JsonFlags, jsonOutput, printJson, withJsonOptions } from './json-output.ts'
import { isJsonResponse, isUnchanged, note, type Output, printBodies, printRaw } from './output.ts'

interface ApiOptions extends ConnectionOptions, JsonFlags {
  data?: string
  query?: string[]
  all?: boolean
}

export const apiCommand = (variables: Variables): Command => {
  const command = new Command('api')
    .summary('send a request to any path of the API')
    .description(
      'Sends one request and prints the response body unchanged. Errors are printed as JSON on standard error, with the exit codes of the other commands.',
    )
    .argument('<method>', METHODS.map((method) => method.toUpperCase()).join(', '))
    .argument('<path>', 'a path such as /api/users/@me/')
    .option(
      '--query <name=value>',
      'a query parameter; can be repeated',
      (value: string, before: string[] | undefined) => [...(before ?? []), value],
    )
    .option('--data <json>', 'the request body: JSON, a file, or - for standard input')
    .option('--all', 'follow all pages of a list')
  withJsonOptions(command, [], 'print only these fields')
  return withConnectionOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  $ workspace-admin api GET /api/users/@me/
  $ workspace-admin api GET /api/projects/@current/events/ --query event=paid --query limit=5
  $ workspace-admin api POST /api/organizations/ --data '{"name": "Acme"}'
  $ workspace-admin api GET /api/users/@me/ --jq .organization.name --raw

${EXIT_CODES_SUMMARY}`,
    )
    .action(async (word: string, path: string, options: ApiOptions) => {
      const method = METHODS.find((one) => one === word.toLowerCase())?.toUpperCase()
      if (!method) throw usageError(`"${word}" is not a method. Use GET, POST, PUT, PATCH or DELETE.`)
      // Anything else could change the host that receives the key.
      if (!/^\/(?![/\\])[^\s#\\]*$/.test(path))
        throw usageError('The path starts with one slash, such as /api/users/@me/.')
      if (options.all && method !== 'GET') throw usageError('--all only works with GET.')
      const server = readConnection(variables, options)
      if (!server.key && server.withheld) note(server.withheld)
      const url = withQuery(path, options.query ?? [])
      const output: Output = { format: 'json', ...jsonOutput(options) }
      if (options.all) {
        await printBodies(pages(server, url), output)
        return
      }
      const body = options.data === undefined ? undefined : await readData(options.data)
      const response = await request(server, { method, path: url, body })
      if (!isUnchanged(output) && isJsonResponse(response)) {
        await printJson(await readJson(server, response), output)
        return
      }
      await printRaw(response).catch((error) => {
        throw unreachable(server.url, error)
      })
    })
}

function withQuery(path: string, pairs: string[]): string {
  const search = new URLSearchParams(
    pairs.map((pair): [string, string] => {
      const at = pair.indexOf('=')
      if (at < 1) throw usageError('--query takes name=value.')
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
  if (search.size === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${search}`
}
