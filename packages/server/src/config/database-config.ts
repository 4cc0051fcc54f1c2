import { resolve } from 'node:path'
import { type Secret, secret } from '../lib/secret.ts'
import { ConfigError } from './config-error.ts'
import { type Env, envList, envText, envUrl } from './env.ts'

/** A pepper is a secret of 128 bits or more: 32 hexadecimal digits. */
const MIN_PEPPER_LENGTH = 32

/** Where the data is, and the secrets that its keys are hashed with: all that an operator's command needs to know. */
export type DatabaseConfig = {
  /** null: the embedded PostgreSQL below `dataDir`. */
  databaseUrl: Secret | null
  /** Absolute. */
  dataDir: string
  /** Secrets that API keys are hashed with, the current one first; none: one is made and kept in the database. */
  keyPeppers: readonly Secret[]
}

export function readDatabaseConfig(env: Env): DatabaseConfig {
  const databaseUrl = envUrl(env, 'DATABASE_URL', ['postgres:', 'postgresql:'])
  return {
    databaseUrl: databaseUrl === undefined ? null : secret(databaseUrl),
    dataDir: resolve(envText(env, 'COFFER_DATA_DIR') ?? 'data'),
    keyPeppers: readKeyPeppers(env),
  }
}

function readKeyPeppers(env: Env): readonly Secret[] {
  const peppers = envList(env, 'COFFER_KEY_PEPPER') ?? []
  if (peppers.some((pepper) => pepper.length < MIN_PEPPER_LENGTH)) {
    throw new ConfigError('COFFER_KEY_PEPPER', `has an entry of less than ${MIN_PEPPER_LENGTH} characters`)
  }
  return peppers.map(secret)
}
