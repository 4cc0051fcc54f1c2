import { getBase58Decoder } from '@solana/kit'
import type { Execution } from '../execution.ts'

export const encodeInner = (inner: Execution['inner']) =>
  inner.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map((each) => ({ ...each, data: getBase58Decoder().decode(each.data) })),
  }))

export const encodeReturned = (returned: Execution['returned']) =>
  returned && { programId: returned.programId, data: [Buffer.from(returned.data).toString('base64'), 'base64'] }
