import { setImmediate as turn } from 'node:timers/promises'
import { blockRequest } from '../../chains/evm/block-header.ts'
import { type DepositEvent, findDeposits } from '../../chains/evm/deposit-event.ts'
import type { RpcPool } from '../../chains/rpc/rpc-pool.ts'
import { type BeaconTimes, slotAt, timeOfEpoch } from '../../domain/beacon-time.ts'
import { isDepositSigned } from '../../domain/deposit-signature.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Deposit, DepositStore } from './deposit-store.ts'
import type { SearchBlocks } from './scan-blocks.ts'
import { slotOfBlock } from './slot-of-block.ts'

/** Blocks of one commit. */
export const DEPOSIT_PIECE_BLOCKS = 200_000n

/** A deposit for a validator that is searched for. `isSigned`: without looking. */
type Found = { event: DepositEvent; validator: number; isSigned: boolean }

/**
 * Looks through the logs of the deposit contract. From Electra on the beacon block with the payload carries the deposit; an
 * earlier one is carried later, by a block that is found in the beacon chain.
 */
export function createSearchDeposits({
  store,
  pool,
  times,
  contract,
  electraEpoch,
  genesisForkVersion,
  findIndices,
}: {
  store: DepositStore
  pool: RpcPool
  times: BeaconTimes
  contract: EvmAddress
  /** Null where the fork is not planned. */
  electraEpoch: number | null
  genesisForkVersion: string
  /** Of those of the public keys whose validators are tracked. */
  findIndices(pubkeys: readonly string[]): Promise<ReadonlyMap<string, number>>
}): SearchBlocks {
  const electraTime = electraEpoch === null ? Number.POSITIVE_INFINITY : timeOfEpoch(times, electraEpoch)

  async function depositOf({ event, validator, isSigned }: Found): Promise<Deposit> {
    const { index, amountGwei, withdrawalCredentials } = event
    const time = event.blockTime ?? (await pool.session().request(blockRequest(event.blockNumber))).timestamp
    const signed = isSigned || (await isSignedLater(event))
    const deposit = { validator, index, amountGwei, withdrawalCredentials, signed }
    if (time >= electraTime) return { ...deposit, slot: slotOfBlock(times, time), searchSlot: 0 }
    // What was there before genesis may be in its state.
    return { ...deposit, slot: null, searchSlot: time < times.genesisTime ? 0 : slotAt(times, time) + 1 }
  }

  /** Takes tens of milliseconds: whoever else waits for this process has a turn before. */
  async function isSignedLater(event: DepositEvent): Promise<boolean> {
    await turn()
    return isDepositSigned(event, genesisForkVersion)
  }

  /**
   * Deposits for these validators, newest first. They exist, so one of their deposits was signed: if no other, the last one,
   * which therefore need not be looked at where all that is newer was searched. Hardly anyone has two.
   */
  async function findWanted(
    events: readonly DepositEvent[],
    validators: readonly number[],
    isWhole: boolean,
  ): Promise<Found[]> {
    const indices = await findIndices([...new Set(events.map(({ pubkey }) => pubkey))])
    const searched = new Set(validators)
    const wanted = events.flatMap((event) => {
      const validator = indices.get(event.pubkey)
      return validator !== undefined && searched.has(validator) ? [{ event, validator }] : []
    })
    const seen = new Set(await store.listKnown([...new Set(wanted.map(({ validator }) => validator))]))
    return wanted.toReversed().map((one) => {
      const isSigned = isWhole && !seen.has(one.validator)
      seen.add(one.validator)
      return { ...one, isSigned }
    })
  }

  return async ({ fromBlock, toBlock, validators }) => {
    const { deposits, covered, missing, failure } = await findDeposits(pool, contract, { fromBlock, toBlock })
    const rows: Deposit[] = []
    for (const found of await findWanted(deposits, validators, missing.length === 0)) rows.push(await depositOf(found))
    for (const range of covered) await store.save({ ...range, validators, rows })
    if (missing.length > 0) throw failure ?? new UpstreamError('unavailable', 'the range took too long')
  }
}
