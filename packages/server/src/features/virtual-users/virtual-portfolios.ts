import { Failure, type RequestOf, type VirtualUserType, type virtualUserEndpoints } from '@coffer/contract'
import { sum, ZERO } from '../../domain/decimal.ts'
import { mergeReads } from '../../domain/merge-reads.ts'
import { CEX, cashOf, type VirtualRead, valueVirtualRead } from '../../domain/virtual-read.ts'
import { createAnswerCache, type Known, type SourceGap } from '../freshness/answer-cache.ts'
import type { LatestRates } from '../portfolio/conversion-rates.ts'
import type { ShownParts } from '../portfolio/present-portfolio.ts'
import {
  isWhole,
  type PortfolioState,
  type Presentation,
  presentPortfolio,
  type ShownChain,
  withCompleteness,
} from '../portfolio/present-portfolio.ts'
import type { VirtualUsers } from './context.ts'
import { describeSource, planSources, readChain, readExchange, readSymbols, type Source } from './sources.ts'
import { findReads, saveRead } from './virtual-read-store.ts'
import { idOf, notYours, virtualAddress } from './virtual-users.ts'

type KnownUser = Known<VirtualRead> & { type: VirtualUserType }

type VirtualPortfolios = ReturnType<typeof createVirtualPortfolios>

/**
 * Reads a changed source before the next answer. Fails with 502 if no source was ever read. Without sources the value
 * is 0, for type CEX with `not-linked`.
 */
export function createVirtualPortfolios(context: VirtualUsers) {
  const { db, clock, log } = context

  async function load(id: string): Promise<KnownUser> {
    const user = await db.selectFrom('virtual_user').select('type').where('id', '=', id).executeTakeFirst()
    if (!user) throw notYours()
    const [sources, stored] = await Promise.all([planSources(db, id), findReads(db, id)])
    const lastOf = new Map(stored.map((last) => [last.source, last]))
    const changed = sources.filter(({ source, version }) => lastOf.get(source)?.version !== version)
    const names = sources.map(({ source }) => source)
    return {
      type: user.type,
      sources: names,
      reads: new Map(stored.flatMap(({ source, read }) => (names.includes(source) ? [[source, read] as const] : []))),
      changed: new Set(changed.map(({ source }) => source)),
    }
  }

  async function refresh(source: string, id: string): Promise<VirtualRead> {
    const [sources, stored] = await Promise.all([planSources(db, id), findReads(db, id)])
    const planned = sources.find((candidate) => candidate.source === source)
    if (!planned) throw new Error(`${source} is no longer a source of the virtual user`)
    const before = stored.find((last) => last.source === source)?.read
    const read = await readSource(planned, before)
    const linkId = 'link' in planned ? planned.link.id : null
    await saveRead(db, id, { source, linkId, version: planned.version, read })
    const now = (await planSources(db, id)).find((candidate) => candidate.source === source)
    return now && now.version !== planned.version ? refresh(source, id) : read
  }

  function readSource(planned: Source, before: VirtualRead | undefined): Promise<VirtualRead> {
    if ('link' in planned) return readExchange(context, planned.link, before)
    const { chain, balances } = planned
    return chain === CEX ? readSymbols(context, balances, before) : readChain(context, chain, balances, before)
  }

  function stateOf(id: string, { type, sources, reads }: KnownUser, gaps: readonly SourceGap[]): PortfolioState {
    const address = virtualAddress(id)
    if (sources.length > 0 && reads.size === 0) {
      throw new Failure('UPSTREAM_UNAVAILABLE', `${address} could not be read; try again`)
    }
    const known = sources.flatMap((source) => reads.get(source) ?? [])
    const nothing: VirtualRead = { chain: CEX, readAt: clock.now(), holdings: [], gaps: [] }
    const valued = (known.length > 0 ? known : [nothing]).map(valueVirtualRead)
    const isLinked = type !== 'CEX' || sources.length > 0
    return {
      address,
      reads: valued,
      incomplete: isLinked
        ? gaps.map(({ source, reason }) => ({ ...describeSource(source), reason }))
        : [{ chain: CEX, reason: 'not-linked' }],
      cashBalance: cashOf(known),
      ...(type === 'BALANCE' && { manualBalance: sum(valued.map(({ value }) => value)) }),
    }
  }

  const { getState } = createAnswerCache<string, VirtualRead, KnownUser, PortfolioState>({
    load,
    stateOf,
    keepsAnswers: false,
    clock,
    log,
    refresh: async (source, id) => {
      await refresh(source, id)
      return undefined
    },
  })
  return {
    getState: async (id: string, waitForSync: boolean) => (await getState(id, waitForSync)).state,
    refresh,
  }
}

export function mergeStates(states: readonly PortfolioState[]): PortfolioState {
  const sorted = states.toSorted((a, b) => Number(a.address > b.address) - Number(a.address < b.address))
  const gaps = sorted.flatMap(({ incomplete }) => incomplete)
  return {
    address: sorted.map(({ address }) => address).join(','),
    reads: mergeReads(sorted.flatMap(({ reads }) => reads)),
    incomplete: [...new Map(gaps.map((gap) => [JSON.stringify(gap), gap])).values()],
    cashBalance: sum(sorted.map(({ cashBalance = ZERO }) => cashBalance)),
    manualBalance: sum(sorted.map(({ manualBalance = ZERO }) => manualBalance)),
    merged: true,
  }
}

type Query = RequestOf<(typeof virtualUserEndpoints)['getVirtualUserPortfolio']>['query']

const cexChain: ShownChain = { key: CEX, name: 'CEX', chainId: '', explorer: null }

export type Showing = { rates: LatestRates; ofAll(shown: ShownParts): Presentation }

export async function viewVirtualPortfolios(
  { portfolios, exchanges, showing }: VirtualUsers & { portfolios: VirtualPortfolios; showing: Showing },
  query: Query,
  origin: string,
) {
  const { addresses, aggregated, waitForSync } = query
  const [states, listed] = await Promise.all([
    Promise.all(addresses.map((address) => portfolios.getState(idOf(address), waitForSync))),
    exchanges.list(),
    showing.rates.load(),
  ])
  const names = new Map(listed.map(({ key, name }) => [key, name]))
  const onChains = showing.ofAll({
    images: query.includeImages,
    explorerUrls: query.includeExplorerUrls,
    flatAssets: query.includeFlatAssets,
    origin,
  })
  const shown: Presentation = {
    ...onChains,
    chain: (key) => (key === CEX ? cexChain : onChains.chain(key)),
    protocol: (key) => ({ name: names.get(key) ?? key }),
  }
  const views = (aggregated ? [mergeStates(states)] : states).map((state) => presentPortfolio(state, shown))
  return withCompleteness(views, views.every(isWhole))
}
