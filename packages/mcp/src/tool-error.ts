import { CofferError } from '@coffer/client'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { isObject, plainAnswer } from './plain-answer.ts'

/** By HTTP status. */
const ADVICE: Readonly<Record<number, string>> = {
  400: 'Correct the arguments. Nothing was charged.',
  401: 'The key is not valid, or the plan does not have this. Tell the user; trying again does not help.',
  402: 'The account has too few credits. Tell the user what the call costs and what is left; trying again does not help.',
  403: 'The account may not use this. Tell the user; trying again does not help.',
  404: 'There is no such thing, or nothing of that day. Do not take it for zero.',
  409: 'It conflicts with what is there. Read what there is first.',
  422: 'A limit of the account, or a member that is not saved. Read the message.',
  429: 'Too many requests. Wait `retryAfterSeconds`, then call again.',
  501: 'The operator has not set this up. Trying again does not help.',
  502: 'A source on which the answer depends could not be read. What is asked for is unknown, not zero. Nothing was charged; call again in a minute.',
  503: 'The service is busy. Wait `retryAfterSeconds`, then call again.',
}
const UNEXPECTED = 'An error of the service. What is asked for is unknown, not zero. Call again later.'

export function toolError(thrown: unknown): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify({ error: describe(thrown) }) }] }
}

/** Refuses before the service is asked. */
export const badArguments = (message: string): CallToolResult =>
  toolError(new CofferError(400, { message }, new Headers()))

function describe(thrown: unknown): object {
  // Repeats nothing of errors that are not the service's: they may name addresses and keys.
  if (!(thrown instanceof CofferError)) {
    return { message: 'Coffer could not be reached.', advice: UNEXPECTED }
  }
  const { status, code, message, retryAfterSeconds, requestId, body } = thrown
  const { creditsRequired, creditsAvailable } = isObject(body) ? body : {}
  return {
    status,
    ...{ code, message: plainAnswer(message.replace(`${status}: `, '')), creditsRequired, creditsAvailable },
    ...{ retryAfterSeconds, requestId, advice: ADVICE[status] ?? UNEXPECTED },
  }
}
