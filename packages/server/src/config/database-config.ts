import { resolve } from 'node:path'
import { type Secret, secret } from '../lib/secret.ts'
import { ConfigError } from './config-error.ts'
import { type Env, envCount, envList, envText, envUrl } from './env.ts'

const MIN_PEPPER_LENGTH = 32
const CONNECTIONS = 20
/** Work that holds a connection may need another. */
const MIN_CONNECTIONS = 4

export type DatabaseConfig = {
  /** Null: the embedded PostgreSQL in `dataDir`. */
  databaseUrl: Secret | null
  /** Null: the primary answers all. */
  databaseReplicaUrl: Secret | null
  /** Over the workers of Citus. */
  isDistributed: boolean
  /** Per process and server, without those of its queue and of `listen`. */
  databaseConnections: number
  dataDir: string
  /** For API keys, the current one first. Empty: kept in the database. */
  keyPeppers: readonly Secret[]
  /** 64 hexadecimal digits, the current one first. Empty: a file in `dataDir`. */
  masterKeys: readonly Secret[]
}

export function readDatabaseConfig(env: Env): DatabaseConfig {
  const databaseUrl = readUrl(env, 'DATABASE_URL')
  const databaseReplicaUrl = readUrl(env, 'DATABASE_REPLICA_URL')
  if (databaseReplicaUrl && !databaseUrl) {
    throw new ConfigError('DATABASE_REPLICA_URL', 'needs DATABASE_URL: the embedded PostgreSQL has no replica')
  }
  const isDistributed = readIsDistributed(env)
  if (isDistributed && !databaseUrl) {
    throw new ConfigError('COFFER_DATABASE', 'is citus, so DATABASE_URL has to name the coordinator')
  }
  if (isDistributed && databaseReplicaUrl) {
    throw new ConfigError(
      'DATABASE_REPLICA_URL',
      'is not for Citus: a replica of the coordinator has no data of wallets',
    )
  }
  return {
    databaseUrl,
    databaseReplicaUrl,
    isDistributed,
    databaseConnections: readConnections(env),
    dataDir: resolve(envText(env, 'COFFER_DATA_DIR') ?? 'data'),
    keyPeppers: readKeyPeppers(env),
    masterKeys: readMasterKeys(env),
  }
}

function readIsDistributed(env: Env): boolean {
  const engine = envText(env, 'COFFER_DATABASE') ?? 'postgres'
  if (engine === 'postgres' || engine === 'citus') return engine === 'citus'
  throw new ConfigError('COFFER_DATABASE', 'is neither postgres nor citus')
}

function readConnections(env: Env): number {
  const connections = envCount(env, 'COFFER_DATABASE_CONNECTIONS', CONNECTIONS)
  if (connections >= MIN_CONNECTIONS) return connections
  throw new ConfigError('COFFER_DATABASE_CONNECTIONS', `is below ${MIN_CONNECTIONS}`)
}

function readUrl(env: Env, name: 'DATABASE_URL' | 'DATABASE_REPLICA_URL'): Secret | null {
  refuseUnencoded(name, envText(env, name))
  const url = envUrl(env, name, ['postgres:', 'postgresql:'])
  return url === undefined ? null : secret(url)
}

/** Refuses passwords that messages would show in part as the host. */
function refuseUnencoded(name: string, text = ''): void {
  if (!/^postgres(ql)?:\/\/.*@/is.test(text)) return
  const url = URL.parse(text)
  const isCut = url ? url.pathname.includes('@') || url.hash.includes('@') : /^[^:]+:\/\/[^@/?#]*[/?#]/.test(text)
  if (!isCut) return
  throw new ConfigError(
    name,
    'has a password with characters that end the host of a URL: write / as %2F, ? as %3F, # as %23 and @ as %40',
  )
}

function readKeyPeppers(env: Env): readonly Secret[] {
  const peppers = envList(env, 'COFFER_KEY_PEPPER') ?? []
  if (peppers.some((pepper) => pepper.length < MIN_PEPPER_LENGTH)) {
    throw new ConfigError('COFFER_KEY_PEPPER', `has an entry of less than ${MIN_PEPPER_LENGTH} characters`)
  }
  return peppers.map(secret)
}

/** 32 bytes. The last base64 digit has two unused bits: zero. */
const HEX_KEY = /^[0-9a-fA-F]{64}$/
const BASE64_KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=?$/

function readMasterKeys(env: Env): readonly Secret[] {
  const keys = (envList(env, 'COFFER_MASTER_KEY') ?? []).map((text) => {
    if (HEX_KEY.test(text)) return text.toLowerCase()
    if (BASE64_KEY.test(text)) return Buffer.from(text, 'base64').toString('hex')
    throw new ConfigError(
      'COFFER_MASTER_KEY',
      'has an entry that is not 32 bytes as 64 hexadecimal digits or as base64',
    )
  })
  if (keys.some((key) => /^0+$/.test(key))) {
    throw new ConfigError('COFFER_MASTER_KEY', 'has an entry that is all zero: create one with openssl rand -hex 32')
  }
  return keys.map(secret)
}
