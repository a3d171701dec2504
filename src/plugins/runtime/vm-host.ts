/** The functions of the host inside a VM. Only JSON text and bytes cross the border. */
import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'
import { BYTE_FUNCTIONS, decode, encode, SYNC_FUNCTIONS } from './host-functions.ts'
import { OUTCOMES } from './messages.ts'

/** The functions that a plugin calls, directly or through the library. */
export interface VmHost {
  log(level: string, message: string): void
  metric(name: string, kind: string, value: number): void
  /** Starts a call to the server. Returns its id, which is later given to `answer`, or the JSON of a result that is known. */
  ask(operation: string, args: string, body?: Uint8Array): number | string
  /** Cancels a call that nobody waits for any more. */
  cancel(ask: number): void
  /** The result of the event that was offered: text, or one of `OUTCOMES`. The JSON of an error without `succeeded`. */
  put(succeeded: boolean, outcome: string | number): void
  /** The end of `once` or `flush`. */
  settle(succeeded: boolean, text: string): void
}

type HostFunction = (...handles: QuickJSHandle[]) => QuickJSHandle | undefined

export const newBytes = (context: QuickJSContext, content: Uint8Array): QuickJSHandle =>
  context.newArrayBuffer(Uint8Array.from(content).buffer)

/** A text or a number. The text of an outcome is never a number. */
export function outcomeOf(context: QuickJSContext, handle: QuickJSHandle | undefined): string | number {
  if (!handle) return OUTCOMES.nothing
  const number = context.getNumber(handle)
  return Number.isNaN(number) ? context.getString(handle) : number
}

/** What `library/host.ts` calls. */
export function hostFunctions(context: QuickJSContext, host: VmHost): Record<string, HostFunction> {
  const text = (handle: QuickJSHandle | undefined): string => (handle ? context.getString(handle) : '')
  const isTrue = (handle: QuickJSHandle | undefined): boolean => context.dump(handle ?? context.false) === true
  const bytes = (handle: QuickJSHandle): Uint8Array =>
    context.getArrayBuffer(handle).consume(({ value }) => Uint8Array.from(value))
  const optionalBytes = (handle: QuickJSHandle | undefined): Uint8Array | undefined =>
    handle === undefined || context.typeof(handle) === 'undefined' ? undefined : bytes(handle)

  const syncFunctions: typeof SYNC_FUNCTIONS = {
    ...SYNC_FUNCTIONS,
    log: (level, message) => host.log(String(level), String(message)),
    metric: (name, kind, value) => host.metric(String(name), String(kind), Number(value)),
    cancel: (ask) => host.cancel(Number(ask)),
  }

  return {
    sync: (operation, args) => {
      try {
        const work = syncFunctions[text(operation)]
        if (!work) throw new TypeError('Unknown function.')
        const value = work(...JSON.parse(text(args)))
        return context.newString(JSON.stringify({ value: value ?? null }))
      } catch (error) {
        const { name, message } = error instanceof Error ? error : new Error('The call failed.')
        return context.newString(JSON.stringify({ error: [name, message] }))
      }
    },
    bytes: (operation, data, name, key) => {
      if (!data) return undefined
      switch (text(operation)) {
        case 'encode':
          return newBytes(context, encode(JSON.parse(text(data)), text(name)))
        case 'decode':
          return context.newString(JSON.stringify(decode(bytes(data), text(name))))
      }
      const work = BYTE_FUNCTIONS[text(operation)]
      if (!work) throw new TypeError('Unknown function.')
      return newBytes(context, work(bytes(data), text(name), optionalBytes(key)))
    },
    ask: (operation, args, body) => {
      const asked = host.ask(text(operation), text(args), optionalBytes(body))
      return typeof asked === 'number' ? context.newNumber(asked) : context.newString(asked)
    },
    put: (succeeded, result) => void host.put(isTrue(succeeded), outcomeOf(context, result)),
    settle: (succeeded, result) => void host.settle(isTrue(succeeded), text(result)),
  }
}
