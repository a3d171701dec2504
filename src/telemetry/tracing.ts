/**
 * OpenTelemetry traces: requests, their statements and export attempts. The libraries are optional and are loaded only if
 * an endpoint is set.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Attributes, SpanContext } from '@opentelemetry/api'
import packageJson from '../../package.json' with { type: 'json' }
import type { Config } from '../config.ts'
import { errorCode } from '../errors.ts'

/** Everything that a child process needs to send its spans to the same endpoint. */
export interface TracingSettings {
  url: string
  service: string
  /** The part of all requests and attempts that is traced, from 0 to 1. */
  ratio: number
  flush_ms: number
}

export interface Span {
  /** Runs work inside the span: statements and spans that it starts become children. */
  run<Result>(work: () => Result): Result
  set(attributes: Attributes): void
  rename(name: string): void
  fail(): void
  end(): void
  /** For a child process. */
  readonly traceparent: string
}

export interface SpanOptions {
  name: string
  kind?: 'server' | 'internal'
  attributes?: Attributes
  /** The `traceparent` header of a request. The client chooses the trace, but not whether it is recorded. */
  client?: string | string[]
  /** The `traceparent` of the server, which has also decided whether the trace is recorded. */
  parent?: string
}

export interface Tracing {
  readonly settings: TracingSettings
  /** Starts a child of the current span, of the named parent, or a new trace. */
  start(options: SpanOptions): Span
  /** Records a statement that has just ended. Statements outside of spans are not recorded. */
  statement(seconds: number, text: string, engine: string): void
  /** Returns a function that runs work in the current span. Otherwise queued work runs in the span of another one. */
  readonly snapshot: () => <Result>(work: () => Result) => Result
  flush(): Promise<void>
  stop(): Promise<void>
}

const LIBRARIES = ['api@^1.9.1', 'sdk-trace@^2.12.0', 'resources@^2.12.0', 'exporter-trace-otlp-http@^0.223.0']
const INSTALL = `npm install ${LIBRARIES.map((name) => `@opentelemetry/${name}`).join(' ')}`

/** Attributes with texts of statements are truncated. */
const MAX_ATTRIBUTE_CHARACTERS = 2_000
const STOP_MS = 2_000
const MAX_QUEUED_SPANS = 8_192

type Settings = Pick<Config, Extract<keyof Config, `OTEL_${string}`>>

/** The settings of traces; null without an endpoint. */
export function tracingSettings(config: Settings): TracingSettings | null {
  const base = config.OTEL_EXPORTER_OTLP_ENDPOINT
  const url = config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base.replace(/\/$/, '')}/v1/traces`)
  if (!url) return null
  return {
    url,
    service: config.OTEL_SERVICE_NAME,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    flush_ms: config.OTEL_BSP_SCHEDULE_DELAY,
  }
}

/** Throws an error with the install command if the libraries are missing. */
async function loadLibraries() {
  try {
    const [api, sdk, resources, { OTLPTraceExporter }] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ])
    return { api, sdk, resources, OTLPTraceExporter }
  } catch (error) {
    if (!/MODULE_NOT_FOUND/.test(errorCode(error))) throw error
    throw new Error(
      `Traces need the OpenTelemetry libraries. Install them with \`${INSTALL}\`, or unset OTEL_EXPORTER_OTLP_ENDPOINT.`,
    )
  }
}

export async function openTracing(settings: TracingSettings, onError: (message: string) => void): Promise<Tracing> {
  const { api, sdk, resources, OTLPTraceExporter } = await loadLibraries()
  const report = (message: string): void => onError(message.slice(0, MAX_ATTRIBUTE_CHARACTERS))
  const ignore = (): void => undefined
  api.diag.setLogger(
    { error: report, warn: ignore, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: api.DiagLogLevel.ERROR, suppressOverrideMessage: true },
  )
  const root = new sdk.TraceIdRatioBasedSampler(settings.ratio)
  const provider = new sdk.TracerProvider({
    resource: resources
      .resourceFromAttributes({ 'service.name': settings.service, 'service.version': packageJson.version })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    sampler: new sdk.ParentBasedSampler({ root }),
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_CHARACTERS },
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: settings.url }),
        scheduledDelayMillis: settings.flush_ms,
        maxQueueSize: MAX_QUEUED_SPANS,
      }),
    ],
  })
  const tracer = provider.getTracer('workspace-admin', packageJson.version)
  const current = new AsyncLocalStorage<import('@opentelemetry/api').Span>()

  function parentContext({ client, parent }: SpanOptions) {
    const remote = parseTraceparent(parent ?? client)
    if (!remote) {
      const span = current.getStore()
      return span ? api.trace.setSpan(api.ROOT_CONTEXT, span) : api.ROOT_CONTEXT
    }
    // A client must not turn recording on or off: only the ratio decides.
    const isSampled = () =>
      root.shouldSample(undefined, remote.traceId).decision === sdk.SamplingDecision.RECORD_AND_SAMPLED
    const traceFlags = parent ? remote.traceFlags : isSampled() ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { ...remote, traceFlags })
  }

  return {
    settings,
    start: (options) => {
      const { name, kind = 'internal', attributes } = options
      const span = tracer.startSpan(
        name,
        { kind: kind === 'server' ? api.SpanKind.SERVER : api.SpanKind.INTERNAL, ...(attributes && { attributes }) },
        parentContext(options),
      )
      return {
        run: (work) => current.run(span, work),
        set: (attributes) => void span.setAttributes(attributes),
        rename: (name) => void span.updateName(name),
        fail: () => void span.setStatus({ code: api.SpanStatusCode.ERROR }),
        end: () => span.end(),
        get traceparent() {
          const { traceId, spanId, traceFlags } = span.spanContext()
          return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
        },
      }
    },
    statement: (seconds, text, engine) => {
      const parent = current.getStore()
      // Work that a request has started may continue after its response.
      if (!parent || parent.spanContext().traceFlags !== api.TraceFlags.SAMPLED) return
      const ended = performance.timeOrigin + performance.now()
      tracer
        .startSpan(
          statementName(text),
          {
            kind: api.SpanKind.CLIENT,
            startTime: ended - seconds * 1000,
            attributes: { 'db.system.name': engine === 'postgres' ? 'postgresql' : engine, 'db.query.text': text },
          },
          api.trace.setSpan(api.ROOT_CONTEXT, parent),
        )
        .end(ended)
    },
    snapshot: () => AsyncLocalStorage.snapshot(),
    flush: () => provider.forceFlush().catch((error) => report(String(error))),
    stop: async () => {
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref())
      await Promise.race([provider.shutdown().catch((error) => report(String(error))), timeout])
    },
  }
}

/** `select organizations`: the verb of a statement and its first table. */
export function statementName(text: string): string {
  const [start = ''] = text.slice(0, MAX_ATTRIBUTE_CHARACTERS).trimStart().split(/\s/, 1)
  const table = /\b(?:from|into|update|table)\s+"?([a-z_]\w{0,62})/i.exec(text.slice(0, MAX_ATTRIBUTE_CHARACTERS))?.[1]
  return table === undefined ? start.toLowerCase() : `${start.toLowerCase()} ${table}`
}

/** Parses the W3C `traceparent` header, version 00. Undefined for anything else. */
export function parseTraceparent(
  header: string | string[] | undefined,
): (SpanContext & { isRemote: true }) | undefined {
  if (typeof header !== 'string' || header.length !== 55) return undefined
  const [, traceId = '', spanId = '', flags = ''] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(header) ?? []
  if (!/[1-9a-f]/.test(traceId) || !/[1-9a-f]/.test(spanId)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}
