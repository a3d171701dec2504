/**
 * The files in deploy/: their settings, paths, ports and commands exist, and the image and the compose topology work. No
 * container engine is needed: the commands of the Dockerfile and the nodes run as processes of a normal user.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { parseServeArgs } from '../../src/cli/serve.ts'
import { describeSettings, readConfig } from '../../src/config.ts'
import { contract } from '../../src/contract/table.ts'
import { notRun } from '../helpers/assertions/not-run.ts'
import { freshFolder } from '../helpers/folders.ts'
import type { Json } from '../helpers/json.ts'
import { openRegistry } from '../helpers/peers/registry.ts'
import { buildImage, type Image, isIgnored, parseDockerfile, variablesOf } from '../helpers/programs/dockerfile.ts'
import { emptyPlace } from '../helpers/programs/postgres.ts'
import { until } from '../helpers/programs/site.ts'

t.setTimeout(20 * 60_000)

const THROWAWAY = process.getuid?.() === 0 ? { uid: 61_234, gid: 61_234 } : {}
const SETTINGS = new Set(describeSettings().map(({ name }) => name))
/** Variables of Node. */
const OTHERS = ['NODE_ENV', 'NODE_COMPILE_CACHE']
const SECRETS = { POSTGRES_PASSWORD: 'ab'.repeat(12), SECRET_KEY: 'cd'.repeat(32) }

const dockerfile = parseDockerfile(readFileSync('deploy/Dockerfile', 'utf8'))
const ignored = readFileSync('.dockerignore', 'utf8')
  .split('\n')
  .filter((line) => line && !line.startsWith('#'))
const context = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file && existsSync(file) && !isIgnored(ignored, file))

const finalStage = dockerfile.slice(dockerfile.findLastIndex(({ word }) => word === 'FROM'))
const imageEnvironment = variablesOf(finalStage.find(({ word }) => word === 'ENV')?.text ?? '')

/** Compose replaces `$$`, `${NAME:?}` and `${NAME:-default}`. */
const compose = parse(
  readFileSync('deploy/compose.yaml', 'utf8').replaceAll(/(?<!\$)\$\{(\w+):(\?|-)([^}]*)\}/g, (_, name, kind, value) =>
    kind === '?' ? SECRETS[name as keyof typeof SECRETS] : value,
  ),
  { merge: true },
)
const unit = readFileSync('deploy/workspace-admin.service', 'utf8')
const resources = parseAllDocuments(readFileSync('deploy/kubernetes.yaml', 'utf8')).map((document) => document.toJS())
const NODES = ['api-1', 'api-2', 'worker']

/** Fails for a variable that the server does not read, or a value that it rejects. */
function checkEnvironment(t: Test, where: string, environment: Record<string, string>): void {
  for (const name of Object.keys(environment))
    t.ok(SETTINGS.has(name) || OTHERS.includes(name), `${where} sets ${name}, which exists`)
  t.doesNotThrow(() => readConfig(environment), where)
}

t.test('the Dockerfile has a small, unprivileged result', async (t) => {
  const bases = dockerfile.flatMap(({ word, text }) => (word === 'FROM' ? [text.replace(/ AS .*/, '')] : []))
  t.strictSame([...new Set(bases)], [`node:${packageJson.devDependencies.node.replace('^', '')}-slim`])
  const value = (wanted: string): string | undefined => finalStage.find(({ word }) => word === wanted)?.text
  t.equal(value('USER'), 'node')
  t.equal(value('VOLUME'), '/data')
  t.equal(value('EXPOSE'), imageEnvironment.PORT)
  t.ok(value('HEALTHCHECK'))
  t.notMatch(JSON.stringify(finalStage), /apt-get|npm (ci|install)/)
  checkEnvironment(t, 'the image', imageEnvironment)
  t.equal(dirname(imageEnvironment.EXPORT_FOLDER ?? ''), value('VOLUME'))
  for (const { word, text, flags } of dockerfile)
    if (word === 'COPY' && flags.from === undefined)
      for (const file of text.split(' ').slice(0, -1))
        t.ok(file === '.' || context.includes(file), `COPY ${file} is part of the context`)
  for (const file of [
    '.git/config',
    'node_modules/x/index.js',
    'console/node_modules/x',
    'dist/main.js',
    'data/secret.key',
    '.env',
  ])
    t.ok(isIgnored(ignored, file), `${file} is not part of the context`)
  for (const [library, version] of Object.entries(packageJson.peerDependencies))
    t.ok(
      readFileSync('docs/install.md', 'utf8').includes(`${library}@${version}`),
      `docs/install.md has ${library}@${version}`,
    )
})

t.test('the compose file names existing settings, services, volumes and ports', async (t) => {
  t.strictSame(Object.keys(compose.services), ['db', ...NODES, 'proxy'])
  for (const name of NODES) {
    const { environment, depends_on, build, user, volumes } = compose.services[name]
    checkEnvironment(t, name, { ...imageEnvironment, ...environment })
    t.match(environment, { ROLE: name === 'worker' ? 'worker' : 'api' })
    t.strictSame(Object.keys(depends_on), ['db'])
    t.ok(existsSync(join('deploy', build.context, build.dockerfile)))
    t.equal(user, undefined, 'the user of the image')
    for (const volume of volumes) t.ok(Object.hasOwn(compose.volumes, volume.split(':')[0]), volume)
    const { hostname, port, password } = new URL(environment.DATABASE_URL)
    t.strictSame([hostname, port, password], ['db', '5432', compose.services.db.environment.POSTGRES_PASSWORD])
    const { DRAIN_SECONDS = 2, SHUTDOWN_SECONDS } = readConfig(environment)
    t.ok(Number.parseInt(compose.services[name].stop_grace_period, 10) > DRAIN_SECONDS + SHUTDOWN_SECONDS)
  }
  for (const { image } of Object.values<{ image: string }>(compose.services))
    t.match(image, /^workspace-admin$|:\d/, `${image} has a version`)
  const upstreams = [...compose.configs.proxy.content.matchAll(/server (\S+):(\d+);/g)].map(([, host, port]) => [
    host,
    port,
  ])
  t.strictSame(upstreams, [
    ['api-1', imageEnvironment.PORT],
    ['api-2', imageEnvironment.PORT],
  ])
  const docker = spawnSync('docker', ['compose', 'version'])
  if (docker.status !== 0) return notRun(t, 'docker compose config needs Docker.')
  const env = { ...process.env, ...SECRETS }
  t.equal(spawnSync('docker', ['compose', '-f', 'deploy/compose.yaml', 'config', '--quiet'], { env }).status, 0)
})

t.test('the systemd unit is valid and hardened', async (t) => {
  const values = (key: string): string[] =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value)
  checkEnvironment(t, 'the unit', variablesOf(values('Environment').join(' ')))
  const [command = ''] = values('ExecStart')
  const [, program = '', ...args] = command.split(' ')
  t.match(program, `/node_modules/${packageJson.name}/dist/workspace-admin.js`)
  t.strictSame(args, ['serve'])
  const { SHUTDOWN_SECONDS } = readConfig({})
  t.ok(Number(values('TimeoutStopSec')[0]) > 2 + SHUTDOWN_SECONDS)
  t.match(values('StateDirectory'), ['workspace-admin'])
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return notRun(t, 'systemd-analyze is not installed.')
  const copy = join(freshFolder(t), 'workspace-admin.service')
  writeFileSync(copy, unit.replace('ExecStart=/usr/bin/node', `ExecStart=${process.execPath}`))
  const verified = spawnSync('systemd-analyze', ['verify', copy], { encoding: 'utf8' })
  t.match(verified, { status: 0, stderr: '' })
  // The exposure is at most 2.0 of 10.
  t.match(spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', copy]), { status: 0 })
})

t.test('the Kubernetes manifests are consistent', async (t) => {
  const kinds = resources.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`)
  t.strictSame(kinds, [
    'v1 ServiceAccount workspace-admin',
    'v1 ConfigMap workspace-admin',
    'apps/v1 Deployment workspace-admin-api',
    'apps/v1 Deployment workspace-admin-worker',
    'v1 Service workspace-admin',
    'policy/v1 PodDisruptionBudget workspace-admin-api',
  ])
  const [, settings, api, worker, service, budget] = resources
  const paths = Object.keys(contract.paths)
  for (const [role, { spec }] of [
    ['api', api],
    ['worker', worker],
  ] as const) {
    const pod = spec.template.spec
    const [server, ...others] = pod.containers
    t.strictSame(others, [])
    t.same(spec.template.metadata.labels, spec.selector.matchLabels)
    const [command, ...flags] = server.args
    t.equal(command, 'serve')
    t.match(parseServeArgs(flags), { role })
    const secrets = Object.fromEntries(
      server.env.map(({ name, valueFrom }: Json) => [
        name,
        valueFrom.secretKeyRef.key === name && valueFrom.secretKeyRef.name,
      ]),
    )
    t.strictSame(secrets, { DATABASE_URL: 'workspace-admin', SECRET_KEY: 'workspace-admin' })
    t.strictSame(server.envFrom, [{ configMapRef: { name: settings.metadata.name } }])
    const environment = {
      ...imageEnvironment,
      ...settings.data,
      DATABASE_URL: 'postgres://db/x',
      SECRET_KEY: SECRETS.SECRET_KEY,
    }
    checkEnvironment(t, role, environment)
    const { DRAIN_SECONDS = 0, SHUTDOWN_SECONDS, PORT } = readConfig(environment)
    t.ok(pod.terminationGracePeriodSeconds > DRAIN_SECONDS + SHUTDOWN_SECONDS)
    t.strictSame(server.ports, [{ name: 'http', containerPort: PORT }])
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      t.ok(paths.includes(server[probe].httpGet.path), `${probe} ${server[probe].httpGet.path}`)
      t.equal(server[probe].httpGet.port, 'http')
    }
    t.match(server.resources, { requests: { cpu: String, memory: String }, limits: { memory: String } })
    t.match(pod.securityContext, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    t.strictSame(server.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    t.match(server.image, new RegExp(`:${packageJson.version}$`), 'the image has the version of the package')
    const mounted = server.volumeMounts.map(({ name }: { name: string }) => name)
    t.strictSame(
      mounted,
      pod.volumes.map(({ name }: { name: string }) => name),
    )
  }
  t.match(api.spec.template.metadata.labels, service.spec.selector)
  t.equal(service.spec.ports[0].targetPort, 'http')
  t.same(budget.spec.selector.matchLabels, api.spec.selector.matchLabels)
  t.ok(budget.spec.minAvailable < api.spec.replicas)
})

interface Node {
  url: string
  port: number
  api_key: string | null
  project_id: number
  project_token: string
  isHealthy(): boolean
  stop(): Promise<number>
}

/** Starts the entrypoint of the image with its environment, on a free port. */
async function startNode(t: Test, image: Image, environment: Record<string, string>): Promise<Node> {
  const inImage = (text: string): string => text.replace(/(?<=^|:)\/(?=app|data)/, `${image.root}/`)
  const [, ...entrypoint] = image.entrypoint
  const args = [...entrypoint.map(inImage), ...image.command]
  const fixed = {
    PATH: dirname(process.execPath),
    LOG_LEVEL: 'warn',
    RATE_LIMITS: 'false',
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
  }
  const inherited = Object.fromEntries(Object.entries(image.environment).map(([name, value]) => [name, inImage(value)]))
  const env = { ...inherited, ...environment, ...fixed }
  const options = { cwd: join(image.root, 'app'), env, ...THROWAWAY }
  const child = spawn(process.execPath, [...args, '--json'], { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(([code]) => Promise.reject(new Error(`The node exited with ${code}.`))),
  ])
  return {
    ...JSON.parse(line),
    port: Number(fixed.PORT),
    isHealthy: () => spawnSync('/bin/sh', ['-c', image.healthcheck], { env }).status === 0,
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = await exited
      return code
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

/** nginx with the configuration of the compose file. Undefined if nginx is not installed. */
async function startProxy(t: Test, nodes: Record<string, Node>): Promise<string | undefined> {
  const nginx = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx'].find((path) => existsSync(path))
  if (!nginx) return notRun(t, 'the proxy needs nginx.') as undefined
  const port = await freePort()
  const folder = freshFolder(t)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const server = compose.configs.proxy.content
    .replaceAll('$$', '$')
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replaceAll(/server (api-\d):\d+/g, (_: string, name: string) => `server 127.0.0.1:${nodes[name]?.port}`)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log stderr;\nevents {}\nhttp { access_log off; ${temporary.join(' ')}\n${server}}`,
  )
  const child = spawn(nginx, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGTERM')
    await exited
  })
  const url = `http://127.0.0.1:${port}`
  await until(() =>
    fetch(`${url}/health/live`).then(
      ({ ok }) => ok,
      () => child.exitCode !== null,
    ),
  )
  return url
}

t.test('the commands of the Dockerfile build an image whose nodes work together as in the compose file', async (t) => {
  // On disk: the build has most of a gigabyte.
  const folder = mkdtempSync(join(existsSync('/var/tmp') ? '/var/tmp' : '/tmp', 'workspace-image-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  // The base image has Node and npm on its PATH.
  const bin = join(folder, 'base')
  mkdirSync(bin)
  writeFileSync(join(bin, 'node'), `#!/bin/sh\nexec "${process.execPath}" "$@"\n`, { mode: 0o755 })
  const npm = execFileSync('sh', ['-c', 'readlink -f "$(command -v npm)"'], { encoding: 'utf8' }).trim()
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\nexec node "${npm}" "$@"\n`, { mode: 0o755 })
  const environment = { PATH: `${bin}:/usr/bin:/bin`, npm_config_registry: await openRegistry(t, []) }
  const image = await buildImage(dockerfile, { folder, context, environment, user: THROWAWAY })
  t.equal(image.user, 'node')
  t.equal(statSync(join(image.root, 'data')).mode & 0o777, 0o700)
  const size = Number(execFileSync('du', ['-sk', image.root], { encoding: 'utf8' }).split('\t')[0])
  t.comment(`the image adds ${Math.round(size / 1000)} MB to its base`)
  t.ok(size < 100_000, `${size} kB`)

  await t.test('one container keeps its data in the volume', async (t) => {
    const first = await startNode(t, image, {})
    t.ok(first.isHealthy())
    t.equal(await first.stop(), 0)
    t.notOk(first.isHealthy())
    t.ok(existsSync(join(image.root, 'data/secret.key')))
    const second = await startNode(t, image, {})
    t.match(second, { api_key: null, project_id: first.project_id })
    t.equal(await second.stop(), 0)
  })

  const DATABASE_URL = await emptyPlace(t, 'postgres')
  const EXPORT_FOLDER = join(image.root, 'data/exports')
  const start = (name: string): Promise<Node> =>
    startNode(t, image, { ...compose.services[name].environment, DATABASE_URL, EXPORT_FOLDER, DRAIN_SECONDS: '0' })
  const [one, two] = [await start('api-1'), await start('api-2')]
  t.ok(one.isHealthy() && two.isHealthy())
  const proxy = await startProxy(t, { 'api-1': one, 'api-2': two })
  const send = async (url: string, method: string, path: string, body?: object): Promise<Json> => {
    const headers = { authorization: `Bearer ${one.api_key}`, 'content-type': 'application/json' }
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${await response.text()}`)
    return response.json() as Promise<Json>
  }
  const batch = [1, 2, 3].map((n) => ({ event: 'opened', distinct_id: 'ada', timestamp: `2026-01-01T00:00:0${n}Z` }))
  await send(proxy ?? one.url, 'POST', '/batch/', { api_key: one.project_token, batch })
  const exports = `/api/projects/${one.project_id}/batch_exports/`
  const destination = { type: 'File', config: {} }
  const { id } = await send(one.url, 'POST', exports, { name: 'Events', interval: 'day', destination })
  const times = { start_at: '2026-01-01T00:00:00Z', end_at: '2026-01-02T00:00:00Z' }
  await send(one.url, 'POST', `${exports}${id}/backfill/`, times)
  const run = async (url: string) => (await send(url, 'GET', `${exports}${id}/runs/`)).results[0]
  t.equal((await run(two.url)).status, 'Starting', 'API nodes do not deliver')

  const worker = await start('worker')
  t.ok(worker.isHealthy())
  const delivered = await until(async () => {
    const found = await run(proxy ?? two.url)
    return !['Starting', 'Running'].includes(found.status) && found
  })
  t.match(delivered, { status: 'Completed', records_completed: 3 })
  t.ok(existsSync(join(EXPORT_FOLDER, String(one.project_id), id)))
  t.equal(await one.stop(), 0)
  if (proxy)
    for (let i = 0; i < 4; i++) t.equal((await fetch(`${proxy}/health/ready`)).status, 200, 'the other node serves')
  t.strictSame([await two.stop(), await worker.stop()], [0, 0])
})
