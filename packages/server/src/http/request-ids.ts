import { randomBytes } from 'node:crypto'

/** Unique across processes. */
export function createRequestIds(): () => string {
  const instance = randomBytes(6).toString('base64url')
  let requests = 0
  return () => {
    requests += 1
    return `${instance}-${requests.toString(36)}`
  }
}
