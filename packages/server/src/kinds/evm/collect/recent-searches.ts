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
import type { SeenBlock } from '../../seen-block.ts'
import type { EventLog } from '../logs/logs.ts'
import { distrustRecent } from '../logs/recent-logs.ts'
import { discoverRecent, type NamedInLogs, type RecentTokens } from '../logs/token-discovery.ts'
import type { SearchedKeys } from './wallet-keys.ts'

/** The reads beside which they leave are gathered as long. */
const TOGETHER: Gathering = { quietMs: 2, mostMs: 20 }
const MOST_KEPT = 10_000

/** Before the block at which the last search ended: logs of so many blocks show whether they came late. */
const BLOCKS_AGAIN = 16n
/** Blocks at which searches ended that are compared in one exchange; wallets of others are not searched. */
const MOST_HEADS = 16
/** For so long, in ms, the blocks of a search are hardly replaced by others. */
const TAKEN_WITHIN_MS = 60_000

/**
 * What the logs of some blocks gave to a wallet. `after`: where its last search had ended, which the endpoint has.
 * `servedBy`: its label; `at`: in Unix milliseconds.
 */
export type RecentSearch = BlockRange & { named: NamedInLogs; after: SeenBlock; servedBy: string; at: number }

type Asked = { wallet: EvmAddress; after: SeenBlock }
/** Of one wallet's last search. `logs`: names of those that it found. */
type Seen = BlockRange & { endpoint: RpcEndpoint; logs: ReadonlySet<string> }

export type RecentSearches = {
  /**
   * Searches the logs of a wallet from where its last search ended to the newest block; undefined where no endpoint can be
   * asked for that, or its chain has another block there.
   */
  searchAfter(chain: Chain, wallet: EvmAddress, after: SeenBlock): Promise<RecentSearch | undefined>
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
    const blocks = [...new Set(asked.map(({ after }) => after.block))].toSorted((one, other) => (one > other ? -1 : 1))
    const compared = blocks.slice(0, MOST_HEADS)
    const searched = asked.filter(({ after }) => compared.includes(after.block))
    const wallets = [...new Set(searched.map(({ wallet }) => wallet))]
    const first = (compared.at(-1) ?? 0n) - BLOCKS_AGAIN
    const fromBlock = first > 0n ? first : 0n
    try {
      const scan = { pool: ofEnabled(pools, chain.key), fromBlock, blocks: compared }
      const recent = await discoverRecent(scan, wallets, logs)
      const range = { fromBlock, toBlock: recent.reached }
      return asked.map(({ wallet, after }) => {
        if (recent.hashAt.get(after.block) !== after.hash) return undefined
        noteSeen(keyOf(chain, wallet), recent, range, wallet)
        const of = { named: recent.namedFor(wallet), after, servedBy: recent.endpoint.label, at: clock.now() }
        const one = { ...range, ...of }
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
    searchAfter(chain, wallet, after) {
      const batch = batches.get(chain.key) ?? createTickBatch((asked) => search(chain, asked), TOGETHER)
      batches.set(chain.key, batch)
      return batch({ wallet, after })
    },
    take(chain, wallet) {
      const key = keyOf(chain, wallet)
      const last = found.get(key)
      found.delete(key)
      return last && clock.now() - last.at < TAKEN_WITHIN_MS ? [last] : []
    },
  }
}
