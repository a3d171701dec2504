/** The row of a statement that always returns one, such as `insert … returning *` or `select count(*)`. */
export function returnedRow<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('The statement returned no row.')
  return row
}
