#!/usr/bin/env node
if (process.argv[2] === 'serve') {
  const { serve } = await import('./serve.ts')
  await serve({ ephemeral: process.argv.includes('--ephemeral'), port: '0' })
}
