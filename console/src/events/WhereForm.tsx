import { Anchor, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { placeIn } from '../parts/query-place.ts'
import { whereErrorOf } from './queries.ts'
import type { View } from './view.ts'

/** A HogQL condition. An error of the server is shown with the place in the text. */
export function WhereForm({
  view: { search, filter },
  error,
  close,
}: {
  view: View
  error: unknown
  close: () => void
}) {
  const applied = search.where ?? ''
  const [text, setText] = useState(applied)
  const [shown, setShown] = useState(applied)
  const input = useRef<HTMLTextAreaElement>(null)
  const wrong = whereErrorOf(error)
  // The back button of the browser changes the expression from outside.
  if (shown !== applied) {
    setShown(applied)
    setText(applied)
  }
  const offset = wrong && placeIn(applied, wrong)
  const apply = (event?: FormEvent): void => {
    event?.preventDefault()
    filter({ where: text.trim() || undefined })
  }
  const remove = (): void => {
    close()
    filter({ where: undefined })
  }
  const select = (): void => {
    input.current?.focus()
    input.current?.setSelectionRange(offset ?? 0, (offset ?? 0) + 1)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey) return
    apply(event)
  }
  return (
    <form onSubmit={apply}>
      <Group align="flex-start" gap="xs">
        <Stack gap={4} flex="1 1 16rem" miw={0}>
          <Textarea
            ref={input}
            label="HogQL expression"
            placeholder="toFloat(properties.amount) > 100 and event != 'test'"
            autosize
            minRows={1}
            maxRows={8}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={onKeyDown}
            autoFocus={search.where === undefined}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            error={wrong?.detail}
          />
          {offset !== undefined && text === applied && (
            <Group gap="sm">
              <Text size="sm" span className="mono wrap">
                {applied.slice(0, offset)}
                <mark className="wrong-place">{applied.slice(offset, offset + 1) || ' '}</mark>
                {applied.slice(offset + 1)}
              </Text>
              <Anchor component="button" type="button" size="xs" onClick={select}>
                Go to the error
              </Anchor>
            </Group>
          )}
        </Stack>
        <Group gap="xs" mt={{ base: 0, sm: 25 }}>
          <Button type="submit" size="sm" variant="default">
            Apply
          </Button>
          <Button size="sm" variant="default" onClick={remove}>
            Remove
          </Button>
        </Group>
      </Group>
    </form>
  )
}
