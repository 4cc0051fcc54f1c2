import type { EventData, WatchGap } from '@coffer/contract'
import type { Airdrop, AirdropReading, WalletAirdrops } from '../../chains/airdrops.ts'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { formatDecimal, fromRaw } from '../../domain/decimal.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { reportToAccounts, subjectOf } from '../events/outbox.ts'
import { type ClaimedWatch, checkDue, noteGaps, settle } from './watch-store.ts'

const EVERY_SECONDS = 3_600
const AT_ONCE = 2
/** Events per check; the next check reports the rest. */
const MOST_REPORTED = 20

const TERMS = { types: ['airdrops'], afterSeconds: EVERY_SECONDS, most: AT_ONCE } as const

type Parts = { db: Db; chain: string; airdrops: AirdropReading }

/** The first check reports nothing. */
export const checkAirdrops = (parts: Parts, signal: AbortSignal): Promise<void> =>
  checkDue(parts.db, TERMS, signal, async (wallet, watches) => {
    const { db, chain, airdrops } = parts
    const found = await airdrops(chain, wallet).catch((thrown: unknown) => {
      if (thrown instanceof UpstreamError) return undefined
      throw thrown
    })
    for (const watch of watches) {
      if (found) await tellNew(parts, watch, found)
      else await noteGaps(db, watch, [{ chain, reason: 'unreadable' }])
    }
  })

async function tellNew({ db, chain }: Parts, watch: ClaimedWatch, found: WalletAirdrops): Promise<void> {
  const seen = watch.known as Address[] | null
  const claimable = found.airdrops.filter(({ parts }) => parts.some(({ isClaimable }) => isClaimable))
  const fresh = seen ? claimable.filter(({ distributor }) => !seen.includes(distributor)).slice(0, MOST_REPORTED) : []
  const known = [...(seen ?? []), ...(seen ? fresh : claimable).map(({ distributor }) => distributor)]
  await db.transaction().execute(async (trx) => {
    if (!(await settle(trx, watch, { isPast: false, value: null, known }))) return
    const subject = subjectOf(watch.address)
    const events = fresh.map((airdrop) => ({ subject, data: dataOf(chain, watch, airdrop, found) }))
    await reportToAccounts(trx, 'airdrop.claimable', [watch.account_id], events)
  })
  const gaps = found.gaps.map(({ protocol, reason }): WatchGap => ({ chain, protocol, reason }))
  if (gaps.length > 0) await noteGaps(db, watch, gaps)
}

function dataOf(
  chain: string,
  watch: ClaimedWatch,
  { title, link, distributor, mint, parts, protocol }: Airdrop,
  { tokens }: WalletAirdrops,
): EventData<'airdrop.claimable'> {
  const token = tokens.get(mint)
  const claimableRaw = parts.reduce((total, part) => (part.isClaimable ? total + part.amountRaw : total), 0n)
  return {
    watchId: watch.id,
    address: watch.address,
    chain,
    protocol: protocol.key,
    title,
    link,
    distributor,
    contract: mint,
    symbol: token?.symbol ?? '',
    amount: formatDecimal(fromRaw(claimableRaw, token?.decimals ?? 0)),
  }
}
