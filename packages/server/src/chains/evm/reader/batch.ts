import type { Abi } from 'viem'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { Hex } from '../rpc-values.ts'
import type { Lens, Scan, StandIn } from './evm-reader.ts'
import type { HeldCall } from './held-call.ts'

/** `held` must cost no further request. */
export type Batch = { calls: readonly BatchCall[]; scans: readonly BatchScan[]; held?: HeldCall | undefined }
export type BatchCall = {
  to: EvmAddress
  data: Hex
  lens?: Lens<Abi> | undefined
  changesState?: boolean
  standIn?: StandIn | undefined
}
/** A stand-in's answer depends on its address. */
export const keyOfCall = ({ to, data, standIn }: BatchCall): string => `${to}${data}${standIn?.at ?? ''}`

/** Scans that name the same array, not a copy of it, share it. */
export type BatchScan = { owner: EvmAddress; lists: readonly (readonly EvmAddress[])[] }

export type CallOutcome =
  | { kind: 'answered'; data: Hex }
  | { kind: 'reverted'; why: string }
  | { kind: 'failed'; error: UpstreamError }

/** As seen inside a call. `prevRandao` distinguishes blocks of one number; null if not seen. */
export type SeenBlock = { number: bigint; timestamp: number; parentHash: Hex; prevRandao: Hex | null }

export type BatchResult = { block: SeenBlock; calls: CallOutcome[]; scans: Scan[]; held: HeldAnswer[] }
export type HeldAnswer = { call: BatchCall; data: Hex }

/** `at`: null for the latest block. */
export type BatchRun = { endpoint: RpcEndpoint; chain: Chain; batch: Batch; at: bigint | null }

/** The node ignored the requested code, or the contract does not exist. */
export class NotAnswered extends UpstreamError {
  constructor(message: string) {
    super('invalid', message)
  }
}

export function reorganised(number: bigint): UpstreamError {
  return new UpstreamError('invalid', `reorganised: block ${number} is not the block it was when the read started`)
}

export function assertSameBlock(a: SeenBlock, b: SeenBlock): void {
  const same =
    a.number === b.number &&
    a.timestamp === b.timestamp &&
    a.parentHash === b.parentHash &&
    (a.prevRandao === b.prevRandao || a.prevRandao === null || b.prevRandao === null)
  if (!same) throw reorganised(a.number)
}

export function blockTag(at: bigint | null): string {
  return at === null ? 'latest' : `0x${at.toString(16)}`
}
