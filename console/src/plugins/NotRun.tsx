import { Alert } from '@mantine/core'
import { InfoIcon } from '../parts/icons.tsx'

export function NotRun() {
  return (
    <Alert color="blue" icon={<InfoIcon />} mb="md">
      This server stores plugins and inspects their code. It does not run them.
    </Alert>
  )
}
