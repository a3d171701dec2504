import { getRouteApi } from '@tanstack/react-router'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { FIND_PERSON_ID, PERSONS } from './paths.ts'

const route = getRouteApi(FIND_PERSON_ID)

/** Shown for a distinct id without a person. */
export function NoPerson() {
  const place = route.useParams()
  const { distinct_id = '' } = route.useSearch()
  return (
    <>
      <PageHeader title="Persons" />
      <EmptyState
        title="No person has this distinct id"
        action={
          <ButtonLink to={PERSONS} params={place} variant="default">
            All persons
          </ButtonLink>
        }
      >
        The person with the distinct id <span className="mono wrap">{distinct_id}</span> was deleted, or its events were
        sent without a person.
      </EmptyState>
    </>
  )
}
