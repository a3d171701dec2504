/** The paths of this area as the router knows them. */
export const CREDENTIALS = '/organizations/$organization/credentials'
export const NEW_CREDENTIAL = `${CREDENTIALS}/new` as const
export const CREDENTIAL = `${CREDENTIALS}/$credential` as const

/** The ids of the same routes: their parent without a path adds a segment. */
export const CREDENTIALS_ID = `/signed-in${CREDENTIALS}` as const
export const NEW_CREDENTIAL_ID = `/signed-in${NEW_CREDENTIAL}` as const
export const CREDENTIAL_ID = `/signed-in${CREDENTIAL}` as const

/** Before the key of a setting in the `attr` of an error. */
export const CONFIG_ATTR = 'config__'
