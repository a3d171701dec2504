import { Stack, Text, Textarea, TextInput } from '@mantine/core'
import { Copy } from '../parts/Copy.tsx'
import { FormActions } from '../parts/FormActions.tsx'
import { Section } from '../parts/Section.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { type DomainProps, SAVED, storeDomain, updateDomain } from './domain.ts'
import { domainsKey } from './queries.ts'

/** Connects the domain with an identity provider. */
export function DomainSaml({ organization_id, domain, reason }: DomainProps) {
  const { form, submit, isPending, error } = useServerForm({
    initialValues: {
      saml_entity_id: domain.saml_entity_id ?? '',
      saml_acs_url: domain.saml_acs_url ?? '',
      saml_x509_cert: domain.saml_x509_cert ?? '',
    },
    send: ({ saml_entity_id, saml_acs_url, saml_x509_cert }) =>
      updateDomain(organization_id, domain.id, {
        saml_entity_id: saml_entity_id.trim() || null,
        saml_acs_url: saml_acs_url.trim() || null,
        saml_x509_cert: saml_x509_cert.trim() || null,
      }),
    done: SAVED,
    refreshes: [domainsKey],
    after: (saved, form) => {
      storeDomain(organization_id, saved)
      form.resetDirty()
    },
  })
  const readOnly = reason !== undefined
  return (
    <Section title="SAML">
      <Text size="sm">
        Register this server at your identity provider with these addresses, then enter the values that it shows.
        {!domain.is_verified && ' SAML works only after the domain is verified.'}
      </Text>
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          Metadata of this server
        </Text>
        <Copy value={`${location.origin}/api/saml/metadata/`} label="metadata URL" />
        <Text size="sm" fw={500} mt={4}>
          Assertion consumer service (ACS) URL
        </Text>
        <Copy value={`${location.origin}/complete/saml/`} label="ACS URL" />
      </Stack>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Entity id of the identity provider"
            description="Also called issuer."
            maxLength={512}
            readOnly={readOnly}
            {...form.getInputProps('saml_entity_id')}
          />
          <TextInput
            label="Sign-on URL of the identity provider"
            description="Also called SSO URL. It must accept requests by redirect."
            placeholder="https://"
            maxLength={512}
            readOnly={readOnly}
            {...form.getInputProps('saml_acs_url')}
          />
          <Textarea
            label="Certificate of the identity provider"
            description="X.509 with an RSA key, as PEM or base64."
            placeholder="-----BEGIN CERTIFICATE-----"
            autosize
            minRows={3}
            maxRows={10}
            maxLength={20_000}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            readOnly={readOnly}
            {...form.getInputProps('saml_x509_cert')}
          />
          <FormActions
            submit="Save SAML settings"
            isPending={isPending}
            error={error}
            disabledReason={reason ?? (form.isDirty() ? undefined : 'Nothing has changed.')}
          />
        </Stack>
      </form>
    </Section>
  )
}
