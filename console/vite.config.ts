import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { CHANGING_FEEDS } from '../src/events/models.ts'
import { FIELD_NAMES, PERSON_FIELD_NAMES } from '../src/hogql/fields.ts'
import { FUNCTION_NAMES, isAggregation } from '../src/hogql/functions.ts'

const CONTRACT = fileURLToPath(new URL('../src/contract/openapi.json', import.meta.url))
const CLIENT = fileURLToPath(new URL('../client/src/index.ts', import.meta.url))
const DESTINATIONS = 'virtual:destination-schemas'
const HOGQL = 'virtual:hogql-names'

interface Schema {
  $ref?: string
  [key: string]: unknown
}

/** The contract's schemas of destination configs, by type. Bundling the whole contract would take 400 kB. */
const destinationSchemas: Plugin = {
  name: 'destination-schemas',
  resolveId: (id) => (id === DESTINATIONS ? `\0${DESTINATIONS}` : undefined),
  load(id) {
    if (id !== `\0${DESTINATIONS}`) return undefined
    const contract = JSON.parse(readFileSync(CONTRACT, 'utf8'))
    const all: Record<string, Schema> = contract.components.schemas
    const resolve = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(resolve)
      if (typeof value !== 'object' || value === null) return value
      const { $ref } = value as Schema
      if (typeof $ref === 'string') return resolve(all[$ref.split('/').at(-1) ?? ''])
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]))
    }
    const schemas = Object.entries(all)
      .filter(([name]) => name.endsWith('Config') && `${name.slice(0, -6)}Destination` in all)
      .map(([name, schema]) => [name.slice(0, -6), resolve(schema)])
    return `export default ${JSON.stringify(Object.fromEntries(schemas))}`
  },
}

/** The names that the HogQL editor completes. The compiler that knows them stays on the server. */
const hogqlNames: Plugin = {
  name: 'hogql-names',
  resolveId: (id) => (id === HOGQL ? `\0${HOGQL}` : undefined),
  load(id) {
    if (id !== `\0${HOGQL}`) return undefined
    const tables = {
      events: [...FIELD_NAMES, ...PERSON_FIELD_NAMES],
      persons: Object.keys(CHANGING_FEEDS.persons.current.fields),
      sessions: Object.keys(CHANGING_FEEDS.sessions.current.fields),
    }
    const functions = FUNCTION_NAMES.filter((name) => !isAggregation(name))
    const aggregations = FUNCTION_NAMES.filter(isAggregation)
    return `export default ${JSON.stringify({ tables, functions, aggregations })}`
  },
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), destinationSchemas, hogqlNames],
  // Test tools bring another version of React.
  resolve: {
    dedupe: ['react', 'react-dom'],
    alias: { 'workspace-admin-client': CLIENT },
  },
  // The server replaces it by a nonce in each response.
  html: { cspNonce: 'NONCE_HERE' },
  build: {
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    emptyOutDir: true,
    license: { fileName: 'licenses.md' },
    chunkSizeWarningLimit: 800,
  },
  logLevel: 'warn',
  server: { proxy: { '/api': 'http://127.0.0.1:8000', '/complete': 'http://127.0.0.1:8000' } },
})
