import { setTimeout as wait } from 'node:timers/promises'
import type { Address } from '../../../domain/address.ts'
import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { WalletRead } from '../../../domain/wallet-read.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import type { Clock } from '../../../lib/clock.ts'
import { seenLater } from '../../../lib/concurrency.ts'
import type { Chain } from '../../chain.ts'
import type { LoggedTokens } from '../../stores.ts'
import type { EvmReader, Scan } from '../reader/evm-reader.ts'
import type { RecentSearches } from './recent-searches.ts'
import type { WalletRows } from './scanned-rows.ts'
import type { SilentTokens } from './silent-tokens.ts'

/** A wallet is asked for every listed token at least as often. */
const WHOLE_EVERY_MS = 24 * 60 * 60 * 1000
/** Age of the last read at which the logs since are no few blocks any more. */
const MOST_AGE_MS = 60 * 60 * 1000
/** How long a scan that has ended waits for the logs that left with it. */
const LOGS_WITHIN_MS = 250
const LATE = Symbol()
/** After logs were late a chain's wallets are asked for everything, at once: each would wait for them and pay a trip more. */
const LATE_PAUSE_MS = 5 * 60_000
const MOST_KEPT = 50_000

/** The last scan of everything. `held`: what it found. */
type Whole = { at: number; held: readonly EvmAddress[] }

/** What is known of a wallet on a chain before its scan. `logged`: what its logs have named so far. */
export type ScannedWallet = {
  chain: Chain
  wallet: EvmAddress
  rows: Pick<WalletRows, 'common' | 'own'>
  logged: LoggedTokens
  before: WalletRead | undefined
}

/** `wasAsked`: of the tokens of all wallets; absent where all of them were asked. */
export type NarrowScan = Scan & { wasAsked?(token: EvmAddress): boolean }

/**
 * Scans a wallet for what it may hold. Where logs of all blocks are known it asks for tokens that one of them named, that
 * it held before, or that move without a log; the logs since are searched beside, and what they name is asked for after.
 * It asks for everything where that cannot be known: for a wallet that this process scans for the first time or that was
 * not scanned for everything within a day, and where logs are late, fail, are of another endpoint than the scan, or end before
 * its block.
 */
export function createNarrowScans({
  recent,
  silent,
  clock,
  logsOf,
}: {
  recent: Pick<RecentSearches, 'searchAfter'>
  silent: Pick<SilentTokens, 'learn'>
  clock: Clock
  /** Names the set of logs that is searched on a chain. */
  logsOf(chain: string): string
}) {
  const wholes = new BoundedMap<string, Whole>(MOST_KEPT)
  /** By chain: when its logs were late. */
  const lateAt = new Map<string, number>()

  async function scanWhole(reader: EvmReader, { chain, wallet, rows }: ScannedWallet): Promise<Scan> {
    const scan = await reader.scan(wallet, rows.common.all, rows.own)
    wholes.set(`${chain.key} ${wallet}`, { at: clock.now(), held: [...scan.balances.keys()] })
    return scan
  }

  /** Up to which block logs are known, and what was held; undefined if a narrow scan would not do. */
  function basisOf({ chain, wallet, logged, before }: ScannedWallet) {
    const whole = wholes.get(`${chain.key} ${wallet}`)
    const now = clock.now()
    if (now - (lateAt.get(chain.key) ?? Number.NEGATIVE_INFINITY) < LATE_PAUSE_MS) return undefined
    if (!whole || !before || now - whole.at >= WHOLE_EVERY_MS || now - before.readAt >= MOST_AGE_MS) return undefined
    const isKnown = logged.logs === logsOf(chain.key) && lastOf(logged.covered) === logged.head?.block
    return logged.head && isKnown ? { after: logged.head, held: whole.held } : undefined
  }

  return async function scan(reader: EvmReader, scanned: ScannedWallet): Promise<NarrowScan> {
    const basis = basisOf(scanned)
    if (!basis) return scanWhole(reader, scanned)
    const { chain, wallet, rows, logged, before } = scanned
    const { silent: always, isAsked, isSilent } = rows.common
    const isLogged = (token: Address) => isAsked.has(token) && !isSilent.has(token)
    const met = [...logged.tokens, ...basis.held, ...(before?.holdings ?? []).map(({ token }) => token)]
    const touched = new Set(met.filter(isLogged) as EvmAddress[])
    const searching = seenLater(recent.searchAfter(chain, wallet, basis.after))
    const [narrow, { number, servedBy }] = await Promise.all([
      reader.scan(wallet, always, [...rows.own, ...touched]),
      reader.header(),
    ])
    const since = await Promise.race([searching, wait(LOGS_WITHIN_MS, LATE, { ref: false })])
    if (since === LATE) lateAt.set(chain.key, clock.now())
    // Two endpoints may follow two forks.
    if (!since || since === LATE || since.toBlock < number || since.servedBy !== servedBy) {
      return scanWhole(reader, scanned)
    }
    const isUnnamed = (token: EvmAddress) =>
      isLogged(token) && !logged.tokens.includes(token) && !since.named.erc20s.includes(token)
    silent.learn(chain.key, basis.held.filter(isUnnamed))
    const fresh = since.named.erc20s.filter((token) => isLogged(token) && !touched.has(token))
    const wasAsked = (token: EvmAddress) => isSilent.has(token) || touched.has(token) || fresh.includes(token)
    if (fresh.length === 0) return { ...narrow, wasAsked }
    return { ...joined(narrow, await reader.scan(wallet, fresh)), wasAsked }
  }
}

/** The last of the blocks that are covered from the first one on. */
function lastOf([first, ...others]: readonly BlockRange[]): bigint | undefined {
  return first?.fromBlock === 0n && others.length === 0 ? first.toBlock : undefined
}

function joined(one: Scan, other: Scan): Scan {
  return {
    nativeRaw: one.nativeRaw,
    balances: new Map([...one.balances, ...other.balances]),
    failed: new Set([...one.failed, ...other.failed]),
  }
}
