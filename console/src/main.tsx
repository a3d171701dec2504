import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './console.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient, WorkspaceError } from './api.ts'
import { nonce } from './nonce.ts'
import { router } from './router.tsx'
import { cssVariablesResolver, theme } from './theme.ts'

// After an update of the server, the chunks of an open page are gone. Reload once to get the new page.
addEventListener('vite:preloadError', (event) => {
  const reloaded = Number(sessionStorage.getItem('reloaded_at') ?? 0)
  if (Date.now() - reloaded < 10_000) return
  event.preventDefault()
  sessionStorage.setItem('reloaded_at', String(Date.now()))
  location.reload()
})

// The scroll lock of dialogs writes a style element of its own.
setNonce(nonce)

const root = document.getElementById('root')
if (root)
  createRoot(root, {
    // The page already shows an error response, so the browser's console needs only the unexpected errors.
    onCaughtError: (error) => {
      if (!(error instanceof WorkspaceError)) console.error(error)
    },
  }).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queryClient}>
          <Notifications position="bottom-right" />
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
