import { Button, type ButtonProps, Tooltip, VisuallyHidden } from '@mantine/core'
import { type MouseEvent, type ReactNode, useId } from 'react'

interface ActionButtonProps extends ButtonProps {
  children: ReactNode
  /** Why the action is not available. The button stays focusable and explains it. */
  disabledReason?: string | undefined
  onClick?: (event: MouseEvent<HTMLButtonElement>) => void
  type?: 'button' | 'submit'
}

export function ActionButton({ children, disabledReason, onClick, ...props }: ActionButtonProps) {
  const id = useId()
  if (disabledReason === undefined)
    return (
      <Button {...props} {...(onClick && { onClick })}>
        {children}
      </Button>
    )
  return (
    <>
      <Tooltip label={disabledReason}>
        <Button
          {...props}
          type="button"
          data-disabled
          aria-disabled
          aria-describedby={id}
          onClick={(event) => event.preventDefault()}
        >
          {children}
        </Button>
      </Tooltip>
      <VisuallyHidden id={id}>{disabledReason}</VisuallyHidden>
    </>
  )
}
