import { randomBytes } from 'node:crypto'

/** Names for the requests of this process, by which the log and the ledger tell of them: no two of any process alike. */
export function createRequestIds(): () => string {
  const instance = randomBytes(6).toString('base64url')
  let requests = 0
  return () => {
    requests += 1
    return `${instance}-${requests.toString(36)}`
  }
}
