/** The route paths of this area. */
export const EXPORTS = '/organizations/$organization/projects/$project/exports'
export const NEW_EXPORT = `${EXPORTS}/new` as const
export const EXPORT = `${EXPORTS}/$export` as const
export const EDIT_EXPORT = `${EXPORTS}/$export/edit` as const

/** The ids of the same routes. Their parent has no path, but adds a segment to the ids. */
export const EXPORTS_ID = `/signed-in${EXPORTS}` as const
export const NEW_EXPORT_ID = `/signed-in${NEW_EXPORT}` as const
export const EXPORT_ID = `/signed-in${EXPORT}` as const
export const EDIT_EXPORT_ID = `/signed-in${EDIT_EXPORT}` as const
