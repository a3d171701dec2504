import { Group, Text } from '@mantine/core'
import type { Schemas } from '../api.ts'
import { count } from '../parts/format.ts'

/**
 * The options of an Autocomplete with their counts. The server has filtered the options already. The list stays inside
 * the popover, or a click on it would close both.
 */
export function completions(items: Schemas['EventName'][] = []) {
  const counts = new Map(items.map(({ name, count }) => [name, count]))
  return {
    data: [...counts.keys()].filter((name) => name !== ''),
    filter: <Options,>({ options }: { options: Options }) => options,
    comboboxProps: { withinPortal: false },
    // The list itself scrolls: a scroll area around it could not be reached by keyboard.
    withScrollArea: false,
    styles: { options: { maxHeight: 200, overflowY: 'auto' as const } },
    renderOption: ({ option }: { option: { value: string } }) => (
      <Group justify="space-between" wrap="nowrap" gap="xs" w="100%">
        <Text span size="sm" className="wrap">
          {option.value}
        </Text>
        <Text span size="xs" c="dimmed">
          {count(counts.get(option.value) ?? 0)}
        </Text>
      </Group>
    ),
  }
}
