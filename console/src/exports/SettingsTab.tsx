import { Anchor, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api.ts'
import { CREDENTIAL } from '../credentials/paths.ts'
import { integrationQuery } from '../credentials/queries.ts'
import { Copy } from '../parts/Copy.tsx'
import { Time } from '../parts/Time.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { type Field, fieldsOf, flatConfig } from './config-schema.ts'
import { DESTINATIONS } from './destinations.tsx'
import { MODELS } from './models.ts'
import { EDIT_EXPORT, EXPORT_ID } from './paths.ts'
import { scheduleText } from './schedule.ts'

const route = getRouteApi(EXPORT_ID)

/** All settings of an export. The server never returns secrets. */
export function SettingsTab({ row }: { row: Schemas['BatchExport'] }) {
  const place = route.useParams()
  const fields = fieldsOf(row.destination.type)
  const config = flatConfig(fields, { ...row.destination.config })
  return (
    <Stack>
      <Section title="Export">
        <Row label="Name">{row.name}</Row>
        <Row label="Rows">
          {MODELS[row.model].label}. {MODELS[row.model].description}
        </Row>
        <Row label="Schedule">{scheduleText(row)}</Row>
        <Row label="No run before">
          {row.start_at === null ? 'No limit' : <Time value={row.start_at} format="absolute" />}
        </Row>
        <Row label="No run after">
          {row.end_at === null ? 'No limit' : <Time value={row.end_at} format="absolute" />}
        </Row>
        <Row label="Query">
          {row.hogql_query === null ? (
            'Default columns, all rows'
          ) : (
            <Text component="pre" className="mono wrap" m={0} style={{ whiteSpace: 'pre-wrap' }}>
              {row.hogql_query}
            </Text>
          )}
        </Row>
        {row.filters !== null && (
          <Row label="Filters">
            <Text component="pre" className="mono wrap" m={0} style={{ whiteSpace: 'pre-wrap' }}>
              {JSON.stringify(row.filters, null, 2)}
            </Text>
          </Row>
        )}
        <Row label="Id">
          <Copy value={row.id} label="export id" />
        </Row>
        <Row label="Created">
          <Time value={row.created_at} />
        </Row>
        <Row label="Last changed">
          <Time value={row.last_updated_at} />
        </Row>
      </Section>
      <Section title={`Destination: ${DESTINATIONS[row.destination.type].label}`}>
        {row.destination.integration !== null && (
          <Row label="Credentials">
            <StoredCredentials id={row.destination.integration} />
          </Row>
        )}
        {fields.map((field) => (
          <Row key={field.key} label={field.label}>
            {field.kind === 'secret' && row.destination.integration !== null
              ? 'In the stored credentials'
              : shownValue(field, config[field.key])}
          </Row>
        ))}
      </Section>
      <Text size="sm">
        <Anchor inherit renderRoot={(props) => <Link to={EDIT_EXPORT} params={place} {...props} />}>
          Edit these settings
        </Anchor>
      </Text>
    </Stack>
  )
}

function StoredCredentials({ id }: { id: string }) {
  const organization = useOrganization()
  const place = route.useParams()
  const { data } = useQuery(integrationQuery(organization.id, id))
  return (
    <Anchor
      inherit
      renderRoot={(props) => (
        <Link to={CREDENTIAL} params={{ organization: place.organization, credential: id }} search={{}} {...props} />
      )}
    >
      {data?.name ?? 'Stored credentials'}
    </Anchor>
  )
}

function shownValue({ kind, required }: Field, value: unknown): ReactNode {
  if (kind === 'secret') return required ? 'Set, never shown' : 'Never shown'
  if (value === undefined || value === null || value === '')
    return (
      <Text c="dimmed" size="sm">
        Not set
      </Text>
    )
  if (kind === 'flag') return value ? 'Yes' : 'No'
  if (Array.isArray(value))
    return value.length ? (
      value.join(', ')
    ) : (
      <Text c="dimmed" size="sm">
        None
      </Text>
    )
  return String(value)
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
      <Table variant="vertical" layout="fixed" withTableBorder>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </section>
  )
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w={{ base: 130, sm: 220 }} scope="row">
        {label}
      </Table.Th>
      <Table.Td className="wrap">{children}</Table.Td>
    </Table.Tr>
  )
}
