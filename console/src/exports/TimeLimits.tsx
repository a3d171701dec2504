import { SimpleGrid, TextInput } from '@mantine/core'
import type { ExportFormState } from './export-values.ts'
import { MoreSettings } from './MoreSettings.tsx'

/** The first and the last time of scheduled runs, which few exports have. */
export function TimeLimits({ form }: { form: ExportFormState }) {
  const { start_at, end_at } = form.values
  return (
    <MoreSettings
      isSet={start_at !== '' || end_at !== ''}
      hasError={form.errors.start_at !== undefined || form.errors.end_at !== undefined}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput type="datetime-local" label="No run before (UTC)" {...form.getInputProps('start_at')} />
        <TextInput type="datetime-local" label="No run after (UTC)" {...form.getInputProps('end_at')} />
      </SimpleGrid>
    </MoreSettings>
  )
}
