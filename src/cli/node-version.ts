/** Stops with one line on a Node that cannot run the program: better-sqlite3 crashes there without a word. */
const MINIMUM = 22

if (Number(process.versions.node.split('.')[0]) < MINIMUM) {
  console.error(
    `workspace-admin needs Node ${MINIMUM} or later; this is Node ${process.versions.node}. Install a newer Node, or run it through npm in a clone, which brings its own.`,
  )
  process.exit(1)
}
