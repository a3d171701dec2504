/** Calls to the host. Only JSON text and bytes cross the border: a C string would end at the first NUL. */

/** The bundle of these modules is a function with this parameter. Plugin code cannot reach it. */
declare const host: {
  sync(operation: string, args: string): string
  bytes(operation: 'encode', json: string, encoding: unknown): ArrayBuffer
  bytes(operation: 'decode', bytes: ArrayBuffer, encoding: unknown): string
  bytes(operation: 'hash' | 'random' | 'zip', bytes: ArrayBuffer, name: string, key?: ArrayBuffer): ArrayBuffer
  /** The id of the call, or the JSON of its result if the host knows it. */
  ask(operation: string, args: string, body?: ArrayBuffer): number | string
  put(succeeded: boolean, outcome: string | number): void
  settle(succeeded: boolean, text: string): void
}

export const { parse, stringify } = JSON

const ERRORS = new Map<string, ErrorConstructor>(
  [Error, TypeError, RangeError, SyntaxError].map((type) => [type.name, type]),
)

function errorOf([name, message]: [name: string, message: string]): Error {
  const error = new (ERRORS.get(name) ?? Error)(message)
  if (error.name !== name) Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true })
  return error
}

/** Calls the host and waits for its reply. */
export function sync<Result = unknown>(operation: string, ...args: unknown[]): Result {
  const { value, error } = parse(host.sync(operation, stringify(args)))
  if (error) throw errorOf(error)
  return value
}

export const encode = (text: string, encoding: unknown): ArrayBuffer => host.bytes('encode', stringify(text), encoding)
export const decode = (bytes: ArrayBuffer, encoding: unknown): string => parse(host.bytes('decode', bytes, encoding))
export const hash = (bytes: ArrayBuffer, algorithm: string, key?: ArrayBuffer): ArrayBuffer =>
  host.bytes('hash', bytes, algorithm, key)
export const random = (size: unknown): ArrayBuffer => host.bytes('random', new ArrayBuffer(0), String(size))
export const zip = (bytes: ArrayBuffer, operation: string): ArrayBuffer => host.bytes('zip', bytes, operation)

interface Waiter {
  resolve(value: unknown): void
  reject(error: Error): void
}

const waiting = new Map<number, Waiter>()

/** Starts a call to the server, or a timer, and returns its id. `answer` ends it. */
export function start(operation: string, args: unknown[], waiter: Waiter, body?: ArrayBuffer): number {
  const id = host.ask(operation, stringify(args), body)
  if (typeof id === 'number') waiting.set(id, waiter)
  else waiter.resolve(parse(id))
  return Number(id)
}

export function cancel(id: number): void {
  waiting.delete(id)
  sync('cancel', id)
}

export function ask<Result = unknown>(operation: string, args: unknown[], body?: ArrayBuffer): Promise<Result> {
  return new Promise((resolve, reject) => {
    start(operation, args, { resolve: (value) => resolve(value as Result), reject }, body)
  })
}

/** Called by the host. `text` is JSON. */
export function answer(id: number, succeeded: boolean, text: string, body?: ArrayBuffer): void {
  const waiter = waiting.get(id)
  if (!waiter) return
  waiting.delete(id)
  if (succeeded) waiter.resolve(body === undefined ? parse(text) : { ...parse(text), body })
  else waiter.reject(errorOf(parse(text)))
}

/** Reports the result of the event that was offered. */
export const put = (succeeded: boolean, outcome: string | number): void => host.put(succeeded, outcome)
/** Reports the end of `once` or `flush`. */
export const settle = (succeeded: boolean, text: string): void => host.settle(succeeded, text)
