import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { hash, verify } from '@node-rs/argon2'
import { MAX_CONCURRENT } from '../../src/auth/password-processes.ts'
import type { Benchmark } from '../benchmark.ts'
import { startOnPostgres } from '../postgres.ts'
import { fetchBody, percentile, postJson, startWorkspace, timed, type Workspace } from '../workspace.ts'

/** A round takes about a second, in which some 15 users sign in. */
const REQUESTS = 1_000
const USERS = 50
const WRITE_EVERY_MS = 35
const PASSWORD = 'correct horse battery staple'
const ORGANIZATION = '/api/organizations/@current/'

let workspace: Workspace
/** The users have separate connections, so administration requests do not wait for a free one. */
let browsers: Workspace
let stored: string

const emailOf = (user: number): string => `user-${user}@example.com`

const setup = (start: () => Promise<Workspace>) => async (): Promise<undefined> => {
  workspace = await start()
  browsers = { ...workspace, agent: new Agent({ keepAlive: true, maxSockets: USERS }) }
  for (let user = 0; user < USERS; user++) {
    const invite = JSON.parse(await postJson(workspace, `${ORGANIZATION}invites/`, { target_email: emailOf(user) }))
    await signUp(invite)
  }
  stored = await hash(PASSWORD)
  return undefined
}

async function signUp({ id, signup_token }: { id: string; signup_token: string }): Promise<void> {
  const response = await fetch(`${workspace.url}/api/signup/${id}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: signup_token, password: PASSWORD }),
  })
  if (response.status !== 201) throw new Error(`the signup returned ${response.status}: ${await response.text()}`)
}

const credentialsOf = (user: number): Buffer =>
  Buffer.from(JSON.stringify({ email: emailOf(user), password: PASSWORD }))

const signIn = (user: number): Promise<string> => fetchBody(browsers, '/api/login/', { body: credentialsOf(user) })

const everyUser = (work: (user: number) => Promise<string>): Promise<string>[] =>
  Array.from({ length: USERS }, (_, user) => work(user))

async function requests(): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < REQUESTS; i++) times.push(await timed(() => fetchBody(workspace, ORGANIZATION)))
  return percentile(times, 0.99)
}

/** Every user signs in repeatedly until `work` is done. `work` starts after the first sign-in. */
async function whileSigningIn(work: () => Promise<number>): Promise<number> {
  let done = false
  const first = everyUser(signIn)
  const all = first.map(async (signedIn, user) => {
    for (await signedIn; !done; ) await signIn(user)
  })
  await Promise.race(first)
  const time = await work()
  done = true
  await Promise.all(all)
  return time
}

/** Sends invites repeatedly, about as often as users can sign in on two cores. */
async function whileWriting(work: () => Promise<number>): Promise<number> {
  let done = false
  const writes = (async () => {
    for (; !done; await pause(WRITE_EVERY_MS))
      await postJson(workspace, `${ORGANIZATION}invites/`, { target_email: 'guest@example.com' })
  })()
  const time = await work()
  done = true
  await writes
  return time
}

/** Verifies the password of each user without a server, with the concurrency of the server. */
async function verifyDirectly(): Promise<number> {
  let left = USERS
  return timed(() =>
    Promise.all(
      Array.from({ length: MAX_CONCURRENT }, async () => {
        while (left-- > 0) await verify(stored, PASSWORD)
      }),
    ),
  )
}

const IDLE = 'organization, idle'
const WRITING = 'organization, with as many invites'
const BUSY = `organization, with ${USERS} parallel sign-ins`

const isolation = (name: string, start: () => Promise<Workspace>): Benchmark => ({
  name,
  description: `Sign-ins at most double the 99th percentile of the times of other requests. ${USERS} users sign in with their passwords continuously, and ${MAX_CONCURRENT} hash is computed at a time. Each sign-in is a durable commit, like an invite.`,
  // With 7 rounds the ratio to idle varied from 1.5 to 2.6 between runs.
  rounds: 21,
  setup: setup(start),
  variants: { [IDLE]: requests, [WRITING]: () => whileWriting(requests), [BUSY]: () => whileSigningIn(requests) },
  limits: [
    { subject: BUSY, against: IDLE, atMost: 2 },
    { subject: BUSY, against: WRITING, atMost: 2 },
  ],
})

const HTTP = `${USERS} parallel sign-ins`
const DIRECT = `${USERS} argon2 verifications`

const rate = (name: string, start: () => Promise<Workspace>): Benchmark => ({
  name,
  description: `A sign-in takes at most twice as long as its argon2 hash. ${MAX_CONCURRENT} hash is computed at a time.`,
  rounds: 5,
  setup: setup(start),
  variants: { [DIRECT]: verifyDirectly, [HTTP]: () => timed(() => Promise.all(everyUser(signIn))) },
  limits: [{ subject: HTTP, against: DIRECT, atMost: 2 }],
})

export const signin: Benchmark[] = [
  isolation('signin.isolation', startWorkspace),
  isolation('signin.isolation.postgres', startOnPostgres),
  rate('signin.rate', startWorkspace),
  rate('signin.rate.postgres', startOnPostgres),
]
