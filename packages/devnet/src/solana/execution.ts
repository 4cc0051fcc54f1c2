import { type Address, getAddressDecoder } from '@solana/kit'
import { FailedTransactionMetadata, type TransactionMetadata } from 'litesvm'
import { readTransactionError, type TransactionError } from './transaction-error.ts'

type InnerInstruction = { programIdIndex: number; accounts: number[]; data: Uint8Array; stackHeight: number }

export type Execution = {
  error: TransactionError | null
  logs: string[]
  computeUnits: bigint
  /** By index of the calling instruction. */
  inner: { index: number; instructions: InnerInstruction[] }[]
  returned: { programId: Address; data: Uint8Array } | null
}

export const notRun = (error: TransactionError): Execution => ({
  error,
  logs: [],
  computeUnits: 0n,
  inner: [],
  returned: null,
})

const innerInstructions = (metadata: TransactionMetadata): Execution['inner'] =>
  metadata.innerInstructions().flatMap((calls, index) => {
    const instructions = calls.map((call) => {
      const compiled = call.instruction()
      return {
        programIdIndex: compiled.programIdIndex(),
        accounts: [...compiled.accounts()],
        data: compiled.data(),
        stackHeight: call.stackHeight(),
      }
    })
    return instructions.length === 0 ? [] : [{ index, instructions }]
  })

const returned = (metadata: TransactionMetadata): Execution['returned'] => {
  const said = metadata.returnData()
  return said.data().length === 0
    ? null
    : { programId: getAddressDecoder().decode(said.programId()), data: said.data() }
}

export const readExecution = (
  result: FailedTransactionMetadata | TransactionMetadata | { meta(): TransactionMetadata },
): Execution => {
  const metadata = 'meta' in result ? result.meta() : result
  return {
    error: result instanceof FailedTransactionMetadata ? readTransactionError(result) : null,
    logs: metadata.logs(),
    computeUnits: metadata.computeUnitsConsumed(),
    inner: innerInstructions(metadata),
    returned: returned(metadata),
  }
}
