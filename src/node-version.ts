/** Exits with one line on an unsupported Node, where better-sqlite3 would crash without a message. */
const MINIMUM = 22

if (Number(process.versions.node.split('.')[0]) < MINIMUM) {
  console.error(
    `workspace-admin needs Node ${MINIMUM} or later; this is Node ${process.versions.node}. Install a newer Node, or run it through npm in a clone, which brings its own.`,
  )
  process.exit(1)
}
