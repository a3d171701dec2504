import { reportRejection } from './console.ts'

/**
 * The promise of a call of the host. It logs a rejection that nothing handles. `await` calls `then`, because the class is not
 * `Promise` itself. Promises of async functions of the plugin cannot be watched: QuickJS does not report them.
 */
class WatchedPromise<Value> extends Promise<Value> {
  #isHandled = false
  // biome-ignore lint/suspicious/noThenProperty: overrides the method of promises.
  override then<Result = Value, Failure = never>(
    onFulfilled?: ((value: Value) => Result | PromiseLike<Result>) | null,
    onRejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    this.#isHandled = true
    const next = super.then(onFulfilled, onRejected) as WatchedPromise<Result | Failure>
    WatchedPromise.#watch(next)
    return next
  }
  #report(error: unknown): void {
    if (!this.#isHandled) reportRejection(error)
  }
  static #watch(promise: WatchedPromise<unknown>): void {
    // A handler may still be added in the same turn.
    const report = (error: unknown): Promise<void> => Promise.resolve().then(() => promise.#report(error))
    Promise.prototype.then.call(promise, undefined, report)
  }
  static of<Value>(promise: Promise<Value>): WatchedPromise<Value> {
    const watched = new WatchedPromise<Value>((resolve, reject) => promise.then(resolve, reject))
    WatchedPromise.#watch(watched)
    return watched
  }
}

export const watched =
  <Args extends unknown[], Value>(work: (...args: Args) => Promise<Value>) =>
  (...args: Args): Promise<Value> =>
    WatchedPromise.of(work(...args))

export const watchAll = <Functions extends Record<string, (...args: never[]) => Promise<unknown>>>(
  functions: Functions,
): Functions => Object.fromEntries(Object.entries(functions).map(([name, work]) => [name, watched(work)])) as Functions

export const queueMicrotask = (callback: () => unknown): void =>
  void Promise.resolve().then(callback).then(undefined, reportRejection)
