import {
  type BlockRange,
  commonRanges,
  countBlocks,
  missingRanges,
  withoutRanges,
} from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { createGather } from '../../../lib/gather.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { createSingleFlight } from '../../../lib/single-flight.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { SeenBlock } from '../../seen-block.ts'
import { endOf, type SearchEnd, type SearchStep } from '../../shared/search-end.ts'
import type { BegunLogSearch, DueContract, FoundInLogs } from '../../stores.ts'
import { blockRequest, rememberedChain } from '../blocks.ts'
import { groupByMissing, type NamedInLogs, searchPieces } from '../logs/token-discovery.ts'
import type { FurtherPositions, PositionId } from '../protocols/adapter.ts'
import type { ContractOrigins } from './contract-origins.ts'
import type { EvmContext } from './evm-context.ts'
import type { Recognise } from './recognise.ts'
import { STEP_CONTRACTS } from './recognise.ts'
import type { MoreKeys } from './wallet-keys.ts'
import { keyName } from './wallet-keys.ts'

const TOGETHER = { leastMs: 5, mostMs: 250, size: 100 }
/** From this size on, a search without findings is stored. */
const STORED_BLOCKS = 1_000n

const ROUND = 250
/** New contracts of a wallet: anyone can create them. */
const MOST_A_DAY = 2_000
const DAY_MS = 86_400_000
const MOST_WALLETS = 50_000

type Searched = { known: readonly string[]; fresh: readonly string[]; end: SearchEnd; isAnew: boolean; isDue: boolean }

/** `left`: contracts remain to be asked; `more`: at once. */
type Settled = { fresh: readonly string[]; left: boolean; more: boolean }
const NOTHING_DUE: Settled = { fresh: [], left: false, more: false }

/** `hash`: null for background work. */
type Asked = { wallet: EvmAddress; block: bigint; hash: string | null }

type Member = BegunLogSearch & { wallet: EvmAddress; head: SeenBlock; missing: readonly BlockRange[] }

type Found = {
  member: Member
  due: FoundInLogs['due']
  keys: FoundInLogs['keys']
  failure: UpstreamError | undefined
}

export type EvmSearchContext = EvmContext & {
  readonly recognise: Recognise
  readonly moreKeys: MoreKeys
  readonly origins: ContractOrigins
}

export function createDiscovery(context: EvmSearchContext) {
  const flights = createSingleFlight<Searched & Settled>()
  const gathers = new Map<string, (asked: Asked) => Promise<Searched>>()
  const settle = createSettle(context)

  function searchSoon(chain: Chain, asked: Asked, isPatient: boolean): Promise<Searched> {
    const name = `${chain.key} ${isPatient}`
    const present = context.poolOf(chain.key)
    const pool = isPatient ? patientPool(present) : present
    const search = { ...context, chain, pool }
    const gather = gathers.get(name) ?? createGather(TOGETHER, (all) => searchTogether(search, all))
    gathers.set(name, gather)
    return gather(asked)
  }

  /** Without a hash, waits for rate limits and asks about all due contracts. Rejects if no node has the block. */
  async function advanceTo(
    chain: Chain,
    wallet: EvmAddress,
    head: { block: bigint; hash: string | null },
    asked?: ReadonlySet<string>,
  ): Promise<SearchStep> {
    const isPatient = head.hash === null
    const { known, fresh, end, isAnew, left, more } = await flights.run(`${chain.key}:${wallet}`, async () => {
      const searched = await searchSoon(chain, { wallet, ...head }, isPatient)
      const settled = searched.isDue ? await settle(chain, wallet, isPatient) : NOTHING_DUE
      return { ...searched, ...settled, fresh: [...searched.fresh, ...settled.fresh] }
    })
    const found = asked ? [...known, ...fresh].some((name) => !asked.has(name)) : fresh.length > 0
    return { found, end: left && end === 'whole' ? 'unasked' : end, isAnew, ...(more && { more }) }
  }

  return { advanceTo }
}

/** Asks half the newest, half the oldest contracts: a flood hides later ones briefly, earlier ones for a bounded time. */
function createSettle({ stores: { discoveries: store }, recognise, clock }: EvmSearchContext) {
  /** Contracts by chain, wallet and day. */
  const spent = new BoundedMap<string, number>(MOST_WALLETS)

  async function ask(chain: Chain, wallet: EvmAddress, page: readonly DueContract[]): Promise<EvmAddress[]> {
    const contracts = page.map(({ address }) => address)
    const recognised = await recognise.ask(chain, contracts)
    const tokens = page.flatMap(({ address, sent }) => (sent || recognised.has(address) ? address : []))
    await store.settle({ wallet, chain: chain.key }, contracts, tokens)
    return tokens
  }

  async function settleRound(chain: Chain, wallet: EvmAddress): Promise<Settled> {
    const { contracts, total } = await store.findDue({ wallet, chain: chain.key }, ROUND)
    const day = `${chain.key} ${wallet} ${Math.floor(clock.now() / DAY_MS)}`
    const budget = () => MOST_A_DAY - (spent.get(day) ?? 0)
    const isKnown = ({ address }: DueContract) => recognise.isKnown(chain, address)
    const known = contracts.filter(isKnown)
    const others = contracts.filter((contract) => !isKnown(contract))
    const unknown = bothEnds(others, Math.min(ROUND, budget()))
    const fresh: EvmAddress[] = []
    for (const page of pagesOf(known, STEP_CONTRACTS)) fresh.push(...(await ask(chain, wallet, page)))
    for (const page of pagesOf(unknown, STEP_CONTRACTS)) {
      fresh.push(...(await ask(chain, wallet, page)))
      spent.set(day, MOST_A_DAY - budget() + page.length)
    }
    const left = total > known.length + unknown.length
    return { fresh, left, more: left && (known.length > 0 || budget() > 0) }
  }

  return async function settle(chain: Chain, wallet: EvmAddress, isPatient: boolean): Promise<Settled> {
    const fresh: string[] = []
    for (;;) {
      const round = await settleRound(chain, wallet)
      fresh.push(...round.fresh)
      if (!isPatient || !round.more) return { ...round, fresh }
    }
  }
}

function bothEnds<T>(items: readonly T[], most: number): T[] {
  const ends = items.flatMap((_, i) => [items[i], items[items.length - 1 - i]])
  return [...new Set(ends)].flatMap((item) => item ?? []).slice(0, most)
}

type Search = EvmSearchContext & { chain: Chain; pool: RpcPool }

async function searchTogether(search: Search, asked: readonly Asked[]): Promise<Searched[]> {
  const { chain, pool, keysToSearch, stores } = search
  const { id, contracts } = keysToSearch(chain.key)
  const heads = await headsOf(pool, asked)
  const begun = await stores.discoveries.begin({ chain: chain.key, logs: id, contracts }, heads, rememberedChain(pool))
  const members = [...heads].flatMap(([wallet, head]): Member[] => {
    const own = begun.get(wallet)
    if (!own) return []
    return [{ ...own, wallet, head, missing: missingRanges({ fromBlock: 0n, toBlock: head.block }, own.covered) }]
  })
  const found = await Promise.all(
    groupByMissing(members).map(({ ranges, searches }) => searchGroup(search, ranges, searches)),
  )
  const byWallet = new Map(found.flat())
  return asked.flatMap(({ wallet }) => byWallet.get(wallet) ?? [])
}

async function searchGroup(
  search: Search,
  ranges: readonly BlockRange[],
  members: readonly Member[],
): Promise<(readonly [EvmAddress, Searched])[]> {
  const { chain, pool, keysToSearch, stores } = search
  const { id, logs: searched } = keysToSearch(chain.key)
  const wallets = members.map(({ wallet }) => wallet)
  const logs = await searchPieces(pool, wallets, searched, ranges)
  const found = await Promise.all(members.map((member) => lookAt(search, member, logs.namedFor(member.wallet))))
  const results = found.map((one) => ({ ...one, covered: commonRanges(one.member.missing, logs.covered) }))
  const toStore = results.filter((one) => !isRepeatable(one, one.covered, logs.steps))
  const rows = toStore.map(
    ({ member: { wallet, heads }, due, keys, covered }) => [wallet, { due, keys, covered, heads }] as const,
  )
  if (rows.length > 0) await stores.discoveries.save({ chain: chain.key, logs: id }, new Map(rows))
  return Promise.all(
    results.map(async ({ member, due, keys, covered, failure }) => {
      const isWhole = withoutRanges(member.missing, covered).length === 0
      const outcome: Searched = {
        known: [...member.tokens, ...member.keys.map(keyName)],
        fresh: keys.length > 0 ? await freshKeys(search, member) : [],
        isDue: member.isDue || due.length > 0,
        end: endOf(isWhole && !failure, logs.failure ?? failure),
        isAnew: member.isAnew,
      }
      return [member.wallet, outcome] as const
    }),
  )
}

async function freshKeys({ stores, keysToSearch, chain }: Search, { wallet, keys }: Member): Promise<string[]> {
  const isKnown = new Set(keys.map(keyName))
  const after = await stores.discoveries.findKeys({ wallet, chain: chain.key }, keysToSearch(chain.key).contracts)
  return after.keys.map(keyName).filter((name) => !isKnown.has(name))
}

async function lookAt(search: Search, member: Member, named: NamedInLogs): Promise<Found> {
  const { wallet, head, tokens, keys: known } = member
  const isKnown = new Set<string>([...tokens, ...known.map(keyName)])
  const { failure, ...led } = await ledTo(search, wallet, [...known, ...named.keys])
  const sent = new Set(named.erc20s)
  const contracts = new Set([...named.erc20s, ...named.contracts, ...led.contracts])
  const keys = [...named.keys, ...led.keys.map((key) => ({ ...key, block: head.block }))]
  return {
    member,
    due: [...contracts]
      .filter((contract) => !isKnown.has(contract))
      .map((address) => ({ address, block: named.namedAt.get(address) ?? head.block, sent: sent.has(address) })),
    keys: keys.filter((key) => !isKnown.has(keyName(key))),
    failure,
  }
}

async function ledTo(
  { moreKeys, chain }: Search,
  wallet: EvmAddress,
  keys: readonly PositionId[],
): Promise<FurtherPositions & { failure: UpstreamError | undefined }> {
  try {
    return { ...(await moreKeys(chain, wallet, keys)), failure: undefined }
  } catch (failure) {
    if (!(failure instanceof UpstreamError)) throw failure
    return { keys: [], contracts: [], failure }
  }
}

async function headsOf(pool: RpcPool, asked: readonly Asked[]): Promise<Map<EvmAddress, SeenBlock>> {
  const unknown = new Set(asked.flatMap(({ block, hash }) => (hash === null ? block : [])))
  const hashes = new Map(
    await Promise.all(
      [...unknown].map(async (block) => [block, (await pool.session().request(blockRequest(block))).hash] as const),
    ),
  )
  return new Map(asked.map(({ wallet, block, hash }) => [wallet, { block, hash: hash ?? hashes.get(block) ?? '' }]))
}

function isRepeatable({ member, due, keys }: Found, covered: readonly BlockRange[], steps: number): boolean {
  if (due.length + keys.length > 0) return false
  const isBeside = member.covered.length > 0 && steps <= 1
  return covered.length === 0 || (isBeside && countBlocks(covered) < STORED_BLOCKS)
}
