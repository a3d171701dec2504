/** Destinations and formats whose library is not installed. */
import Module from 'node:module'
import t, { type Test } from 'tap'
import packageJson from '../../package.json' with { type: 'json' }
import { onBothEngines, type TestApp } from '../helpers/app.ts'
import { ingest, plainEvents } from '../helpers/seeds/exports.ts'

const loader = Module as unknown as { _resolveFilename(name: string, ...rest: unknown[]): string }

/** Makes a package look as if it was not installed. Returns a function that makes it available again. */
function uninstall(t: Test, name: string): () => void {
  const resolve = loader._resolveFilename
  loader._resolveFilename = (wanted, ...rest) => {
    if (wanted === name) throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' })
    return resolve.call(Module, wanted, ...rest)
  }
  const restore = (): void => {
    loader._resolveFilename = resolve
  }
  t.teardown(restore)
  return restore
}

const S3 = {
  bucket_name: 'b',
  prefix: 'events',
  region: 'us-east-1',
  aws_access_key_id: 'a',
  aws_secret_access_key: 's',
}
const AZURE = {
  container_name: 'c',
  connection_string: 'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=aw==;EndpointSuffix=core.windows.net',
}
const TYPE = 'destination__type'
const FORMAT = 'destination__config__file_format'
const CASES: [library: keyof typeof packageJson.peerDependencies, type: string, config: object, attr: string][] = [
  ['@aws-sdk/client-s3', 'S3', S3, TYPE],
  ['@azure/storage-blob', 'AzureBlob', AZURE, TYPE],
  ['@duckdb/node-api', 'File', { file_format: 'Parquet' }, FORMAT],
  ['@duckdb/node-api', 'S3', { ...S3, file_format: 'Parquet' }, FORMAT],
]

const create = (app: TestApp, type: string, config: object) =>
  app.call('project_batch_exports.create', {
    body: { name: 'Events', interval: 'hour', destination: { type, config } },
  })

onBothEngines(t, 'names the command that installs a missing library', async (t, app) => {
  const { body } = await create(app, 'File', {})
  const params = { batch_export_id: body.id, id: body.id }
  for (const [library, type, config, attr] of CASES) {
    const restore = uninstall(t, library)
    const version = packageJson.peerDependencies[library]
    const missing = { status: 400, body: { type: 'validation_error', code: 'destination_library_missing', attr } }
    const destination = { type, config }
    const created = await create(app, type, config)
    t.match(created, missing, `${library} for ${type}`)
    t.match(created.error?.detail, new RegExp(`^${attr === TYPE ? type : 'Parquet'} needs a library`))
    t.ok(created.error?.detail.includes(` ${library}@${version}`), created.text)
    t.match(await app.call('project_batch_exports.test', { body: destination as never }), missing)
    t.match(await app.call('project_batch_exports.update', { params, body: { destination } }), missing)
    const preview = { hogql_query: 'select event from events', destination_type: type }
    t.match(
      await app.call('project_batch_exports.preview', { body: preview }),
      attr === TYPE
        ? { status: 400, body: { code: 'destination_library_missing', attr: 'destination_type' } }
        : { status: 200 },
    )
    t.equal((await create(app, 'File', { file_format: 'JSONLines' })).status, 201, 'others work')
    restore()
  }
})

onBothEngines(
  t,
  'fails a run once when the library was removed, and delivers it after the installation',
  async (t, app) => {
    const created = await create(app, 'File', { file_format: 'Parquet' })
    const batch_export_id = created.body.id
    await ingest(app, plainEvents(3))
    app.advance(3_600_000)
    const restore = uninstall(t, '@duckdb/node-api')
    await app.deps.exporter.drain()
    const latest = async () =>
      (await app.call('batch_export_runs.list', { params: { batch_export_id } })).body.results[0]
    const failed = await latest()
    t.match(failed, {
      status: 'Failed',
      latest_error: /^Parquet needs a library that is not installed\. Run `npm install /,
    })
    const logs = await app.call('project_batch_exports.logs', { params: { batch_export_id } })
    t.ok(
      logs.body.results.some(({ message }) => message.endsWith('The run is not retried.')),
      'the log has the reason',
    )
    restore()
    const retried = await app.call('batch_export_runs.retry', { params: { batch_export_id, id: failed?.id } })
    t.ok(retried.status < 300)
    await app.deps.exporter.drain()
    t.match(await latest(), { status: 'Completed', records_completed: 3 })
  },
)
