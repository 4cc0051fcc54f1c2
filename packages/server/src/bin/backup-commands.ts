import { z } from 'zod'
import { processEnv } from '../config/env.ts'
import { createBackup, verifyBackup } from '../features/backup/backup.ts'
import { type Command, defineCommand } from './command.ts'
import { name } from './command-input.ts'

const KEEP = 14
const folder = name
const programs = name.optional()
const programsIn = (folder: string | null) => ({ folder, env: processEnv() })

export const backupCommands: Readonly<Record<string, Command>> = {
  'backup create': defineCommand({
    about: 'Dump the database into a folder, with counts and checksums of its tables, and remove the oldest dumps.',
    details: `Needs pg_dump, of the server's release or newer: on PATH, or in --programs. Keeps ${KEEP} dumps by default. The master key is no part of it.`,
    example: '--folder /var/backups/coffer --keep 14',
    flags: { folder, keep: z.int().min(1).max(10_000).default(KEEP), programs },
    async run({ databaseUrl }, { folder, keep, programs = null }) {
      const url = databaseUrl().database
      return { print: await createBackup({ folder, keep, url, programs: programsIn(programs), now: new Date() }) }
    },
  }),
  'backup verify': defineCommand({
    about: 'Restore a dump into a database of its own, compare counts and checksums, and drop that database.',
    details:
      'The newest dump, or --name. Needs pg_restore, and a role that may create databases; --server names another server than the one of DATABASE_URL. Exits with 1 if anything differs.',
    example: '--folder /var/backups/coffer',
    flags: { folder, name: name.optional(), server: z.url({ protocol: /^postgres(ql)?$/ }).optional(), programs },
    async run({ databaseUrl }, { folder, name, server, programs = null }) {
      const serverUrl = server ?? databaseUrl().server
      const result = await verifyBackup({ folder, name, serverUrl, programs: programsIn(programs) })
      return { print: result, failed: result.differences.length > 0 }
    },
  }),
}
