import './condition-form.css'
import { Anchor, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'

/** The longest condition that fits into a query with the rest of its text. */
const MAX_LENGTH = 8_000

/** A HogQL condition. An error of the server is shown with the place in the text. */
export function ConditionForm({
  applied,
  label,
  placeholder,
  error,
  apply,
  remove,
}: {
  /** The condition in the URL. Empty if there is none. */
  applied: string
  label: string
  placeholder: string
  /** The error of the applied condition, with the index of the wrong character. */
  error: { detail: string; offset: number | undefined } | undefined
  apply: (condition: string | undefined) => void
  remove: () => void
}) {
  const [text, setText] = useState(applied)
  const [shown, setShown] = useState(applied)
  const input = useRef<HTMLTextAreaElement>(null)
  // The back button of the browser changes the condition from outside.
  if (shown !== applied) {
    setShown(applied)
    setText(applied)
  }
  const offset = error?.offset
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    apply(text.trim() || undefined)
  }
  const select = (): void => {
    input.current?.focus()
    input.current?.setSelectionRange(offset ?? 0, (offset ?? 0) + 1)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !event.shiftKey) submit(event)
  }
  return (
    <form onSubmit={submit}>
      <Group align="flex-start" gap="xs">
        <Stack gap={4} flex="1 1 16rem" miw={0}>
          <Textarea
            ref={input}
            label={label}
            placeholder={placeholder}
            autosize
            minRows={1}
            maxRows={8}
            maxLength={MAX_LENGTH}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={onKeyDown}
            autoFocus={applied === ''}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            error={error?.detail}
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
