import { readdirSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const FOLDER = new URL('./', import.meta.url)
const FILE = /^(\d{4}-.+)\.sql$/

/** A released migration is never edited or renamed. Before the first release, an edited one gets another name. */
export const migrations: Record<string, Migration> = Object.fromEntries(
  readdirSync(FOLDER)
    .toSorted()
    .flatMap((file) => {
      const [, name] = FILE.exec(file) ?? []
      const up: Migration['up'] = async (db) => {
        await sql.raw(readFileSync(new URL(file, FOLDER), 'utf8')).execute(db)
      }
      return name === undefined ? [] : [[name, { up }]]
    }),
)
