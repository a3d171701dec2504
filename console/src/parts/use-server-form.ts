import { type FormErrors, type UseFormReturnType, useForm } from '@mantine/form'
import { WorkspaceError } from '../api.ts'
import { type Change, useChange } from './use-change.ts'

interface ServerForm<Values, Answer> extends Pick<Change<Values, Answer>, 'send' | 'done' | 'refreshes'> {
  /** Fields are named as in the API, so its errors find them. */
  initialValues: Values
  /** The errors that the page finds itself. */
  validate?: (values: Values) => FormErrors
  /** The errors at fields, if the name of a field is not the `attr` of its error. */
  errorsOf?: (error: WorkspaceError, values: Values) => FormErrors
  /** Runs after a success, such as closing the dialog. */
  after?: (answer: Answer, form: UseFormReturnType<Values>) => unknown
}

const errorAtAttr = ({ attr, detail }: WorkspaceError, values: object): FormErrors =>
  attr !== null && attr in values ? { [attr]: detail } : {}

/** A form that is sent to the server. Errors of fields are shown at their fields; `error` is any other one. */
export function useServerForm<Values extends Record<string, unknown>, Answer>({
  initialValues,
  validate = () => ({}),
  errorsOf = errorAtAttr,
  after,
  ...change
}: ServerForm<Values, Answer>) {
  const form = useForm<Values>({ initialValues, validate })
  const { mutate, variables, error, isPending, isSuccess, data, reset } = useChange<Values, Answer>({
    ...change,
    after: (answer) => after?.(answer, form),
  })
  const errorsAtFields = (error: unknown, values: Values): FormErrors =>
    error instanceof WorkspaceError ? errorsOf(error, values) : {}
  const isAtField = variables !== undefined && Object.keys(errorsAtFields(error, variables)).length > 0
  return {
    form,
    submit: form.onSubmit((values) =>
      mutate(values, { onError: (error) => form.setErrors(errorsAtFields(error, values)) }),
    ),
    isPending,
    error: isAtField ? null : error,
    isSuccess,
    answer: data,
    /** Forgets the last error or answer. */
    forget: (): void => {
      form.clearErrors()
      reset()
    },
  }
}
