/** A benchmark: the variants to measure, and the limits between them. */
export interface Benchmark {
  /** `group.name`. The command line selects a benchmark by its name or its group. */
  name: string
  description: string
  unit?: 'ms' | 'µs' | 'MB'
  rounds: number
  /** Each round measures all variants in turn, so background load affects them alike. */
  variants: Record<string, Variant>
  limits: Limit[]
  /** A variant that this machine cannot run, and how to install it. */
  missing?: string
  setup?: () => Promise<(() => void) | undefined>
}

/** Returns one measurement. `warmup` is true in the first round, which is discarded and may be shorter. */
export type Variant = (warmup: boolean) => Promise<number>

/**
 * A limit for `subject`: a ratio to `against` (`atMost`), a speed relative to `against` (`atLeast`), a difference from
 * `against` (`within`), or an absolute maximum (`most`).
 */
export type Limit =
  | ({ subject: string; against: string } & ({ atMost: number } | { atLeast: number } | { within: number }))
  | { subject: string; most: number }
