import { answer, client, type Schemas, WorkspaceError } from '../api.ts'

/** Waits for a sign-in. Returns the user, unless the account asks for its second factor. */
export async function signIn(request: Parameters<typeof answer>[0]): Promise<Schemas['Me'] | 'second step'> {
  try {
    await answer(request)
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === '2fa_required') return 'second step'
    throw error
  }
  return answer(client.GET('/api/users/@me/'))
}
