import { pad, toEventSelector, toHex } from 'viem'
import type { EvmAddress } from '../src/domain/evm-address.ts'
import type { ChainTransaction, NativeTransfer, ReceiptLog } from '../src/domain/transaction.ts'

export type DraftLog = Omit<ReceiptLog, 'logIndex'>

/** In base units. */
const DRAFT_FEE = 21_000n

export const draftAddress = (n: number): EvmAddress => pad(toHex(n), { size: 20 })
/** Default sender. */
export const draftWallet = draftAddress(1)
/** Default callee. */
const draftRouter = draftAddress(3)

type Word = EvmAddress | bigint

const wordOf = (value: Word) => (typeof value === 'bigint' ? toHex(value, { size: 32 }) : pad(value))

/** `event`: without names. `data`: whole words. */
export function draftLog(
  address: EvmAddress,
  event: string,
  indexed: readonly Word[],
  data: readonly Word[] = [],
): DraftLog {
  return {
    address,
    topics: [toEventSelector(`event ${event}`), ...indexed.map(wordOf)],
    data: `0x${data.map((value) => wordOf(value).slice(2)).join('')}`,
  }
}

export const draftTransfer = (token: EvmAddress, from: EvmAddress, to: EvmAddress, amount: bigint): DraftLog =>
  draftLog(token, 'Transfer(address,address,uint256)', [from, to], [amount])

export const draftNftTransfer = (token: EvmAddress, from: EvmAddress, to: EvmAddress, id: bigint): DraftLog =>
  draftLog(token, 'Transfer(address,address,uint256)', [from, to, id])

export const draftNative = (from: EvmAddress, to: EvmAddress, amountRaw: bigint): NativeTransfer => ({
  from,
  to,
  amountRaw,
})

export function draftTransaction(
  logs: readonly DraftLog[],
  facts: Partial<Omit<ChainTransaction, 'logs'>> = {},
): ChainTransaction {
  const { from = draftWallet, to = draftRouter, selector = '0x12345678' } = facts
  return {
    hash: pad('0x01'),
    block: 7n,
    blockHash: pad('0x02'),
    index: 0,
    time: 1_700_000_000,
    from,
    to,
    selector,
    calls: to === null ? [] : [{ by: from, to, selector }],
    succeeded: true,
    feeRaw: DRAFT_FEE,
    feeInToken: false,
    logs: logs.map((log, logIndex) => ({ ...log, logIndex })),
    nativeTransfers: [],
    ...facts,
  }
}
