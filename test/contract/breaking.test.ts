/** Detection of changes that break clients of the contract. */
import t from 'tap'
import { findBreaks, mayBreakClients } from '../../scripts/breaking.ts'
import { contract } from '../../src/contract/table.ts'
import type { Json } from '../helpers/json.ts'

const ORGANIZATIONS = '/api/organizations/'
const schemas = (copy: Json): Json => copy.components.schemas
const bodyOf = (copy: Json, path: string, method: string): Json => {
  const schema = copy.paths[path][method].requestBody.content['application/json'].schema
  return schema.$ref ? schemas(copy)[schema.$ref.split('/').at(-1)] : schema
}

const BREAKING: [name: string, change: (copy: Json) => void, expected: RegExp][] = [
  ['a path is removed', (c) => delete c.paths['/api/projects/'], /^GET \/api\/projects\/ is removed$/],
  ['an operation is removed', (c) => delete c.paths[ORGANIZATIONS].post, /^POST \/api\/organizations\/ is removed$/],
  [
    'an operation is renamed',
    (c) => {
      c.paths[ORGANIZATIONS].get.operationId = 'organizations.all'
    },
    /operationId was organizations\.list/,
  ],
  [
    'another scope is required',
    (c) => {
      c.paths[ORGANIZATIONS].get.security = [{ apiKey: ['organization:write'] }]
    },
    /organization:read.*organization:write/,
  ],
  [
    'a required parameter is added',
    (c) =>
      c.paths[ORGANIZATIONS].get.parameters.push({
        name: 'new',
        in: 'query',
        required: true,
        schema: { type: 'string' },
      }),
    /parameter query\.new is now required/,
  ],
  [
    'a parameter is removed',
    (c) => {
      c.paths['/api/projects/{project_id}/events/'].get.parameters.shift()
    },
    /the parameter query\.\w+ is removed/,
  ],
  [
    'a field becomes required',
    (c) => {
      bodyOf(c, '/api/projects/', 'post').required = ['name', 'timezone']
    },
    /^POST \/api\/projects\/: body\.timezone is now required$/,
  ],
  [
    'a field of the body is removed',
    (c) => {
      delete bodyOf(c, '/api/personal_api_keys/{id}/', 'patch').properties.label
    },
    /body\.label is no longer accepted/,
  ],
  [
    'a maximum length is lowered',
    (c) => {
      bodyOf(c, '/api/personal_api_keys/{id}/', 'patch').properties.label.maxLength = 3
    },
    /body\.label now has a maxLength of 3/,
  ],
  [
    'a value of a list is longer than the new limit',
    (c) => {
      schemas(c).ProjectWrite.properties.timezone = { type: 'string', maxLength: 2 }
    },
    /body\.timezone now has a maxLength of 2/,
  ],
  [
    'a type is narrowed',
    (c) => {
      bodyOf(c, '/api/personal_api_keys/{id}/', 'patch').properties.label.type = 'integer'
    },
    /label no longer accepts string/,
  ],
  [
    'an enum loses a value',
    (c) => {
      schemas(c).Scope.enum.splice(1, 1)
    },
    /no longer accepts "/,
  ],
  [
    'a response loses a field',
    (c) => {
      delete schemas(c).Organization.properties.name
    },
    /response\.name is removed/,
  ],
  [
    'a field of a response becomes optional',
    (c) => {
      schemas(c).Organization.required = schemas(c).Organization.required.filter((name: string) => name !== 'name')
    },
    /response\.name may now be missing/,
  ],
  [
    'a field of a response becomes nullable',
    (c) => {
      schemas(c).Organization.properties.name = { type: ['string', 'null'] }
    },
    /response\.name may now be null/,
  ],
  [
    'a response has another media type',
    (c) => {
      c.paths[ORGANIZATIONS].get.responses['200'].content = { 'text/csv': {} }
    },
    /no longer sends application\/json/,
  ],
  [
    'the success status changes',
    (c) => {
      const { responses } = c.paths[ORGANIZATIONS].post
      responses['200'] = responses['201']
      delete responses['201']
    },
    /no longer declares 201/,
  ],
]

const HARMLESS: [name: string, change: (copy: Json) => void][] = [
  [
    'a list of values becomes a limited text',
    (c) => {
      schemas(c).ProjectWrite.properties.timezone = { type: 'string', maxLength: 3 }
    },
  ],
  [
    'a new operation',
    (c) => {
      c.paths['/api/new/'] = { get: { operationId: 'new.list', responses: {} } }
    },
  ],
  [
    'a new optional parameter',
    (c) => c.paths[ORGANIZATIONS].get.parameters.push({ name: 'new', in: 'query', schema: { type: 'string' } }),
  ],
  [
    'a new field in a body',
    (c) => {
      bodyOf(c, '/api/projects/', 'post').properties.colour = { type: 'string' }
    },
  ],
  [
    'a new field in a response',
    (c) => {
      schemas(c).Organization.properties.colour = { type: 'string' }
      schemas(c).Organization.required.push('colour')
    },
  ],
  [
    'no maximum length',
    (c) => {
      delete bodyOf(c, '/api/personal_api_keys/{id}/', 'patch').properties.label.maxLength
    },
  ],
  [
    'another description',
    (c) => {
      c.paths[ORGANIZATIONS].get.description = 'Otherwise.'
    },
  ],
]

t.test('reports breaking changes', async (t) => {
  for (const [name, change, expected] of BREAKING) {
    const copy = structuredClone(contract)
    change(copy)
    const breaks = findBreaks(contract, copy)
    t.ok(
      breaks.some((line) => expected.test(line)),
      `${name}: ${breaks[0]}`,
    )
  }
})

t.test('allows compatible changes', async (t) => {
  t.same(findBreaks(contract, structuredClone(contract)), [])
  for (const [name, change] of HARMLESS) {
    const copy = structuredClone(contract)
    change(copy)
    t.same(findBreaks(contract, copy), [], name)
  }
})

t.test('a major version may contain breaking changes', async (t) => {
  for (const [before, after, major] of [
    ['1.2.3', '2.0.0', true],
    ['1.2.3', '1.3.0', false],
    ['0.1.0', '0.2.0', true],
    ['0.1.0', '0.1.1', false],
    ['0.9.0', '1.0.0', true],
    ['2.0.0', '1.9.0', false],
  ] as const)
    t.equal(mayBreakClients(before, after), major, `${before} to ${after}`)
})
