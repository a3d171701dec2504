/** One request to a sandbox process, with the calls of the plugin that it leads to. */
import { cpuTimeOf } from '../../background/cpu-time.ts'
import { createAnswers, type PluginHost } from './answers.ts'
import type { Outcome, RunOutput, SandboxReply, SandboxRequest } from './messages.ts'
import type { Child } from './sandbox-children.ts'
import type { Mask } from './secrets-mask.ts'

const CHECK_MS = 250
/** A process that reports that it is alive, but does not end. */
const GRACE_MS = 5_000

interface ExchangeLimits {
  /** The CPU time that the process may use without a message. */
  hang_ms: number
  /** The time of the request. */
  limit_ms: number
}

/** Sends a request and returns its last reply. Kills a process that hangs, which throws `ProcessExited`. */
export async function exchange(
  child: Child,
  request: SandboxRequest,
  { hang_ms, limit_ms }: ExchangeLimits,
  onReply: (reply: SandboxReply) => void = () => undefined,
): Promise<SandboxReply> {
  const kill = (): void => void child.kill()
  const watch = watchHang(child, hang_ms, kill)
  const end = setTimeout(kill, limit_ms + GRACE_MS)
  try {
    await child.send(request)
    for (;;) {
      const reply = await child.receive()
      watch.reset()
      if (reply.kind === 'each_done' || reply.kind === 'once_done' || reply.kind === 'inspected') return reply
      onReply(reply)
    }
  } finally {
    watch.stop()
    clearTimeout(end)
  }
}

interface Attendance {
  host: PluginHost
  mask: Mask
  /** Collects the output of the plugin. */
  output: RunOutput
  /** The number of events of the request, which bounds the calls of the plugin. */
  events?: number
  onProgress?: (outcomes: Outcome[]) => void
}

/** An exchange that also answers what the plugin asks for. Kills the process when the call is aborted. */
export async function attend(
  child: Child,
  request: SandboxRequest,
  limits: ExchangeLimits,
  { host, mask, output, events = 1, onProgress }: Attendance,
): Promise<SandboxReply> {
  host.signal?.throwIfAborted()
  const answers = createAnswers(host, events)
  const kill = (): void => void child.kill()
  host.signal?.addEventListener('abort', kill)
  const onReply = (reply: SandboxReply): void => {
    if (reply.kind === 'progress') onProgress?.(reply.outcomes)
    if (reply.kind === 'output') {
      output.lines.push(...reply.lines.map(({ level, message }) => ({ level, message: mask(message) })))
      output.metrics.push(...reply.metrics)
    }
    if (reply.kind !== 'ask') return
    void answers
      .answer(reply)
      .then((answer) => child.send({ kind: 'answer', ask: reply.ask, ...answer }).catch(() => undefined))
  }
  return exchange(child, request, limits, onReply).finally(() => {
    host.signal?.removeEventListener('abort', kill)
    answers.end()
  })
}

/**
 * Calls `onHang` when a process sends nothing for a time in which it uses the CPU. On a busy machine a call within its bounds may take
 * several times as long. Where the system does not report the CPU time, all time counts.
 */
function watchHang({ pid }: Child, hang_ms: number, onHang: () => void): { reset(): void; stop(): void } {
  let used_ms = 0
  let last: number | undefined
  const timer = setInterval(() => {
    const cpu = pid === undefined ? undefined : cpuTimeOf(pid)
    used_ms += cpu === undefined ? CHECK_MS : cpu - (last ?? cpu)
    last = cpu
    if (used_ms >= hang_ms) onHang()
  }, CHECK_MS)
  return {
    reset: () => {
      used_ms = 0
    },
    stop: () => clearInterval(timer),
  }
}
