import { Button, Select } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { TestPart } from './ConnectionTest.tsx'
import { type Config, type Field, fieldsOf } from './config-schema.ts'
import { DestinationFields } from './DestinationFields.tsx'
import { PROVIDERS } from './destination-tiles.ts'
import { DESTINATIONS, DestinationIcon, type DestinationType } from './destinations.tsx'
import type { ExportFormState } from './export-values.ts'
import { FormPart } from './FormPart.tsx'
import { NEW_EXPORT } from './paths.ts'
import type { ConnectionTest } from './use-connection-test.ts'

/** The first step: the connection to the destination, and its test. */
export function ConnectionStep({
  form,
  type,
  fields,
  place,
  test,
  provider,
  label,
  skip,
}: {
  form: ExportFormState
  type: DestinationType
  fields: readonly Field[]
  place: { organization: string; project: string }
  test: ConnectionTest
  provider: string | undefined
  /** The name of the destination or of its provider. */
  label: string
  /** Goes on although the connection does not work. */
  skip: () => void
}) {
  return (
    <FormPart
      title={label}
      icon={<DestinationIcon type={type} size={36} />}
      description={DESTINATIONS[type].description}
    >
      {provider !== undefined && <ProviderChoice {...{ form, type, place, provider }} />}
      <DestinationFields form={form} type={type} fields={fields} isSaved={false} />
      <TestPart test={test}>
        {test.result && !test.isSettled && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => {
              test.accept()
              skip()
            }}
          >
            Continue without a working connection
          </Button>
        )}
      </TestPart>
    </FormPart>
  )
}

const isEmpty = (config: Config): boolean => Object.keys(config).length === 0

/** Chooses between Amazon S3 and compatible stores, which are different types. Typed settings are kept, except secrets. */
function ProviderChoice({
  form,
  type,
  place,
  provider,
}: {
  form: ExportFormState
  type: DestinationType
  place: { organization: string; project: string }
  provider: string
}) {
  const navigate = useNavigate()
  const choose = (name: string | null): void => {
    const next = PROVIDERS[name ?? '']?.type
    if (next === undefined) return
    const { destinations } = form.values
    if (next !== type && isEmpty(destinations[next].config)) {
      const moved = fieldsOf(type).flatMap(({ key, kind }) =>
        kind === 'secret' || destinations[type].config[key] === undefined
          ? []
          : [[key, destinations[type].config[key]]],
      )
      form.setFieldValue(`destinations.${next}.config`, Object.fromEntries(moved))
    }
    void navigate({
      to: NEW_EXPORT,
      params: place,
      search: { type: next, provider: name ?? undefined },
      replace: true,
      resetScroll: false,
    })
  }
  return (
    <Select
      label="Provider"
      data={Object.entries(PROVIDERS).map(([value, { label }]) => ({ value, label }))}
      allowDeselect={false}
      value={provider}
      onChange={choose}
    />
  )
}
