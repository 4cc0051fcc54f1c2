import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { ZERO } from '../../domain/decimal.ts'
import { CEX } from '../../domain/virtual-read.ts'
import { type Balance, currentBalances } from './balances.ts'
import { type ExchangeLink, findLink } from './exchange-links.ts'

/** `source` names the stored read. `version` changes with the content. */
export type Source = { source: string; version: string } & (
  | { chain: string; balances: Balance[] }
  | { link: ExchangeLink }
)

const CHAIN = 'chain:'
const EXCHANGE = 'exchange:'
const SYMBOLS = 'symbols'

export function describeSource(source: string): { chain: string; protocol?: string } {
  if (source.startsWith(CHAIN)) return { chain: source.slice(CHAIN.length) }
  return source.startsWith(EXCHANGE) ? { chain: CEX, protocol: source.slice(EXCHANGE.length) } : { chain: CEX }
}

export async function planSources(db: Kysely<Tables>, virtualUserId: string): Promise<Source[]> {
  const [balances, link] = await Promise.all([currentBalances(db, virtualUserId), findLink(db, virtualUserId)])
  const byChain = Map.groupBy(balances, ({ asset }) => ('chain' in asset ? asset.chain : CEX))
  const byHand = [...byChain].flatMap(([chain, all]): Source[] => {
    const held = all.filter(({ amount }) => amount.gt(ZERO))
    const latest = all.map(({ change }) => change).toSorted((a, b) => Number(b - a))
    const version = String(latest[0])
    const source = chain === CEX ? SYMBOLS : CHAIN + chain
    return held.length > 0 ? [{ source, version, chain, balances: held }] : []
  })
  return link ? [...byHand, { source: EXCHANGE + link.exchange, version: link.id, link }] : byHand
}
