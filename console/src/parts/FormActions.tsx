import { Button, type ButtonProps, Group } from '@mantine/core'
import { ActionButton } from './ActionButton.tsx'
import { ErrorAlert } from './ErrorAlert.tsx'

interface FormActionsProps extends Omit<ButtonProps, 'loading'> {
  /** The label of the button that sends the form. */
  submit: string
  /** Closes the dialog of the form. */
  cancel?: () => void
  isPending: boolean
  /** The error that no field shows. */
  error: unknown
  errorTitle?: string
  disabledReason?: string | undefined
}

/** The end of a form: its error and its buttons. */
export function FormActions({ submit, cancel, isPending, error, errorTitle, ...button }: FormActionsProps) {
  return (
    <>
      {error !== null && <ErrorAlert error={error} {...(errorTitle !== undefined && { title: errorTitle })} />}
      <Group {...(cancel && { justify: 'flex-end' })}>
        {cancel && (
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        )}
        <ActionButton {...button} type="submit" loading={isPending}>
          {submit}
        </ActionButton>
      </Group>
    </>
  )
}
