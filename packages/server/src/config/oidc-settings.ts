import { type Secret, secret } from '../lib/secret.ts'
import { ConfigError } from './config-error.ts'
import { type Env, envText, envUrl } from './env.ts'

export type OidcSettings = {
  issuer: string
  clientId: string
  clientSecret: Secret
  name: string
}

const NEEDED = ['COFFER_OIDC_ISSUER', 'COFFER_OIDC_CLIENT_ID', 'COFFER_OIDC_CLIENT_SECRET'] as const
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const NAME_MAX = 40

export function readOidc(env: Env): OidcSettings | null {
  const given = [...NEEDED, 'COFFER_OIDC_NAME'].find((name) => envText(env, name) !== undefined)
  if (given === undefined) return null
  const missing = NEEDED.find((name) => envText(env, name) === undefined)
  if (missing !== undefined) throw new ConfigError(given, `is set, but ${missing} is not`)
  const issuer = readIssuer(env)
  const name = envText(env, 'COFFER_OIDC_NAME') ?? new URL(issuer).hostname
  if (name.length > NAME_MAX) throw new ConfigError('COFFER_OIDC_NAME', `is longer than ${NAME_MAX} characters`)
  return {
    issuer,
    name,
    clientId: envText(env, 'COFFER_OIDC_CLIENT_ID') ?? '',
    clientSecret: secret(envText(env, 'COFFER_OIDC_CLIENT_SECRET') ?? ''),
  }
}

/** Requires https beyond loopback: secrets are sent there. */
function readIssuer(env: Env): string {
  const issuer = envUrl(env, 'COFFER_OIDC_ISSUER') ?? ''
  const { protocol, hostname, search, hash, username, password } = new URL(issuer)
  if (search || hash || username || password) {
    throw new ConfigError('COFFER_OIDC_ISSUER', 'must have no credentials, query or fragment')
  }
  if (protocol !== 'https:' && !LOOPBACK.has(hostname)) {
    throw new ConfigError('COFFER_OIDC_ISSUER', 'must begin with https://')
  }
  return issuer
}
