import { Alert, Box, Group, Stack, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { answer, client, type Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { Copy } from '../parts/Copy.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { CheckIcon, WarningIcon } from '../parts/icons.tsx'
import { Section } from '../parts/Section.tsx'
import { useChange } from '../parts/use-change.ts'
import { type DomainProps, storeDomain } from './domain.ts'
import { domainsKey } from './queries.ts'

type Domain = Schemas['Domain']

/** Whether the organization owns the domain, and the DNS record that proves it. */
export function DomainVerification({ organization_id, domain, reason }: DomainProps) {
  const verify = useChange({
    send: () =>
      answer(
        client.POST('/api/organizations/{organization_id}/domains/{id}/verify/', {
          params: { path: { organization_id, id: domain.id } },
        }),
      ),
    refreshes: [domainsKey],
    after: ({ found_records: _found, ...verified }) => storeDomain(organization_id, verified),
  })
  if (domain.is_verified)
    return (
      <Section title="Ownership">
        <Group gap="xs" wrap="nowrap" align="flex-start" role="status">
          <Box flex="none" pt={2}>
            <CheckIcon />
          </Box>
          <Text size="sm">
            The domain is verified. A verification does not expire, so the DNS record may be removed.
          </Text>
        </Group>
      </Section>
    )
  return (
    <Section title="Verify that you own the domain">
      <Text size="sm">
        Publish this record at the DNS provider of {domain.domain}, then check it here. Changes of DNS can take from a
        few minutes to a day to become visible.
      </Text>
      <RecordTable domain={domain} />
      <Group>
        <ActionButton disabledReason={reason} loading={verify.isPending} onClick={() => verify.mutate()}>
          Verify domain
        </ActionButton>
      </Group>
      <div aria-live="polite">
        {verify.error && <ErrorAlert error={verify.error} title="The domain is not verified" />}
        {verify.data && !verify.data.is_verified && !verify.isPending && (
          <NotSeen domain={domain} records={verify.data.found_records} />
        )}
      </div>
    </Section>
  )
}

function RecordTable({ domain }: { domain: Domain }) {
  const row = (label: string, value: ReactNode) => (
    <Table.Tr>
      <Table.Th scope="row" w={90}>
        {label}
      </Table.Th>
      <Table.Td>{value}</Table.Td>
    </Table.Tr>
  )
  return (
    <Table withTableBorder highlightOnHover={false} aria-label="DNS record">
      <Table.Tbody>
        {row('Type', <span className="mono">TXT</span>)}
        {row('Name', <Copy value={domain.verification_record_name} label="record name" />)}
        {row('Value', <Copy value={domain.verification_challenge} label="record value" />)}
      </Table.Tbody>
    </Table>
  )
}

/** The TXT records that the server found instead of the expected one. */
function NotSeen({ domain, records }: { domain: Domain; records: string[] }) {
  return (
    <Alert color="yellow" icon={<WarningIcon />} title="Not verified yet">
      <Stack gap={6}>
        {records.length === 0 ? (
          <Text size="sm" className="wrap">
            No TXT record was found at {domain.verification_record_name}. Check its name, or wait until the change is
            visible, and verify again.
          </Text>
        ) : (
          <>
            <Text size="sm" className="wrap">
              {plural(records.length, 'TXT record')} found at {domain.verification_record_name}, but none with the value
              above. Correct the value and verify again.
            </Text>
            {records.map((record) => (
              <Text key={record} size="sm" className="mono wrap">
                {record || '(empty)'}
              </Text>
            ))}
          </>
        )}
      </Stack>
    </Alert>
  )
}
