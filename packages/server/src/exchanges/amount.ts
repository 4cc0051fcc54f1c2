import { z } from 'zod'
import { type Decimal, decimal } from '../domain/decimal.ts'

/** Far more digits than any exchange keeps, few enough for arithmetic. */
const AMOUNT = /^-?\d{1,60}(\.\d{1,60})?(e[+-]?\d{1,2})?$/i

/** An exact decimal, or nothing where the text is none. */
export function toAmount(text: string): Decimal | undefined {
  return AMOUNT.test(text) ? decimal(text) : undefined
}

/** An amount in an exchange's answer. A number is one that a float holds exactly: the transport has quoted the others. */
export const amount = z.union([z.string(), z.number().transform(String)]).transform((text, context) => {
  const value = toAmount(text)
  if (value) return value
  context.addIssue({ code: 'custom', message: 'is not an amount' })
  return z.NEVER
})
