import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createTickBatch, type Gathering } from '../../../lib/tick-batch.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import { ofEnabled } from '../../chain-catalog.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { EventLog } from '../logs/logs.ts'
import { distrustRecent } from '../logs/recent-logs.ts'
import { discoverRecent, type NamedInLogs, type RecentTokens } from '../logs/token-discovery.ts'
import type { SearchedKeys } from './wallet-keys.ts'

/** The reads beside which they leave are gathered as long. */
const TOGETHER: Gathering = { quietMs: 2, mostMs: 20 }
const MOST_KEPT = 10_000

/** For so long, in ms, the blocks of a search are hardly replaced by others. */
const TAKEN_WITHIN_MS = 60_000

/** What the logs of some blocks gave to a wallet. `at`: when, in Unix milliseconds. */
export type RecentSearch = BlockRange & { named: NamedInLogs; at: number }

type Asked = { wallet: EvmAddress; fromBlock: bigint }
/** Of one wallet's last search. `logs`: names of those that it found. */
type Seen = BlockRange & { endpoint: RpcEndpoint; logs: ReadonlySet<string> }

export type RecentSearches = {
  /** Searches the logs of a wallet from a block to the newest one; undefined where no node can be asked for that. */
  searchFrom(chain: Chain, wallet: EvmAddress, fromBlock: bigint): Promise<RecentSearch | undefined>
  /** The last search of a wallet, once, and if it was just now. */
  take(chain: Chain, wallet: EvmAddress): RecentSearch[]
}

const nameOf = ({ blockHash, logIndex }: EventLog): string => `${blockHash} ${logIndex}`

/**
 * Searches of logs that leave beside reads of wallets, for all wallets of the same moment together. An endpoint that
 * answers with a log of blocks that it was asked for before, and did not have then, serves its logs late: it is not asked
 * for recent ones during a while.
 */
export function createRecentSearches({
  pools,
  clock,
  keysToSearch,
}: {
  pools: ReadonlyMap<string, RpcPool>
  clock: Clock
  keysToSearch(chain: string): SearchedKeys
}): RecentSearches {
  const found = new BoundedMap<string, RecentSearch>(MOST_KEPT)
  const seen = new BoundedMap<string, Seen>(MOST_KEPT)
  const batches = new Map<string, (asked: Asked) => Promise<RecentSearch | undefined>>()

  const keyOf = (chain: Chain, wallet: EvmAddress) => `${chain.key} ${wallet}`

  async function search(chain: Chain, asked: readonly Asked[]): Promise<(RecentSearch | undefined)[]> {
    const { logs } = keysToSearch(chain.key)
    const wallets = [...new Set(asked.map(({ wallet }) => wallet))]
    const [fromBlock = 0n] = asked.map((one) => one.fromBlock).toSorted((one, other) => (one < other ? -1 : 1))
    try {
      const recent = await discoverRecent({ pool: ofEnabled(pools, chain.key), fromBlock }, wallets, logs)
      const range = { fromBlock, toBlock: recent.reached }
      return asked.map(({ wallet }) => {
        noteSeen(keyOf(chain, wallet), recent, range, wallet)
        const one = { ...range, named: recent.namedFor(wallet), at: clock.now() }
        found.set(keyOf(chain, wallet), one)
        return one
      })
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      return asked.map(() => undefined)
    }
  }

  function noteSeen(key: string, { endpoint, logsOf }: RecentTokens, range: BlockRange, wallet: EvmAddress): void {
    const last = seen.get(key)
    const logs = logsOf(wallet)
    const isLate = (log: EventLog) =>
      last?.endpoint === endpoint &&
      log.blockNumber >= last.fromBlock &&
      log.blockNumber <= last.toBlock &&
      !last.logs.has(nameOf(log))
    if (logs.some(isLate)) distrustRecent(endpoint)
    seen.set(key, { ...range, endpoint, logs: new Set(logs.map(nameOf)) })
  }

  return {
    searchFrom(chain, wallet, fromBlock) {
      const batch = batches.get(chain.key) ?? createTickBatch((asked) => search(chain, asked), TOGETHER)
      batches.set(chain.key, batch)
      return batch({ wallet, fromBlock })
    },
    take(chain, wallet) {
      const key = keyOf(chain, wallet)
      const last = found.get(key)
      found.delete(key)
      return last && clock.now() - last.at < TAKEN_WITHIN_MS ? [last] : []
    },
  }
}
