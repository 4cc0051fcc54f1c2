import { type Secret, secret } from '../lib/secret.ts'
import { ConfigError } from './config-error.ts'
import { type Env, envList, envUrl } from './env.ts'

export type ProxySettings = { url: Secret; except: readonly string[] }

/** This machine, where a proxy reaches its own services instead. */
const LOCAL = ['localhost', '127.0.0.1', '[::1]']

export function readProxy(env: Env): ProxySettings | null {
  const url = envUrl(env, 'COFFER_HTTP_PROXY')
  const except = envList(env, 'COFFER_NO_PROXY')
  if (url !== undefined) return { url: secret(url), except: [...LOCAL, ...(except ?? [])] }
  if (except) throw new ConfigError('COFFER_NO_PROXY', 'is set, but COFFER_HTTP_PROXY is not')
  return null
}
