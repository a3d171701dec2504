import { Radio, SimpleGrid, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { WorkspaceError } from '../api.ts'
import { Conditions } from './Conditions.tsx'
import { DESTINATIONS, type DestinationType } from './destinations.tsx'
import type { ExportFormState } from './export-values.ts'
import { MODELS, type Model } from './models.ts'
import { PreviewTable } from './PreviewTable.tsx'
import { previewQuery, selectionOf } from './preview.ts'
import { QuerySection, queryErrorOf } from './QuerySection.tsx'

const PAUSE_MS = 500

/** The rows of an export: the model, the filters, the columns, and a preview. */
export function RowsFields({
  form,
  type,
  project,
  isSaved,
  failure,
}: {
  form: ExportFormState
  type: DestinationType
  project: string
  /** The rows of a saved export cannot change. */
  isSaved: boolean
  /** The error of the last request that saved the form. */
  failure: unknown
}) {
  const { model, hogql_query } = form.values
  const { label, isEventsOnly } = DESTINATIONS[type]
  const [selection] = useDebouncedValue(JSON.stringify(selectionOf(form.values)), PAUSE_MS)
  const preview = useQuery(previewQuery(project, selection))
  // The error of an earlier text has another place.
  const isCurrent = JSON.parse(selection).hogql_query === hogql_query
  const queryError =
    (form.errors.hogql_query ? queryErrorOf(failure) : undefined) ??
    (isCurrent ? queryErrorOf(preview.error) : undefined)
  const filterError = previewFilterError(preview.error)
  return (
    <>
      <Radio.Group
        label="Rows"
        value={model}
        error={form.errors.model}
        onChange={(chosen) => form.setValues(withModel(chosen as Model))}
      >
        <SimpleGrid cols={{ base: 1, sm: 3 }} mt={6} spacing="md">
          {Object.entries(MODELS).map(([value, { label, description }]) => (
            <Radio
              key={value}
              value={value}
              label={label}
              description={description}
              disabled={(isSaved || isEventsOnly === true) && value !== model}
            />
          ))}
        </SimpleGrid>
      </Radio.Group>
      {(isSaved || isEventsOnly) && (
        <Text size="xs" c="dimmed" mt={-8}>
          {isSaved ? 'An export keeps its kind of rows.' : `An ${label} takes events only, with their default columns.`}
        </Text>
      )}
      {model === 'events' && <Conditions form={form} project={project} failure={failure} previewError={filterError} />}
      {!isEventsOnly && (
        <QuerySection
          // Another model has other columns.
          key={model}
          model={model}
          project={project}
          value={hogql_query}
          error={queryError}
          onChange={(query) => form.setFieldValue('hogql_query', query)}
        />
      )}
      <PreviewTable
        query={preview}
        isAtField={queryErrorOf(preview.error) !== undefined || filterError !== undefined}
      />
    </>
  )
}

/** Filters and columns belong to one model. */
const withModel = (model: Model) => ({ model, include_events: [], exclude_events: [], filters: [], hogql_query: null })

const previewFilterError = (error: unknown): WorkspaceError | undefined =>
  error instanceof WorkspaceError && /^(filters|include_events|exclude_events)/.test(error.attr ?? '')
    ? error
    : undefined
