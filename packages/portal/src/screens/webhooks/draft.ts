import type { V1Body } from '../../api/types.ts'
import type { Watch } from './use-watches.ts'

export type WatchBody = V1Body<'POST', '/v1/watches'>

/** Fields of a form, for all types. */
export type Draft = Record<'address' | 'chain' | 'contract' | 'threshold' | 'validator', string> & {
  type: Watch['type']
  direction: NonNullable<Watch['direction']>
}
export type DraftField = Exclude<keyof Draft, 'type'>

/** The body's keys are the fields that the type needs. */
export function bodyOf(draft: Draft): WatchBody {
  const { type, direction } = draft
  const [address, chain, contract, threshold, validator] = [
    draft.address.trim(),
    draft.chain,
    draft.contract.trim(),
    draft.threshold.trim(),
    draft.validator.trim(),
  ]
  switch (type) {
    case 'netWorth':
      return { type, address, direction, threshold }
    case 'balance':
      return { type, address, chain, contract, direction, threshold }
    case 'credits':
      return { type, threshold }
    case 'validator':
      return { type, validator }
    case 'airdrops':
      return { type, address }
  }
}

/** Assigns a refusal to the field whose name it begins with. */
export function problemOf(refusal: string | null, body: WatchBody): { field: DraftField; text: string } | null {
  const [, field = '', text = ''] = /^(\w+): (.+)$/s.exec(refusal ?? '') ?? []
  return field !== 'type' && field in body ? { field: field as DraftField, text } : null
}
