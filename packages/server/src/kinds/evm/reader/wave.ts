import type { Abi } from 'viem'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { Hex } from '../rpc-values.ts'
import type { Lens, Scan, StandIn } from './evm-reader.ts'
import type { HeldCall } from './held-call.ts'

/**
 * Reads that leave together. A call with a `lens` goes to that lens's derived address. `held` is made where that costs no
 * further request.
 */
export type Wave = { calls: readonly WaveCall[]; scans: readonly WaveScan[]; held?: HeldCall | undefined }
export type WaveCall = { to: EvmAddress; data: Hex; lens?: Lens<Abi>; changesState?: boolean; standIn?: StandIn }
/** What a stand-in answers may depend on where it stands. */
export const keyOfCall = ({ to, data, standIn }: WaveCall): string => `${to}${data}${standIn?.at ?? ''}`

/** Balances of an owner. Scans that name one array, not a copy of it, share it on their way to the node. */
export type WaveScan = { owner: EvmAddress; lists: readonly (readonly EvmAddress[])[] }

/** The outcome of a call: an answer, the contract's refusal, or the reason why this endpoint cannot run it. */
export type CallOutcome =
  | { kind: 'answered'; data: Hex }
  | { kind: 'reverted'; why: string }
  | { kind: 'failed'; error: UpstreamError }

/**
 * The block as seen from inside a call. `prevRandao` tells two blocks of one number apart; null where it is not seen.
 */
export type SeenBlock = { number: bigint; timestamp: number; parentHash: Hex; prevRandao: Hex | null }

/** `held`: what calls about held tokens answered. */
export type WaveResult = { block: SeenBlock; calls: CallOutcome[]; scans: Scan[]; held: HeldAnswer[] }
export type HeldAnswer = { call: WaveCall; data: Hex }

/** `at` null: the latest block, whichever that is; all of the result is of one block. */
export type WaveRun = { endpoint: RpcEndpoint; chain: Chain; wave: Wave; at: bigint | null }

/** The answer was not computed by the requested code: the node ignored the code, or the contract is not there. */
export class NotAnswered extends UpstreamError {
  constructor(message: string) {
    super('invalid', message)
  }
}

/** Two answers that claim one block number but were computed on two blocks. */
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

/** `latest` or a block number, as the parameter of a call. */
export function blockTag(at: bigint | null): string {
  return at === null ? 'latest' : `0x${at.toString(16)}`
}
