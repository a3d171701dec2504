import { readConfig } from '../config.ts'
import { startServer, stopOnSignals } from '../main.ts'

export interface ServeOptions {
  port?: string
  host?: string
  database?: string
  ephemeral?: boolean
  json?: boolean
}

export async function serve(options: ServeOptions): Promise<void> {
  const config = readConfig({
    ...process.env,
    ...(options.port && { PORT: options.port }),
    ...(options.host && { HOST: options.host }),
    ...(options.database && { DATABASE_URL: options.database }),
  })
  const running = await startServer({ config, ephemeral: options.ephemeral })
  stopOnSignals(running, config.SHUTDOWN_SECONDS)
  console.log(JSON.stringify({ url: running.url, ...running.first }))
}
