/** The rules of openapi/README.md detect violations. */
import t from 'tap'
import { deriveCredentials, findViolations, mergeParents, resolve } from '../../scripts/contract-rules.ts'
import { contract } from '../../src/contract/table.ts'
import type { Json } from '../helpers/json.ts'

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

t.test('reports a field of an example that the schema lacks', async (t) => {
  const copy: Json = structuredClone(contract)
  const { post } = copy.paths['/api/organizations/{organization_id}/projects/']
  post.requestBody.content['application/json'].examples = { project: { value: { name: 'App', organization: 'x' } } }
  t.match(findViolations(copy), [/^example project at .*must NOT have unevaluated properties/])
})

t.test('reports a nested field of an example of a response', async (t) => {
  const copy: Json = structuredClone(contract)
  const media = copy.paths['/api/organizations/{id}/'].get.responses[200].content['application/json']
  const { value } = resolve(copy, Object.values<Json>(media.examples)[0]!)
  media.examples = { whole: { value }, extended: { value: { ...value, teams: [{ ...value.teams[0], city: 'x' }] } } }
  t.match(findViolations(copy), [/^example extended at .*teams\/0 must NOT have unevaluated properties/])
})

t.test('merges the parents into schemas that require their fields', async (t) => {
  const text = { type: 'string', maxLength: 10 }
  const parent = { type: 'object', properties: { name: text, note: text } }
  const allOf = [{ $ref: '#/components/schemas/Parent' }]
  const child = { title: 'Child', type: 'object', required: ['name', 'size'], properties: { size: text }, allOf }
  const { schemas } = mergeParents({
    components: { schemas: { Parent: parent, Child: child, Other: { allOf } } },
  }).components
  t.strictSame(schemas.Child, {
    title: 'Child',
    type: 'object',
    required: ['name', 'size'],
    properties: { name: text, note: text, size: text },
  })
  t.strictSame(schemas.Other, { allOf }, 'without inherited requirements')
  t.notOk('allOf' in contract.components.schemas.BatchExportCreate, 'as in the contract')
})

t.test('derives the credentials of a type from its marks', async (t) => {
  const copy: Json = structuredClone(contract)
  const { schemas } = copy.components
  const secret = { type: 'string', maxLength: 100, writeOnly: true }
  const receiver = { type: 'string', maxLength: 100, 'x-secret-receiver': { if: 'virtual' } }
  const settings = {
    bucket: receiver,
    virtual: { type: 'boolean', 'x-secret-receiver': true },
    table: { type: 'string' },
  }
  schemas.NewSettings = { type: 'object', required: ['bucket', 'virtual'], properties: settings }
  schemas.NewConfig = {
    type: 'object',
    required: ['key'],
    properties: { key: secret, mode: { enum: ['a'], 'x-credential': true } },
    allOf: [{ $ref: '#/components/schemas/NewSettings' }],
  }
  deriveCredentials(copy)
  t.match(schemas.NewCredentials, { required: ['virtual', 'key'], additionalProperties: false })
  t.strictSame(Object.keys(schemas.NewCredentials.properties), ['bucket', 'virtual', 'key', 'mode'])
  t.match(findViolations(copy), [/^IntegrationKind: list the types whose config has secrets: .*New/])
})
