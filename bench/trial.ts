/** A measurement as data: what is measured and why, who takes part, and what must hold between them. */
export interface Trial {
  name: string
  why: string
  rounds: number
  /** Everybody's milliseconds, one after the other in each round, so that a noisy machine hurts all alike. */
  contestants: Record<string, () => Promise<number>>
  bars: Bar[]
  setup?: () => Promise<() => Promise<void>>
}

/** `subject` takes at most `atMost` times what `against` takes. */
export interface Bar {
  subject: string
  against: string
  atMost: number
}
