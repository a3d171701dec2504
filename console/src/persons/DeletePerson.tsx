import { Checkbox, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { notifyDone } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { TrashIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { useOrganization } from '../shell/workspace.ts'
import { PERSONS } from './paths.ts'
import { deletePerson, forgetPerson, nameOf, type Person } from './queries.ts'

/** Deletes a person after it has said what that means. */
export function DeletePerson({
  person,
  place: { organization, project },
}: {
  person: Person
  place: { organization: string; project: string }
}) {
  const navigate = useNavigate()
  const reason = needsLevel(useOrganization().membership_level, ADMINISTRATOR)
  const [withEvents, setWithEvents] = useState(false)
  const remove = async (): Promise<void> => {
    await deletePerson(project, person.id, withEvents)
    await navigate({ to: PERSONS, params: { organization, project } })
    await forgetPerson(project)
    notifyDone(
      withEvents
        ? 'The person is deleted. Its events are deleted in the background.'
        : 'The person is deleted. Its events stay.',
    )
  }
  return (
    <ConfirmButton
      variant="default"
      size="xs"
      leftSection={<TrashIcon size={14} />}
      title={`Delete ${nameOf(person)}?`}
      effect={
        <Stack gap="sm">
          <Text size="sm">
            Deletes the person, its properties and {plural(person.distinct_ids.length, 'distinct id')}. Nothing can be
            restored. Exports of persons deliver each distinct id once more, marked as deleted. A later event with one
            of the distinct ids creates a person again. The activity log keeps the id of the person.
          </Text>
          <Checkbox
            label="Also delete the events that arrived so far"
            description={
              withEvents
                ? 'They are deleted in the background within minutes. Copies that exports have delivered stay.'
                : 'Otherwise the events stay, without a person.'
            }
            checked={withEvents}
            onChange={(event) => setWithEvents(event.currentTarget.checked)}
          />
        </Stack>
      }
      confirm="Delete person"
      danger
      disabledReason={reason}
      onConfirm={remove}
    >
      Delete
    </ConfirmButton>
  )
}
