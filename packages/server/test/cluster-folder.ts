import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** Memory on Linux. A container may have 64 MB of it. */
const MEMORY = '/dev/shm'
const NEEDED_BYTES = 4e9

/** For clusters of tests: a new database is 740 files, which take a fifth of the CPU time in memory. */
export function clusterFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > NEEDED_BYTES ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}
