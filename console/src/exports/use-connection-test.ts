import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client, type Schemas } from '../api.ts'
import { missingErrors } from './config-errors.ts'
import { type ExportFormState, sentDestination } from './export-values.ts'
import { configPath, type FormContext, failedStepErrors, failureAt } from './form-errors.ts'

export interface ConnectionTest {
  /** The result for the settings as they are. Undefined if they changed since. */
  result: Schemas['DestinationTest'] | undefined
  /** An error that no field shows. */
  error: unknown
  isPending: boolean
  /** Whether the settings passed, or the user accepted that they do not. */
  isSettled: boolean
  /** Tests the settings. Errors appear at their fields. Returns whether all steps passed. */
  run: () => Promise<boolean>
  accept: () => void
}

interface Tested {
  /** The tested settings. */
  key: string
  result?: Schemas['DestinationTest']
  error?: unknown
  isAccepted?: boolean
}

/** Tests the connection with the settings of the form. `onFailure` is called when a field shows an error. */
export function useConnectionTest(
  project: string,
  form: ExportFormState,
  { type, fields, isSaved }: Omit<FormContext, 'values'>,
  onFailure: () => void,
): ConnectionTest {
  const [tested, setTested] = useState<Tested>()
  const draft = form.values.destinations[type]
  const key = JSON.stringify([type, draft])
  const current = tested?.key === key ? tested : undefined
  const test = useMutation({
    mutationFn: (body: Schemas['DestinationCreate']) =>
      answer(
        client.POST('/api/projects/{project_id}/batch_exports/test/', {
          params: { path: { project_id: project } },
          body,
        }),
      ),
  })
  const isSettled = current?.result?.passed === true || current?.isAccepted === true
  const show = (errors: ReturnType<typeof failedStepErrors>): void => {
    form.setErrors(errors)
    if (Object.keys(errors).length) onFailure()
  }
  const run = async (): Promise<boolean> => {
    const context = { type, fields, isSaved, values: form.values }
    const missing = missingErrors(fields, draft.config, isSaved)
    if (Object.keys(missing).length) {
      show(Object.fromEntries(Object.entries(missing).map(([name, error]) => [configPath(type, name), error])))
      return false
    }
    try {
      const result = await test.mutateAsync(sentDestination(form.values, type, fields))
      setTested({ key, result })
      show(failedStepErrors(result, context))
      return result.passed
    } catch (error) {
      const failure = failureAt(error, context)
      if (failure) show(failure.errors)
      else setTested({ key, error })
      return false
    }
  }
  return {
    result: current?.result,
    error: current?.error,
    isPending: test.isPending,
    isSettled,
    run,
    accept: () => setTested((before) => before && { ...before, isAccepted: true }),
  }
}
