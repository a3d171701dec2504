import { Button, type ButtonProps, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { ActionButton } from './ActionButton.tsx'
import { ErrorAlert } from './ErrorAlert.tsx'

interface ConfirmProps extends ButtonProps {
  children: ReactNode
  /** The question, as the title of the dialog. */
  title: string
  /** The effect of the action, as the text of the dialog. */
  effect: ReactNode
  /** The label of the button that confirms. */
  confirm: string
  danger?: boolean
  /** The user must type this text. */
  typed?: string
  /** Why the action is not available. */
  disabledReason?: string | undefined
  onConfirm: () => Promise<unknown>
}

/** A button that asks before it acts. The dialog stays open and shows the error if the action fails. */
export function ConfirmButton({ children, title, effect, confirm, danger, typed, onConfirm, ...props }: ConfirmProps) {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <ActionButton {...props} {...(danger && { color: 'red' })} onClick={open}>
        {children}
      </ActionButton>
      <ConfirmDialog {...{ opened, close, title, effect, confirm, danger, typed, onConfirm }} />
    </>
  )
}

export function ConfirmDialog({
  opened,
  close,
  title,
  effect,
  confirm,
  danger,
  typed,
  onConfirm,
}: Pick<ConfirmProps, 'title' | 'effect' | 'confirm' | 'danger' | 'typed' | 'onConfirm'> & {
  opened: boolean
  close: () => void
}) {
  const [text, setText] = useState('')
  const [error, setError] = useState<unknown>()
  const [loading, setLoading] = useState(false)
  const leave = (): void => {
    setText('')
    setError(undefined)
    close()
  }
  const act = async (): Promise<void> => {
    setLoading(true)
    setError(undefined)
    try {
      await onConfirm()
      leave()
    } catch (error) {
      setError(error)
    } finally {
      setLoading(false)
    }
  }
  return (
    <Modal opened={opened} onClose={leave} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void act()
        }}
      >
        <Stack>
          <Text size="sm" component="div">
            {effect}
          </Text>
          {typed !== undefined && (
            <TextInput
              label={`Type "${typed}" to confirm`}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              autoComplete="off"
            />
          )}
          {error !== undefined && <ErrorAlert error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={leave}>
              Cancel
            </Button>
            <Button
              type="submit"
              {...(danger && { color: 'red' })}
              loading={loading}
              disabled={typed !== undefined && text !== typed}
              data-autofocus={typed === undefined || undefined}
            >
              {confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
