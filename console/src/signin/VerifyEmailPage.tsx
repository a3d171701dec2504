import { Loader, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Frame } from './Frame.tsx'
import { verificationQuery } from './queries.ts'
import { takeFragment } from './secrets.ts'

/** Confirms an address with the secret of a mailed link. */
export function VerifyEmailPage() {
  const { uuid = '' } = useParams({ strict: false })
  const [token] = useState(takeFragment)
  const verification = useQuery(verificationQuery(uuid, token))
  if (token === '')
    return (
      <Frame title="This link is incomplete">
        <Text size="sm">Open the link from the mail again.</Text>
      </Frame>
    )
  if (verification.isPending)
    return (
      <Frame title="Verifying your address">
        <Loader aria-label="Verifying" />
      </Frame>
    )
  return (
    <Frame title={verification.error ? 'Your address is not verified' : 'Your address is verified'}>
      <Stack>
        {verification.error ? (
          <ErrorAlert error={verification.error} />
        ) : (
          <Text size="sm">Thank you. You can close this page, or continue.</Text>
        )}
        <ButtonLink to="/">Continue</ButtonLink>
      </Stack>
    </Frame>
  )
}
