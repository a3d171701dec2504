/** A JSON object of a foreign program, or a document whose shape the test itself checks. */
export type Json = Record<string, any>
