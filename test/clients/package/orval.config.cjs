/** Orval writes the server's address into the client that it generates. */
module.exports = {
  workspace: {
    input: './openapi.json',
    output: { client: 'fetch', mode: 'single', target: 'generated/orval.ts', baseUrl: process.env.WORKSPACE_URL },
  },
}
