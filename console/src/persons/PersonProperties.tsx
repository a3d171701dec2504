import { ActionIcon, Stack, Title, Tooltip } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { valueText } from '../events/model.ts'
import { PropertiesTable } from '../events/PropertiesTable.tsx'
import { FilterIcon } from '../parts/icons.tsx'
import { conditionOf } from './condition.ts'
import { PERSON_ID, PERSONS } from './paths.ts'
import type { PersonSearch } from './search.ts'

const route = getRouteApi(PERSON_ID)

/** The properties of a person. Each leads to the persons with the same value. */
export function PersonProperties({ properties }: { properties: Record<string, unknown> }) {
  const { organization, project } = route.useParams()
  const { find } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Stack gap="xs" component="section" aria-label="Properties">
      <Title order={2} size="h5">
        Properties ({Object.keys(properties).length})
      </Title>
      <PropertiesTable
        properties={properties}
        label="Properties of the person"
        empty="No event has set a property of this person."
        find={find}
        onFind={(find) =>
          void navigate({
            search: (before: PersonSearch) => ({ ...before, find }),
            replace: true,
            resetScroll: false,
          })
        }
        actionsWidth={76}
        isLibraryLast
        actions={(key, value) => {
          const label = `Find persons with ${key}: this value`
          const where = conditionOf(key, 'equals', valueText(value))
          return (
            <Tooltip label={label}>
              <ActionIcon
                variant="subtle"
                size="sm"
                aria-label={label}
                onClick={() => void navigate({ to: PERSONS, params: { organization, project }, search: { where } })}
              >
                <FilterIcon />
              </ActionIcon>
            </Tooltip>
          )
        }}
      />
    </Stack>
  )
}
