/** The fields of an alert that find members and exports. */
import { Select, TagsInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { suggestedMembersQuery } from '../organization/queries.ts'
import { exportOfAlertQuery, suggestedExportsQuery } from './queries.ts'

const MAX_EMAILS = 20
const SEARCH_DELAY_MS = 200

interface FieldProps<Value> {
  value: Value
  error?: ReactNode
  onChange: (value: Value) => void
}

export function RecipientsInput({ organization_id, ...field }: FieldProps<string[]> & { organization_id: string }) {
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), SEARCH_DELAY_MS)
  const found = useQuery(suggestedMembersQuery(organization_id, search))
  return (
    <TagsInput
      label="Recipients"
      description="Addresses of members. Type a part of a name or an address to find them."
      placeholder={field.value.length === 0 ? 'ada@example.com' : ''}
      withAsterisk
      maxTags={MAX_EMAILS}
      acceptValueOnBlur
      splitChars={[',', ';', ' ']}
      data={found.data?.results.map(({ user }) => user.email) ?? []}
      // The server has searched, also by name.
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      {...field}
    />
  )
}

export function ExportSelect({
  organization_id,
  team_id,
  ...field
}: FieldProps<string | null> & { organization_id: string; team_id: number | null }) {
  const { value } = field
  const [text, setText] = useState('')
  const selected = useQuery({ ...exportOfAlertQuery(organization_id, value ?? ''), enabled: value !== null })
  const [search] = useDebouncedValue(text === selected.data?.name ? '' : text.trim(), SEARCH_DELAY_MS)
  const found = useQuery(suggestedExportsQuery(organization_id, search))
  const offered = [...(found.data?.results ?? []), ...(value !== null && selected.data ? [selected.data] : [])].filter(
    (one) => team_id === null || one.team_id === team_id,
  )
  const options = new Map(offered.map(({ id, name }) => [id, name]))
  return (
    <Select
      label="Export"
      flex="1 1 12rem"
      placeholder="All exports"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'All exports' }}
      nothingFoundMessage="No export found."
      data={[...options].map(([value, label]) => ({ value, label }))}
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      {...field}
    />
  )
}
