/** Messages between the server and a sandbox process. */
import type { Capabilities } from './capabilities.ts'

/** The code and settings of a configuration, for the process that runs it. */
export interface ConfigurationCode {
  id: number
  /** Changes with the source and with the settings. A process replaces an older version. */
  version: string
  /** The files of the code as written, TypeScript or JavaScript, by path. The main one is index.ts. */
  files: Readonly<Record<string, string>>
  /** JSON of `{ config, attachments, webhooks }`, with secrets. */
  settings: string
}

export interface Attachment {
  key: string
  content_type: string
  file_name: string
  base64: string | null
}

export interface Limits {
  /** CPU time of one call of a function. */
  cpu_ms: number
  /** Time of one call of a function, with the time it waits. */
  call_ms: number
  /** Time of the whole request. */
  request_ms: number
}

export type EventMethod = 'processEvent' | 'onEvent' | 'composeWebhook'

/** A function that is called once. Tasks are named `runEvery…`. */
export interface OnceFunction {
  kind: 'methods' | 'jobs' | 'tasks'
  name: string
}

export type SandboxRequest =
  | { kind: 'inspect'; files: Record<string, string> }
  /** Later requests use the configuration. No reply. */
  | { kind: 'load'; configuration: ConfigurationCode }
  | { kind: 'unload'; id: number }
  /** Calls a method for each event. Those of `processEvent` have two lines (`library/events.ts`), others one line of JSON. */
  | { kind: 'each'; id: number; method: EventMethod; events: string[]; limits: Limits; careful: boolean }
  /** Without a function, it only loads the plugin, which calls `setupPlugin`. */
  | { kind: 'once'; id: number; function: OnceFunction | null; args: string; limits: Limits }
  | { kind: 'answer'; ask: number; succeeded: boolean; text: string; body?: Uint8Array }

/** Why a call failed. `stopped` ones exceeded a bound and lost the state of the plugin. */
export interface PluginError {
  name: string
  message: string
  stack: string
  /** A RetryError of the plugin. */
  retry: boolean
  stopped?: 'timeout' | 'memory' | 'crash'
}

/**
 * The result of a method for one event: its text, or null if it is falsy. `true` stands for the event as it was, and `false` for an
 * event that the filters exclude.
 */
export type Outcome = string | boolean | null | { error: PluginError }

/** Outcomes that a VM returns as numbers: a text takes longer. `later`: the plugin returned a promise. */
export const OUTCOMES = { later: 0, unchanged: 1, nothing: 2, excluded: 3 }

export const errorOfOutcome = (outcome: Outcome): PluginError | null =>
  typeof outcome === 'object' && outcome !== null ? outcome.error : null

export type LogLevel = 'DEBUG' | 'LOG' | 'INFO' | 'WARN' | 'ERROR'
export interface LogLine {
  level: LogLevel
  message: string
}

export interface MetricChange {
  name: string
  kind: 'sum' | 'max' | 'min'
  value: number
}

/** What a plugin wrote during a request. */
export interface RunOutput {
  lines: LogLine[]
  metrics: MetricChange[]
}

/** Counted from 1. */
export interface SourcePosition {
  line: number
  column: number
}

/** An error of a file. Errors of the whole file have no position. */
export interface SourceError {
  detail: string
  position?: SourcePosition | undefined
}

export type SandboxReply =
  | { kind: 'ready' }
  /** The event loop of the process runs. */
  | { kind: 'alive' }
  | {
      kind: 'inspected'
      capabilities: Capabilities | Record<string, never>
      errors: Record<string, SourceError>
      transpiled: Record<string, string>
    }
  /** Outcomes since the last message. In careful mode, one before each call. */
  | { kind: 'progress'; outcomes: Outcome[] }
  | ({ kind: 'output' } & RunOutput)
  | { kind: 'ask'; ask: number; operation: string; args: string; body?: Uint8Array }
  /** Ends `each`. With an error, further events were not offered. */
  | { kind: 'each_done'; outcomes: Outcome[]; error?: StagedError }
  /** Ends `once`. */
  | { kind: 'once_done'; result: string | null; error?: StagedError }

/** `stage` tells where the error happened. */
export interface StagedError extends PluginError {
  stage: 'load' | 'setup' | 'call' | 'flush'
}

/** The code or `setupPlugin` failed, so no function was called. */
export interface LoadError extends StagedError {
  stage: 'load' | 'setup'
}

export const isLoadError = (error: StagedError | undefined): error is LoadError =>
  error?.stage === 'load' || error?.stage === 'setup'

/** The configurations whose code a process keeps. Both sides remove the one that was sent first, so they agree. */
export const MAX_SENT = 200

export function removeOldest(sent: Map<number, unknown>): void {
  const [oldest] = sent.keys()
  if (sent.size > MAX_SENT && oldest !== undefined) sent.delete(oldest)
}
