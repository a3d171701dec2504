import { ActionIcon, Tooltip } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'
import { SearchIcon } from '../parts/icons.tsx'

const SearchDialog = lazy(() => import('./SearchDialog.tsx').then(({ SearchDialog }) => ({ default: SearchDialog })))

/** Opens the search by click or by Ctrl+K or Cmd+K. The dialog is loaded on first use. */
export function SearchButton() {
  const [opened, setOpened] = useState(false)
  useHotkeys([['mod+K', () => setOpened(true)]], [])
  return (
    <>
      <Tooltip label="Search (Ctrl+K)">
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Search" onClick={() => setOpened(true)}>
          <SearchIcon />
        </ActionIcon>
      </Tooltip>
      {opened && (
        <Suspense>
          <SearchDialog close={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  )
}
