import { ActionIcon, Tooltip } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { lazy, Suspense, useRef, useState } from 'react'
import { SearchIcon } from '../parts/icons.tsx'

const SearchDialog = lazy(() => import('./SearchDialog.tsx').then(({ SearchDialog }) => ({ default: SearchDialog })))

/** Opens the search by click or by Ctrl+K or Cmd+K. The dialog is loaded on first use. */
export function SearchButton() {
  const [opened, setOpened] = useState(false)
  const focused = useRef<Element | null>(null)
  const open = (): void => {
    if (opened) return
    focused.current = document.activeElement
    setOpened(true)
  }
  const close = (): void => {
    setOpened(false)
    if (focused.current instanceof HTMLElement) focused.current.focus()
  }
  useHotkeys([['mod+K', open]], [])
  return (
    <>
      <Tooltip label="Search (Ctrl+K)">
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Search" onClick={open}>
          <SearchIcon />
        </ActionIcon>
      </Tooltip>
      {opened && (
        <Suspense>
          <SearchDialog close={close} />
        </Suspense>
      )}
    </>
  )
}
