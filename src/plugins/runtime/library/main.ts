/**
 * The plugin API inside the sandbox: globals, modules and `meta`. QuickJS has none of them. The host calls the entry points. Plugin
 * code can reach neither them nor the host.
 */
import './globals.ts'
import { describe, offer, once } from './calls.ts'
import { flush } from './event-buffer.ts'
import { queue } from './events.ts'
import { answer, parse, settle, stringify } from './host.ts'
import { load } from './load.ts'
import { setSettings } from './meta.ts'
import { setWebhooks } from './webhooks.ts'

/** The bundle of these modules is a function that returns this object. */
declare const entries: object

function settled(promise: Promise<unknown>): void {
  promise.then(
    (text) => settle(true, typeof text === 'string' ? text : 'null'),
    (error) => settle(false, stringify(describe(error))),
  )
}

Object.assign(entries, {
  answer,
  /** `text`: JSON of the settings and attachments. */
  configure: (text: string): void => {
    const { config, attachments, webhooks } = parse(text)
    setSettings(config, attachments)
    if (webhooks) setWebhooks(webhooks)
  },
  /** `imports`: JSON. */
  load: (files: Parameters<typeof load>[0], imports: string): string => stringify(load(files, parse(imports))),
  describe: (error: unknown): string => stringify(describe(error)),
  queue,
  offer,
  once: (...call: Parameters<typeof once>): void => settled(once(...call)),
  flush: (): void => settled(flush()),
})
