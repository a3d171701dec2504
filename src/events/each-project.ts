import { setImmediate as turn } from 'node:timers/promises'

/**
 * Does background work for one project after the other, and yields to the event loop in between. A project that fails does
 * not stop the others: its worker of a cluster may be down. The first failure is thrown at the end.
 */
export async function eachProject(
  /** Returns the next projects after an id, in the order of their ids. */
  projects: (after: number) => Promise<readonly number[]>,
  loop: { readonly stopped: boolean },
  work: (project_id: number) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  for (let after: number | undefined = 0; after !== undefined && !loop.stopped; ) {
    const page: readonly number[] = await projects(after)
    for (const project_id of page) {
      if (loop.stopped) break
      await work(project_id).catch((error) => failures.push(error))
      await turn()
    }
    after = page.at(-1)
  }
  if (failures.length) throw failures[0]
}
