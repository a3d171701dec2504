/** The log lines and metrics of a plugin during one request, within limits. */
import type { LogLevel, LogLine, MetricChange, RunOutput } from './messages.ts'

const MAX_LINES = 1_000
const MAX_LINE_LENGTH = 50_000
const MAX_LOG_LENGTH = 512 * 1024
const MAX_METRICS = 1_000
const LEVELS: readonly string[] = ['DEBUG', 'LOG', 'INFO', 'WARN', 'ERROR'] satisfies LogLevel[]

/** Collects the output. `send` gets it in parts. */
export function createOutput(send: (output: RunOutput) => void) {
  let lines: LogLine[] = []
  let metrics: MetricChange[] = []
  let count = 0
  let length = 0
  return {
    log: (level: string, message: string): void => {
      if (count > MAX_LINES || length > MAX_LOG_LENGTH) return
      const text = message.length > MAX_LINE_LENGTH ? `${message.slice(0, MAX_LINE_LENGTH)}…` : message
      count++
      length += text.length
      lines.push(
        count > MAX_LINES || length > MAX_LOG_LENGTH
          ? {
              level: 'WARN',
              message: `The log limit was reached: ${MAX_LINES} lines or ${MAX_LOG_LENGTH} characters. Further lines are dropped.`,
            }
          : { level: isLevel(level) ? level : 'LOG', message: text },
      )
    },
    metric: (change: MetricChange): void => {
      if (metrics.length < MAX_METRICS) metrics.push(change)
    },
    flush: (): void => {
      if (lines.length + metrics.length === 0) return
      send({ lines, metrics })
      lines = []
      metrics = []
    },
  }
}

const isLevel = (level: string): level is LogLevel => LEVELS.includes(level)
