import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { SearchIcon } from './icons.tsx'

/** A search field whose text is in the URL. The URL changes when the user stops typing. */
export function SearchField({
  label,
  placeholder,
  value,
  onChange,
}: {
  label: string
  placeholder: string
  value: string
  onChange: (text: string) => void
}) {
  const [text, setText] = useState(value)
  const apply = useDebouncedCallback(onChange, 250)
  // Back and forward change the URL without the field.
  useEffect(() => setText((shown) => (shown.trim() === value ? shown : value)), [value])
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<SearchIcon size={16} />}
      w="100%"
      maw={360}
      value={text}
      maxLength={400}
      onChange={(event) => {
        setText(event.currentTarget.value)
        apply(event.currentTarget.value.trim())
      }}
    />
  )
}
