/** Orval writes the server URL into the generated client. */
module.exports = {
  workspace: {
    input: './openapi.json',
    output: { client: 'fetch', mode: 'single', target: 'generated/orval.ts', baseUrl: process.env.WORKSPACE_URL },
  },
}
