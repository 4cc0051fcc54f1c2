import { numberToHex } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import type { KeyLogs } from '../../logs/logs.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { HeldContract, PositionId, PositionScope } from '../adapter.ts'
import { addressSchema, deployedOf } from '../deployment.ts'
import { nftPages } from '../shared/v3-positions.ts'
import { VOTED } from './history.ts'
import { voteNftLens } from './vote-nft-lens.bytecode.ts'

const LOCK = 'lock'
/** A lock costs up to 3 million gas: ten pools with five due rewards each, and a rebase. */
const PAGE_LOCKS = 4
/** Anyone may create locks for a wallet. */
const LOCKS_PER_END = 64
/** Per pool, a lock that never voted costs 10,000 gas. */
const PAGE_POOLS = 24

export const voteNfts = z.strictObject({
  escrow: addressSchema,
  token: addressSchema,
  distributor: addressSchema,
})

export type VoteNfts = z.infer<typeof voteNfts>

export const isLock = ({ role }: { role: string }) => role === LOCK

export const discoverLocks = (reader: EvmReader, { escrow, token }: VoteNfts) =>
  deployedOf(reader, [{ address: escrow, role: LOCK, fungible: false, underlyings: [token] }])

/** Rewards stay claimable after a vote for another pool. */
export const votedPools = (voter: EvmAddress): KeyLogs => ({ contract: voter, topic: VOTED, walletAt: 1, keyAt: 2 })

/**
 * A lock in a relay counts as if withdrawn; the relay's own is its depositors'. Vote earnings count until this week's
 * start.
 */
export async function lockPositions(
  { reader, wallet, keys, leftOut }: PositionScope<unknown>,
  { escrow, token, distributor, voter }: VoteNfts & { voter: EvmAddress },
  { balanceRaw }: HeldContract,
): Promise<PositionDraft[]> {
  const pools = pagesOf(poolsIn(keys, voter), PAGE_POOLS)
  const pages = await Promise.all(
    nftPages(balanceRaw, leftOut, { perEnd: LOCKS_PER_END, perPage: PAGE_LOCKS }).map(async ([start, end]) => {
      const now = [escrow, voter, distributor, wallet, start, end] as const
      const [locks, ...earlier] = await Promise.all([
        reader.lens(voteNftLens, { functionName: 'locks', args: now }),
        ...pools.map((page) => {
          const args = [escrow, voter, wallet, start, end, page] as const
          return reader.lens(voteNftLens, { functionName: 'earlier', args })
        }),
      ])
      return locks.map((lock) => ({
        ...lock,
        earlier: earlier.flatMap((page) => page.filter(({ id }) => id === lock.id)),
      }))
    }),
  )
  return pages.flat().map(({ id, kind, amount, end, rebase, earlier, ...own }) => {
    const votes = [own, ...earlier]
    const unread = votes.reduce((sum, part) => sum + part.unread, 0n)
    if (unread > 0n) leftOut(new Error(`${unread} rewards of lock ${id} could not be read`))
    return {
      kind: 'locked',
      label: LABELS[kind] ?? 'Lock',
      pool: escrow,
      tokenId: id,
      supplied: [{ token, amountRaw: amount }],
      rewards: added([{ token, amount: rebase }, ...votes.flatMap(({ rewards }) => rewards)]),
      receipts: [escrow],
      ...(end > 0n && { unlockAt: Number(end) }),
    }
  })
}

const LABELS = ['Lock', 'Permanent lock', 'Lock in a relay']

const ADDRESS_BYTES = 20

function poolsIn(keys: readonly PositionId[], voter: EvmAddress): EvmAddress[] {
  const named = keys.filter(({ contract }) => contract === voter)
  return named.map(({ key }) => evmAddress(numberToHex(key, { size: ADDRESS_BYTES })))
}

function added(rewards: readonly { token: string; amount: bigint }[]): TokenAmount[] {
  const sums = new Map<EvmAddress, bigint>()
  for (const { token, amount } of rewards) {
    const address = evmAddress(token)
    sums.set(address, (sums.get(address) ?? 0n) + amount)
  }
  return [...sums].map(([token, amountRaw]) => ({ token, amountRaw }))
}
