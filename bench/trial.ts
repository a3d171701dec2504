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
  setup?: () => Promise<(() => void) | undefined>
}

/** `warming` in the round that is not counted, which may be shorter. */
export type Contestant = (warming: boolean) => Promise<number>

/** `subject` is at most `atMost` times `against`, or differs from it by no more than `within`. */
export type Bar = { subject: string; against: string } & ({ atMost: number } | { within: number })
