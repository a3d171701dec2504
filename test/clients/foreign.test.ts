/** Third-party clients from npm against `serve --dialect posthog`. */
import t from 'tap'
import { inTurn } from '../helpers/assertions/figures.ts'
import { defined } from '../helpers/assertions/items.ts'
import type { Json } from '../helpers/json.ts'
import { clientFile, clientPackage, installClients, run } from '../helpers/programs/clients.ts'
import { serveArguments, startProcess } from '../helpers/programs/process.ts'

await installClients()
// Queries over properties are slow on a busy machine.
const program = serveArguments('--ephemeral', '--dialect', 'posthog')
const server: any = await startProcess(t, { EVENTS_QUERY_TIMEOUT_MS: '200000' }, program)
const { url, api_key, project_token, organization_id, project_id } = server

t.test('posthog-node sends events and posthog-mcp-server reads them', async (t) => {
  const { PostHog } = await clientPackage('posthog-node')
  const sender = new PostHog(project_token, { host: url })
  sender.on('error', (error: Error) => t.fail(error.message))
  sender.identify({ distinctId: 'ada', properties: { email: 'ada@example.com' } })
  sender.capture({ distinctId: 'ada', event: 'opened', properties: { page: '/pricing', visits: 3, tags: ['a', 'b'] } })
  await sender.shutdown()

  const { Client } = await clientPackage('@modelcontextprotocol/sdk/client/index.js')
  const { StdioClientTransport } = await clientPackage('@modelcontextprotocol/sdk/client/stdio.js')
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [clientFile('node_modules/posthog-mcp-server/dist/index.js')],
      env: { POSTHOG_HOST: url, POSTHOG_API_KEY: api_key, POSTHOG_PROJECT: String(project_id) },
      stderr: 'ignore',
    }),
  )
  t.teardown(() => client.close())
  const request = async (parameters: object): Promise<string> => {
    const { content } = await client.callTool({ name: 'list_events', arguments: parameters })
    return content[0].text
  }
  const opened = await request({ event: 'opened', properties: '{"page": "/pricing"}' })
  t.match(opened, /^\*\*1 events\*\*/)
  t.match(opened, /\*\*opened\*\* @ \d{4}-/)
  t.match(opened, '  distinct_id: ada\n')
  // The client expects properties as an object; it would split JSON text into characters.
  for (const line of ['  page: "/pricing"\n', '  visits: 3\n', '  tags: ["a","b"]\n']) t.match(opened, line)
  t.match(await request({ distinct_id: 'ada' }), /^\*\*2 events\*\*/)
  t.match(await request({ distinct_id: 'nobody' }), /^\*\*0 events\*\*/)

  const headers = { authorization: `Bearer ${api_key}` }
  const response = await fetch(`${url}/api/projects/${project_id}/events/?event=opened`, { headers })
  const { results } = (await response.json()) as Json
  t.match(results, [{ person: { is_identified: true, properties: { email: 'ada@example.com' } }, elements: [] }])
})

t.test('@posthog/agent-toolkit finds organizations', async (t) => {
  const { PostHogAgentToolkit } = await clientPackage('@posthog/agent-toolkit')
  const toolkit = new PostHogAgentToolkit({ posthogApiToken: api_key, posthogApiBaseUrl: url })
  const context = toolkit.getContext()
  const tools: Json[] = await toolkit.getTools()
  const call = async (name: string, parameters: object): Promise<string> => {
    const { content } = await defined(tools.find((tool) => tool.name === name)).handler(context, parameters)
    return content[0].text
  }
  t.match(JSON.parse(await call('organizations-get', {})), [{ id: organization_id, name: 'My organization' }])
  await call('switch-organization', { orgId: organization_id })
  t.match(JSON.parse(await call('organization-details-get', {})), { id: organization_id, name: 'My organization' })
  await call('switch-organization', { orgId: '99999999-9999-7999-8999-999999999999' })
  await t.rejects(call('organization-details-get', {}), /404.*not_found/s, 'it returns the error of the server')
  const wrongKey = new PostHogAgentToolkit({ posthogApiToken: 'phx_wrong', posthogApiBaseUrl: url })
  t.strictSame(await wrongKey.getTools(), [], 'a wrong key gives no tools')
})

t.test('@posthog/cli reads organizations and members', async (t) => {
  const call = async (tool: string): Promise<Json> => {
    const args = [clientFile('node_modules/@posthog/cli/lib/posthog-api-cli.mjs'), 'call', '--json', tool, '{}']
    const environment = { POSTHOG_CLI_HOST: url, POSTHOG_CLI_API_KEY: api_key, POSTHOG_CLI_PROJECT_ID: `${project_id}` }
    return JSON.parse(await run(args, environment))
  }
  const expected = {
    'organization-get': { id: organization_id, member_count: 1, teams: [{ id: project_id }] },
    'org-members-list': { count: 1, results: [{ level: 15, user: { email: 'owner@example.com' } }] },
  }
  await Promise.all(inTurn(Object.entries(expected)).map(async ([tool, result]) => t.match(await call(tool), result)))
})
