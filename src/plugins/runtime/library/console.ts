import { sync } from './host.ts'
import { textOf } from './values.ts'

const log = (level: string, values: unknown[]): void => void sync('log', level, values.map(textOf).join(' '))

export const reportRejection = (error: unknown): void => log('ERROR', ['Unhandled promise rejection:', error])

const logAt =
  (level: string) =>
  (...values: unknown[]): void =>
    log(level, values)

const timed = new Map<unknown, number>()

export const console = {
  log: logAt('LOG'),
  info: logAt('INFO'),
  warn: logAt('WARN'),
  error: logAt('ERROR'),
  debug: logAt('DEBUG'),
  trace: logAt('DEBUG'),
  dir: (value: unknown): void => log('LOG', [value]),
  table: (value: unknown): void => log('LOG', [value]),
  group: (...values: unknown[]): void => {
    if (values.length) log('LOG', values)
  },
  groupEnd: (): void => undefined,
  assert: (condition: unknown, ...values: unknown[]): void => {
    if (!condition) log('ERROR', ['Assertion failed:', ...values])
  },
  time: (label: unknown = 'default'): void => void timed.set(label, Date.now()),
  timeEnd: (label: unknown = 'default'): void => {
    const started_at = timed.get(label)
    if (started_at !== undefined) log('LOG', [`${label}: ${Date.now() - started_at}ms`])
    timed.delete(label)
  },
}
