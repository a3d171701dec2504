/** The child process of scheduled backups: copying and checking a database blocks the thread. */
import { connectToParent } from '../background/parent.ts'
import type { BackupJob, BackupReply } from './messages.ts'
import { messageOf, storeBackup } from './store.ts'

/** Leaves the CPU to requests. */
const NICENESS = 19

const parent = connectToParent<BackupJob, BackupReply>({ niceness: NICENESS })
// The server ends a backup by killing this process.
const { signal } = new AbortController()
parent.onMessage((job) => {
  storeBackup(job, signal).then(
    (backup) => parent.send({ kind: 'stored', backup }),
    (error) => parent.send({ kind: 'failed', message: messageOf(error) }),
  )
})
