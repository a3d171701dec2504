/** The steps that create an export. */
export const STEPS = ['where', 'what', 'when'] as const
export type Step = (typeof STEPS)[number]

/** The search parameters of the page. Nothing that the user types into the form is in the URL. */
export interface NewExportSearch {
  type?: string | undefined
  /** The provider of a store with the API of Amazon S3, for its examples. */
  provider?: string | undefined
  /** Without it, the first step. */
  step?: Step | undefined
  /** Part of the name of a destination. */
  search?: string | undefined
}
