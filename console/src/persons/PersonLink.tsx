import type { AnchorProps } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { AnchorLink } from '../parts/links.tsx'
import { FIND_PERSON } from './paths.ts'

/** Leads to the person with a distinct id. Only for pages of a project. */
export function PersonLink({
  distinct_id,
  children,
  ...props
}: { distinct_id: string; children: ReactNode } & Pick<AnchorProps, 'c' | 'size'>) {
  const place = useParams({ from: '/signed-in/organizations/$organization/projects/$project' })
  return (
    // Without preloading, because pointing at the rows of a list would send a request for each.
    <AnchorLink to={FIND_PERSON} params={place} search={{ distinct_id }} preload={false} {...props}>
      {children}
    </AnchorLink>
  )
}
