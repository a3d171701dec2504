/** The rules of openapi/README.md detect violations. */
import t from 'tap'
import { findViolations } from '../../scripts/contract-rules.ts'
import { contract } from '../../src/contract/table.ts'

type Json = Record<string, any>

const after = (change: (schemas: Json) => void): string[] => {
  const copy = structuredClone(contract)
  change(copy.components.schemas)
  return findViolations(copy)
}

t.test('the contract follows all rules', async (t) => {
  t.same(findViolations(contract), [])
})

t.test('reports null in an enum', async (t) => {
  const found = after(({ PluginWrite }) => {
    PluginWrite.properties.plugin_type = { type: ['string', 'null'], enum: ['local', null] }
  })
  t.match(
    found[0],
    /^\/components\/schemas\/PluginWrite\/properties\/plugin_type: write null as an alternative to the enum/,
  )
})

t.test('reports a secret in a response', async (t) => {
  const found = after(({ HTTPSettings }) => {
    HTTPSettings.properties.token = { type: 'string', maxLength: 100, writeOnly: true }
  })
  t.match(found, [/HTTPSettings\/properties\/token: a response schema must not/])
})

t.test('reports secrets without an x-secret-receiver', async (t) => {
  const found = after(({ HTTPSettings }) => {
    delete HTTPSettings.properties.url['x-secret-receiver']
  })
  t.match(found, [/^HTTPConfig: mark the members that decide where secrets are sent/])
})
