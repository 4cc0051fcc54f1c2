import { ask } from '../../api/ask.ts'
import { enter } from '../../api/entering.ts'
import { takeNext } from '../../api/issuer.ts'
import { answer } from './answer.ts'

let finished: Promise<string> | undefined

/** Finishes the flow begun at the issuer, once per page; returns the path to continue at. */
export function finish(): Promise<string> {
  finished ??= (async () => {
    const body = { query: answer }
    const { session, accountId } = await ask('POST', '/sign-in/openid-return', { body, anonymous: true })
    enter(session)
    const next = takeNext()
    return accountId === null ? next : `/a/${accountId}`
  })()
  return finished
}
