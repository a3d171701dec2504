import { PasswordInput, type PasswordInputProps } from '@mantine/core'

/** The field for a password that the user chooses. The server checks its strength. */
export function NewPassword({
  value,
  onChange,
  ...props
}: Omit<PasswordInputProps, 'onChange'> & { value: string; onChange: (password: string) => void }) {
  return (
    <PasswordInput
      label="Password"
      description="At least 8 characters, and hard to guess."
      autoComplete="new-password"
      required
      maxLength={256}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...props}
    />
  )
}
