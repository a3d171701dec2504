/** A measurement as data: what is measured and why, who takes part, and what must hold between them. */
export interface Trial {
  /** What it is asked for by: `group.trial`, or the group alone for all of it. */
  name: string
  why: string
  unit?: 'ms' | 'MB'
  rounds: number
  /** Everybody's figure, one after the other in each round, so that a noisy machine hurts all alike. */
  contestants: Record<string, Contestant>
  bars: Bar[]
  /** Who should take part and cannot on this machine, and what would help. */
  absent?: string
  setup?: () => Promise<(() => void) | undefined>
}

/** `warming` in the round that is not counted, which may be shorter. */
export type Contestant = (warming: boolean) => Promise<number>

/**
 * `subject` is at most `atMost` times `against`; or is `atLeast` so many times as fast; or differs by no more than `within`;
 * or, where a promise is absolute, is at `most` that.
 */
export type Bar =
  | ({ subject: string; against: string } & ({ atMost: number } | { atLeast: number } | { within: number }))
  | { subject: string; most: number }
