import { getBase58Decoder } from '@solana/kit'
import type { LandedTransaction } from '../landed-transaction.ts'
import { encodeInner, encodeReturned } from './execution-encoding.ts'
import { invalidParams } from './rpc-error.ts'

const TOP_STACK_HEIGHT = 1

const encodeMessage = ({ message }: LandedTransaction) => ({
  header: {
    numRequiredSignatures: message.header.numSignerAccounts,
    numReadonlySignedAccounts: message.header.numReadonlySignerAccounts,
    numReadonlyUnsignedAccounts: message.header.numReadonlyNonSignerAccounts,
  },
  accountKeys: message.staticAccounts,
  recentBlockhash: message.lifetimeToken,
  instructions: message.instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => ({
    programIdIndex: programAddressIndex,
    accounts: accountIndices,
    data: getBase58Decoder().decode(data),
    stackHeight: TOP_STACK_HEIGHT,
  })),
  ...(message.version === 0 && {
    addressTableLookups: (message.addressTableLookups ?? []).map((lookup) => ({
      accountKey: lookup.lookupTableAddress,
      writableIndexes: lookup.writableIndexes,
      readonlyIndexes: lookup.readonlyIndexes,
    })),
  }),
})

const encodeWire = (landed: LandedTransaction, encoding: string): unknown => {
  if (encoding === 'json') return { signatures: landed.signatures, message: encodeMessage(landed) }
  if (encoding === 'base64') return [Buffer.from(landed.wire).toString('base64'), encoding]
  if (encoding === 'base58') return [getBase58Decoder().decode(landed.wire), encoding]
  throw invalidParams(`Invalid params: this node does not encode transactions as ${encoding}`)
}

const encodeMeta = (landed: LandedTransaction) => ({
  err: landed.error,
  status: landed.error === null ? { Ok: null } : { Err: landed.error },
  fee: landed.fee,
  preBalances: landed.before.lamports,
  postBalances: landed.after.lamports,
  preTokenBalances: landed.before.tokens,
  postTokenBalances: landed.after.tokens,
  innerInstructions: encodeInner(landed.inner),
  logMessages: landed.logs,
  rewards: [],
  loadedAddresses: landed.loaded,
  computeUnitsConsumed: landed.computeUnits,
  ...(landed.returned && { returnData: encodeReturned(landed.returned) }),
})

/** `version`: only for callers that asked about versions. */
export const encodeTransaction = (landed: LandedTransaction, encoding: string, tellsVersion: boolean) => ({
  slot: landed.slot,
  blockTime: landed.blockTime,
  transaction: encodeWire(landed, encoding),
  meta: encodeMeta(landed),
  ...(tellsVersion && { version: landed.message.version }),
})
