import './exports.css'
import { Skeleton } from '@mantine/core'

const ROWS = ['a', 'b', 'c', 'd', 'e']

/** The place of a list that is loading. Its rows are as high as those of the list. */
export function ListSkeleton() {
  return (
    <div className="list-skeleton" aria-hidden>
      {ROWS.map((key) => (
        <Skeleton key={key} />
      ))}
    </div>
  )
}
