import type { IncompleteReason } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import type { ChainReading, DayReading } from '../../chains/chain-reading.ts'
import type { Collected, PastBlock } from '../../chains/collected.ts'
import { lacksBlock } from '../../chains/rpc/json-rpc.ts'
import type { KnownBlock } from '../../chains/seen-block.ts'
import type { Address } from '../../domain/address.ts'
import { type ValuedRead, valueRead } from '../../domain/valuation.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { createKept, type Kept } from '../../lib/kept.ts'
import { type UpstreamError, upstreamOnly } from '../../lib/upstream-error.ts'
import type { Reading } from '../../wallets/create-reading.ts'
import { NEVER_SEARCHED, searchGap, type WalletSearch } from '../../wallets/wallet-search.ts'
import type { ReadingPorts } from '../module.ts'

/** Some 100 kB each. */
const READS = 500
const WALLETS = 10_000
const BLOCKS = 10_000
const FINAL_MS = 15_000
const OLDEST_MS = 600_000

export type PastChain = { chain: Chain; days: Extract<DayReading, { kept: true }>; search: ChainReading['search'] }

export type PastRead = {
  valued: ValuedRead
  /** Present until the search has shown that the read asked about everything. */
  searching: IncompleteReason | undefined
  isKept: boolean
}

type BlockThen = { final: KnownBlock; block: KnownBlock | undefined }

type Asked = { wallet: Address; asked: ReadonlySet<string> | undefined }

type LastRead = { block: bigint; plan: Collected['plan'] }

/** Reads of past blocks by this process. Complete reads of final blocks stay in memory. */
export class PastReads {
  readonly #ports: ReadingPorts
  readonly #reads: Kept<PastRead>
  readonly #blocks: Kept<BlockThen>
  readonly #finals: Kept<KnownBlock>
  readonly #oldest: Kept<bigint | undefined>
  /** Highest final block by chain. */
  readonly #finalOf = new Map<string, bigint>()
  readonly #lastReads = new BoundedMap<string, LastRead>(WALLETS)
  /** One search of a wallet at a time: a joined one may end at a lower block. */
  readonly #searches = new Map<string, Promise<void>>()
  /** Chains whose nodes offer no logs. */
  readonly #refused = new Set<string>()
  /** Blocks up to which logs were searched. */
  readonly #searched = new BoundedMap<string, bigint>(WALLETS)

  constructor(ports: ReadingPorts) {
    const { clock } = ports
    const forever = Number.POSITIVE_INFINITY
    this.#ports = ports
    this.#reads = createKept({ most: READS, clock, freshMs: ({ isKept }) => (isKept ? forever : 0) })
    const isFinal = ({ final, block }: BlockThen) => !block || block.number <= final.number
    this.#blocks = createKept({ most: BLOCKS, clock, freshMs: (last) => (isFinal(last) ? forever : FINAL_MS) })
    this.#finals = createKept({ clock, freshMs: FINAL_MS })
    this.#oldest = createKept({ clock, freshMs: OLDEST_MS })
  }

  /** Undefined: the chain began later. `time` in Unix seconds. Rejects with `UpstreamError`. */
  async blockAt({ chain: { key }, days }: PastChain, time: number): Promise<KnownBlock | undefined> {
    const { final, block } = await this.#blocks.get(`${key} ${time}`, async () => {
      const { final, blocks } = await days.lastBlocks(key, [time])
      return { final, block: blocks.get(time) }
    })
    this.#noteFinal(key, final)
    return block
  }

  /** For many times, which ascend. Not kept. Rejects with `UpstreamError`. */
  async blocksAt({ chain: { key }, days }: PastChain, times: readonly number[]) {
    const { final, blocks } = await days.lastBlocks(key, times)
    this.#noteFinal(key, final)
    return blocks
  }

  async oldestState({ chain: { key }, days }: PastChain, missing: bigint): Promise<bigint | undefined> {
    const ask = () => days.oldestState(key, missing).catch(noneOnFailure)
    const oldest = await this.#oldest.get(key, ask)
    return oldest !== undefined && oldest <= missing ? this.#oldest.renew(key, ask) : oldest
  }

  /** Rejects with `UpstreamError`. */
  read(past: PastChain, wallet: Address, at: PastBlock): Promise<PastRead> {
    return this.#reads.get(`${past.chain.key} ${wallet} ${at.number}`, () => this.#read(past, wallet, at))
  }

  /** Waits for the search, and reads again what it found. Not kept. Rejects with `UpstreamError`. */
  async readWhole(past: PastChain, wallet: Address, at: PastBlock): Promise<PastRead> {
    const read = await this.#read(past, wallet, at)
    await this.#searches.get(`${past.chain.key} ${wallet}`)
    return read.searching ? this.#read(past, wallet, at) : read
  }

  async #read(past: PastChain, wallet: Address, at: PastBlock): Promise<PastRead> {
    const { chain, days } = past
    const name = `${chain.key} ${wallet}`
    const isSearched = at.number <= (this.#searched.get(name) ?? -1n)
    const stored = await this.#ports.reading.store.findOne(wallet, chain.key)
    const present = stored && { block: stored.read.block, plan: stored.plan }
    const plan = nearest(at.number, this.#lastReads.get(name), present)
    const [{ asked, ...found }, isFinal] = await Promise.all([
      days.collectAt(chain, wallet, at, plan),
      this.#isFinal(past, at.number),
    ])
    this.#lastReads.set(name, { block: at.number, plan: found.plan })
    const whole: WalletRead = { ...found.read, readAt: found.read.blockTime * 1_000 }
    const read: PastRead = {
      valued: valueRead(whole),
      searching: isSearched ? undefined : searchGap(stored?.search ?? this.#unstored(chain.key), whole.readAt),
      isKept: isFinal && whole.gaps.length === 0,
    }
    if (!isSearched) this.#searchNext(name, () => this.#search(past, read, { wallet, asked }))
    return read
  }

  #unstored(chain: string): WalletSearch {
    return { ...NEVER_SEARCHED, refused: this.#refused.has(chain) }
  }

  #searchNext(name: string, search: () => Promise<void>): void {
    const next = (this.#searches.get(name) ?? Promise.resolve()).then(search)
    this.#searches.set(name, next)
    void next.then(() => this.#searches.get(name) === next && this.#searches.delete(name))
  }

  /** A read that lacks something found, or not searched to the end, is not kept. */
  async #search({ chain, search }: PastChain, read: PastRead, of: Asked): Promise<void> {
    const { block = 0n } = read.valued.read
    const name = `${chain.key} ${of.wallet}`
    try {
      const step = await search?.(chain, of.wallet, { block, hash: null }, of.asked)
      if (step?.end === 'refused') this.#refused.add(chain.key)
      else this.#refused.delete(chain.key)
      const isWhole = !step || step.end === 'whole'
      if (isWhole && block > (this.#searched.get(name) ?? -1n)) this.#searched.set(name, block)
      if (isWhole && !step?.found) read.searching = undefined
      else read.isKept = false
    } catch (err) {
      read.isKept = false
      const missing = 'the search for unlisted tokens of a past block failed; the next request searches again'
      this.#ports.logger.warn({ err, chain: chain.key }, missing)
    }
  }

  async #isFinal({ chain: { key }, days }: PastChain, block: bigint): Promise<boolean> {
    if (block <= (this.#finalOf.get(key) ?? -1n)) return true
    const final = await this.#finals.get(key, () => days.finalBlock(key)).catch(noneOnFailure)
    if (final) this.#noteFinal(key, final)
    return final !== undefined && block <= final.number
  }

  #noteFinal(chain: string, { number }: KnownBlock): void {
    if (number > (this.#finalOf.get(chain) ?? -1n)) this.#finalOf.set(chain, number)
  }
}

export function pastOf(reading: Reading, chain: Chain): PastChain | undefined {
  const { days, search } = reading.enabledReading(chain.key)
  return days?.kept ? { chain, days, search } : undefined
}

export function missingReason(failure: UpstreamError): IncompleteReason {
  if (lacksBlock(failure)) return 'no-state'
  return failure.reason === 'not-allowed' ? 'not-allowed' : 'unreadable'
}

/** Rethrows anything but a node's failure. */
export function noneOnFailure(error: unknown): undefined {
  upstreamOnly(error)
}

function nearest(block: bigint, ...reads: readonly (LastRead | undefined)[]): Collected['plan'] | undefined {
  const distance = (read: LastRead) => (read.block > block ? read.block - block : block - read.block)
  const known = reads.flatMap((read) => read ?? [])
  return known.toSorted((a, b) => (distance(a) < distance(b) ? -1 : 1))[0]?.plan
}
