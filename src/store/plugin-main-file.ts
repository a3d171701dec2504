/** The file of a plugin that the server runs. */
export const MAIN_FILE = 'index.ts'
