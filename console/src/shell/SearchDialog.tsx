import './search.css'
import { Combobox, Group, Loader, Modal, Text, TextInput, useCombobox, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { messageOf } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { SearchIcon } from '../parts/icons.tsx'
import { findPages, type Target } from './search-pages.ts'
import { MAX_TEXT, type Group as Results, useFound } from './search-results.ts'
import { useCurrentPlace } from './workspace.ts'

const TYPING_MS = 150
const WHAT =
  'Pages and settings by their words, exports by name, persons by distinct id, email or id, events and runs by id.'

/** Finds pages, settings, exports, persons, events and runs. */
export function SearchDialog({ close }: { close: () => void }) {
  const navigate = useNavigate()
  const place = useCurrentPlace()
  const [text, setText] = useState('')
  const [typed] = useDebouncedValue(text.trim(), TYPING_MS)
  const combobox = useCombobox()
  const pages: Results = {
    name: 'Pages and settings',
    targets: findPages(place, text),
    isLoading: false,
    error: null,
  }
  const found = useFound(place, typed)
  const isTyping = typed !== text.trim()
  // Pages are known at once. The others follow, so what is selected keeps its place.
  const groups = [pages, ...found].filter(
    ({ targets, isLoading, error }) => targets.length > 0 || isLoading || Boolean(error),
  )
  const targets = groups.flatMap(({ targets }) => targets)
  const keys = targets.map(({ key }) => key)

  /** Whether the user has chosen an option with the arrow keys since the text changed. */
  const hasMoved = useRef(false)
  const shown = useRef<string[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list keeps the chosen option, or selects its first one.
  useEffect(() => {
    const chosen = shown.current[combobox.getSelectedOptionIndex()]
    shown.current = keys
    combobox.openDropdown()
    combobox.selectOption(hasMoved.current && chosen !== undefined ? Math.max(0, keys.indexOf(chosen)) : 0)
  }, [keys.join('\n')])

  const open = (key: string): void => {
    const target = targets.find((target) => target.key === key)
    if (!target) return
    close()
    void navigate(target.link)
  }
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    // The list would take the first Escape to close itself.
    if (key === 'Escape') close()
    if (key === 'ArrowDown' || key === 'ArrowUp') hasMoved.current = true
  }
  return (
    <Modal
      opened
      onClose={close}
      withCloseButton={false}
      padding={0}
      size="lg"
      title="Search"
      styles={{ header: { display: 'none' } }}
    >
      <Combobox store={combobox} onOptionSubmit={open} withinPortal={false}>
        <Combobox.EventsTarget withExpandedAttribute>
          <TextInput
            data-autofocus
            role="combobox"
            aria-label="Search"
            placeholder="Search pages, exports, persons and ids"
            leftSection={<SearchIcon />}
            size="md"
            maxLength={MAX_TEXT}
            value={text}
            onChange={(event) => {
              hasMoved.current = false
              setText(event.currentTarget.value)
            }}
            onKeyDown={onKeyDown}
          />
        </Combobox.EventsTarget>
        {/* A list without options is not accessible. */}
        <Combobox.Options
          aria-label="Results"
          className="search-results"
          display={groups.length === 0 ? 'none' : undefined}
        >
          {groups.map((group) => (
            <ResultGroup key={group.name} group={group} />
          ))}
        </Combobox.Options>
        {groups.length === 0 && !isTyping && (
          <Text size="sm" c="dimmed" className="search-hint wrap">
            No results for "{text.trim()}". The search finds: {WHAT.toLowerCase()}
          </Text>
        )}
        {/* Outside of the list, which may contain options only. */}
        <VisuallyHidden role="status">
          {isTyping || groups.some(({ isLoading }) => isLoading) ? 'Searching' : plural(targets.length, 'result')}
        </VisuallyHidden>
        {text.trim() === '' && (
          <Text size="xs" c="dimmed" className="search-hint">
            {WHAT}
          </Text>
        )}
      </Combobox>
    </Modal>
  )
}

function ResultGroup({ group: { name, targets, isLoading, error } }: { group: Results }) {
  return (
    <Combobox.Group label={name}>
      {targets.map((target) => (
        <Result key={target.key} target={target} />
      ))}
      {isLoading && (
        <Group gap="xs" className="search-note">
          <Loader size={14} aria-hidden />
          <Text size="sm" c="dimmed">
            Searching {name.toLowerCase()}
          </Text>
        </Group>
      )}
      {Boolean(error) && (
        <Text size="sm" c="var(--mantine-color-error)" className="search-note wrap">
          {messageOf(error)}
        </Text>
      )}
    </Combobox.Group>
  )
}

function Result({ target: { key, label, hint } }: { target: Target }) {
  return (
    <Combobox.Option value={key}>
      <Group justify="space-between" wrap="nowrap" gap="md">
        <Text span inherit className="wrap">
          {label}
        </Text>
        {hint && (
          <Text span size="xs" opacity={0.85} className="search-place">
            {hint}
          </Text>
        )}
      </Group>
    </Combobox.Option>
  )
}
