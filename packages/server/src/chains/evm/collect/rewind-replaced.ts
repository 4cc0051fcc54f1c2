import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { StoredHistories } from '../../histories.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { PresentChain, SeenBlock } from '../../seen-block.ts'
import { askPresence, type ListedBlock } from '../blocks.ts'

/** `aloneIsEnough`: the operator's own chain, which may be restarted. */
type Present = {
  of: WalletOnChain
  store: StoredHistories
  pool: RpcPool
  head: ListedBlock
  hashAt: PresentChain['hashAt']
  aloneIsEnough: boolean
}

class ReplacedChain extends UpstreamError {
  readonly range: BlockRange

  constructor(reason: UpstreamError['reason'], why: string, range: BlockRange) {
    const advice = 'name a second endpoint, or run "coffer-admin wallet forget" with --histories'
    super(reason, `${why}, deeper than it ever is; the history is kept: ${advice}`)
    this.range = range
  }
}

/** Rejects with `UpstreamError`. */
export async function rewindReplaced(present: Present, seen: readonly SeenBlock[]): Promise<void> {
  const { store, of } = present
  try {
    const kept = await newestThere(present, seen)
    const replaced = kept ? seen.slice(0, seen.indexOf(kept)) : seen
    if (replaced.length === 0) return
    // Trusts blocks without a stored hash while no stored hash contradicts the chain.
    const fromBlock = kept ? kept.block + 1n : 0n
    await assertAgreed(present, replaced, fromBlock)
    await store.rewind(of, fromBlock)
  } catch (error) {
    if (error instanceof ReplacedChain) await store.markReplaced(of, error.range)
    throw error
  }
}

async function newestThere(present: Present, seen: readonly SeenBlock[]): Promise<SeenBlock | undefined> {
  for (const block of seen) {
    if (block.block > present.head.number) await assertShorter(present, block)
    else if ((await present.hashAt(block.block)) === block.hash) return block
  }
  return undefined
}

/** A lower but later head means a shorter chain; otherwise the node lags. */
async function assertShorter({ of, store, pool, head, aloneIsEnough }: Present, newest: SeenBlock): Promise<void> {
  const storedTime = await store.findTime(of)
  if (storedTime !== undefined && storedTime < head.timestamp) return
  const isDeep = newest.block - head.number >= pool.finality
  if (!isDeep || aloneIsEnough) throw new UpstreamError('unavailable', 'the node does not know the block')
  const why = `the newest block of ${pool.chain} is ${head.number}, below block ${newest.block} that was seen`
  throw new ReplacedChain('unavailable', why, { fromBlock: head.number + 1n, toBlock: newest.block })
}

/**
 * Believes one endpoint about a reorg no deeper than finality. Deeper, two must agree and none have the seen blocks: a
 * node of another fork would delete a paid history.
 */
async function assertAgreed(
  { pool, aloneIsEnough }: Present,
  replaced: readonly SeenBlock[],
  fromBlock: bigint,
): Promise<void> {
  const [newest, lowest] = [replaced[0], replaced.at(-1)]
  if (!newest || !lowest || aloneIsEnough || newest.block - fromBlock < pool.finality) return
  const { there, ...not } = await askPresence(pool, lowest)
  if (there === 0 && not.replaced + not.unknown >= 2) return
  const why = there > 0 ? 'endpoints disagree whether' : 'one endpoint alone says that'
  const range = { fromBlock, toBlock: newest.block }
  throw new ReplacedChain('invalid', `${why} ${pool.chain} was replaced from block ${fromBlock} on`, range)
}
