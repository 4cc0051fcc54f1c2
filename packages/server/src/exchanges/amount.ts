import { z } from 'zod'
import { type Decimal, decimal } from '../domain/decimal.ts'

/** More digits than exchanges keep. */
const AMOUNT = /^-?\d{1,60}(\.\d{1,60})?(e[+-]?\d{1,2})?$/i

export function toAmount(text: string): Decimal | undefined {
  return AMOUNT.test(text) ? decimal(text) : undefined
}

/** Numbers are exact: the transport quotes the others. */
export const amount = z.union([z.string(), z.number().transform(String)]).transform((text, context) => {
  const value = toAmount(text)
  if (value) return value
  context.addIssue({ code: 'custom', message: 'is not an amount' })
  return z.NEVER
})
