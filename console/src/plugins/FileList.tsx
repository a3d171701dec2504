import { Badge, Box, Button, Group, NavLink, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { PlusIcon } from '../parts/icons.tsx'

/** The files of a plugin, and a form that adds one. */
export function FileList({
  names,
  shown,
  isEdited,
  hasError,
  choose,
  add,
}: {
  names: string[]
  /** The file in the editor. */
  shown: string | undefined
  isEdited: (name: string) => boolean
  hasError: (name: string) => boolean
  choose: (name: string) => void
  add: (name: string) => void
}) {
  return (
    <Stack gap="xs" w={{ base: '100%', sm: 220 }}>
      <Box component="nav" aria-label="Files">
        {names.map((name) => (
          <NavLink
            key={name}
            component="button"
            type="button"
            active={name === shown}
            {...(name === shown && { 'aria-current': 'true' as const })}
            label={<span className="mono wrap">{name}</span>}
            rightSection={<FileState isEdited={isEdited(name)} hasError={hasError(name)} />}
            onClick={() => choose(name)}
          />
        ))}
      </Box>
      <AddFile names={names} add={add} />
    </Stack>
  )
}

function FileState({ isEdited, hasError }: { isEdited: boolean; hasError: boolean }) {
  if (isEdited)
    return (
      <Badge variant="dot" color="blue" size="xs" tt="none">
        Changed
      </Badge>
    )
  return hasError ? (
    <Badge variant="dot" color="red" size="xs" tt="none">
      Error
    </Badge>
  ) : null
}

function AddFile({ names, add }: { names: string[]; add: (name: string) => void }) {
  const [name, setName] = useState('')
  const wanted = name.trim()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        add(wanted)
        setName('')
      }}
    >
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          size="xs"
          flex={1}
          label="New file"
          placeholder="helpers.ts"
          maxLength={200}
          value={name}
          error={names.includes(wanted) ? 'The file exists.' : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button
          type="submit"
          size="xs"
          variant="default"
          aria-label="Add file"
          disabled={wanted === '' || names.includes(wanted)}
        >
          <PlusIcon size={14} />
        </Button>
      </Group>
    </form>
  )
}
