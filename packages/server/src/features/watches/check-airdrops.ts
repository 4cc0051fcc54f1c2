import type { EventData, WatchGap } from '@coffer/contract'
import type { Kysely } from 'kysely'
import type { Airdrop, AirdropReading, WalletAirdrops } from '../../chains/airdrops.ts'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { formatDecimal, fromRaw } from '../../domain/decimal.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { subjectOf, tellAccounts } from '../events/outbox.ts'
import { type ClaimedWatch, claimWallets, noteGaps, settle } from './watch-store.ts'

const EVERY_SECONDS = 3_600
const AT_ONCE = 2
/** Events per check; the next check reports the rest. */
const MOST_TOLD = 20

/** The first check reports nothing. */
export function createCheckAirdrops({
  db,
  chain,
  airdrops,
}: {
  db: Kysely<Tables>
  chain: string
  airdrops: AirdropReading
}) {
  return async function checkAirdrops(signal: AbortSignal): Promise<void> {
    const terms = { types: ['airdrops'] as const, afterSeconds: EVERY_SECONDS, most: AT_ONCE }
    while (!signal.aborted) {
      const claimed = await claimWallets(db, terms)
      if (claimed.size === 0) return
      await Promise.all([...claimed].map(([wallet, watches]) => checkWallet(wallet, watches)))
    }
  }

  async function checkWallet(wallet: Address, watches: readonly ClaimedWatch[]): Promise<void> {
    const found = await airdrops(chain, wallet).catch((thrown: unknown) => {
      if (thrown instanceof UpstreamError) return undefined
      throw thrown
    })
    for (const watch of watches) {
      if (found) await tellNew(watch, found)
      else await noteGaps(db, watch, [{ chain, reason: 'unreadable' }])
    }
  }

  async function tellNew(watch: ClaimedWatch, found: WalletAirdrops): Promise<void> {
    const seen = watch.known as Address[] | null
    const claimable = found.airdrops.filter(({ parts }) => parts.some(({ isClaimable }) => isClaimable))
    const fresh = seen ? claimable.filter(({ distributor }) => !seen.includes(distributor)).slice(0, MOST_TOLD) : []
    const known = [...(seen ?? []), ...(seen ? fresh : claimable).map(({ distributor }) => distributor)]
    await db.transaction().execute(async (trx) => {
      if (!(await settle(trx, watch, { isPast: false, value: null, known }))) return
      const events = fresh.map((airdrop) => dataOf(watch, airdrop, found))
      const subject = subjectOf(watch.address)
      await tellAccounts(
        trx,
        'airdrop.claimable',
        [watch.account_id],
        events.map((data) => ({ subject, data })),
      )
    })
    const gaps = found.gaps.map(({ protocol, reason }): WatchGap => ({ chain, protocol, reason }))
    if (gaps.length > 0) await noteGaps(db, watch, gaps)
  }

  function dataOf(watch: ClaimedWatch, airdrop: Airdrop, { tokens }: WalletAirdrops): EventData<'airdrop.claimable'> {
    const { title, link, distributor, mint, parts } = airdrop
    const token = tokens.get(mint)
    const claimableRaw = parts.reduce((total, part) => (part.isClaimable ? total + part.amountRaw : total), 0n)
    return {
      watchId: watch.id,
      address: watch.address,
      chain,
      protocol: airdrop.protocol.key,
      title,
      link,
      distributor,
      contract: mint,
      symbol: token?.symbol ?? '',
      amount: formatDecimal(fromRaw(claimableRaw, token?.decimals ?? 0)),
    }
  }
}
