import { setImmediate as turn } from 'node:timers/promises'
import type { SetAside } from '../background/set-aside.ts'

/**
 * Does background work for one project after the other, and yields to the event loop in between. A project that fails is set
 * aside and does not stop the others: its node of a cluster may be down.
 */
export async function eachProject(
  /** Returns the next projects after an id, in the order of their ids. */
  projects: (after: number) => Promise<readonly number[]>,
  loop: { readonly stopped: boolean },
  reachable: SetAside<number>,
  work: (project_id: number) => Promise<void>,
): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined && !loop.stopped; ) {
    const page: readonly number[] = await projects(after)
    for (const project_id of reachable.due(page, (id) => id)) {
      if (loop.stopped) break
      await reachable.attempt(project_id, () => work(project_id))
      await turn()
    }
    after = page.at(-1)
  }
}
