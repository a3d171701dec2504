import { PasswordInput, type PasswordInputProps } from '@mantine/core'

/** The field for the password of the user. */
export function Password(props: PasswordInputProps) {
  return (
    <PasswordInput
      label="Password"
      autoComplete="current-password"
      required
      maxLength={256}
      aria-invalid={Boolean(props.error)}
      {...props}
    />
  )
}

/** The field for a password that the user chooses. The server checks its strength. */
export function NewPassword(props: PasswordInputProps) {
  return <Password description="At least 8 characters, and hard to guess." autoComplete="new-password" {...props} />
}
