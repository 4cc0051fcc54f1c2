import { CofferError } from '@coffer/client'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { isObject, plainAnswer } from './plain-answer.ts'

/** By HTTP status. */
const ADVICE: Readonly<Record<number, string>> = {
  400: 'Correct the arguments. Nothing was charged.',
  401: 'The key is invalid, or the plan does not include this. Tell the user; retrying does not help.',
  402: 'The account has too few credits. Tell the user the cost of the call and the remaining credits; retrying does not help.',
  403: 'The account may not use this. Tell the user; retrying does not help.',
  404: 'The object does not exist, or has no data for that day. Do not treat it as zero.',
  409: 'The call conflicts with existing data. Read that data first.',
  422: 'A limit of the account was reached, a member is not saved, or no node has the state of the past block. Read the message.',
  429: 'Too many requests. Wait `retryAfterSeconds`, then call again.',
  501: 'The operator has not configured this. Retrying does not help.',
  502: 'A required data source could not be read. The requested figure is unknown, not zero. Nothing was charged. Call again in a minute.',
  503: 'The service is busy. Wait `retryAfterSeconds`, then call again.',
}
const UNEXPECTED = 'The service failed. The requested figure is unknown, not zero. Call again later.'

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
    code,
    message: plainAnswer(message.replace(`${status}: `, '')),
    creditsRequired,
    creditsAvailable,
    retryAfterSeconds,
    requestId,
    advice: ADVICE[status] ?? UNEXPECTED,
  }
}
