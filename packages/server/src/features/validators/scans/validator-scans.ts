import type { BeaconPool } from '../../../beacon/beacon-pool.ts'
import { beaconBlockRequest } from '../../../beacon/block-requests.ts'
import type { ExecutionReading } from '../../../chains/execution-reading.ts'
import { timeOfEpoch } from '../../../domain/beacon-time.ts'
import { searchBack } from '../../../domain/search-back.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { type BeaconFacts, MAINNET_ROOT, slotOfBlock } from '../beacon-chain.ts'
import type { ScanContext } from '../context.ts'
import { DEPOSIT_PIECE_BLOCKS, searchDeposits } from '../deposits/deposits.ts'
import { placeDeposits } from '../deposits/place-deposits.ts'
import { searchWithdrawals, WITHDRAWAL_PIECE_BLOCKS } from '../withdrawals.ts'
import type { MissingBlocks, Scan, ScanStore } from './scan-store.ts'

/** Creation of mainnet's deposit contract. */
const MAINNET_FIRST_DEPOSITS = 11_052_984n

export async function scanWithdrawals(context: ScanContext, signal: AbortSignal): Promise<void> {
  await scanAll(context, 'withdrawals', async (facts, final) => {
    const plan = {
      scan: context.withdrawals.scan,
      pieceBlocks: WITHDRAWAL_PIECE_BLOCKS,
      findFirstBlock: () => findFirstWithdrawals(context, facts, final),
      search: (missing: MissingBlocks) => searchWithdrawals(context, facts.times, missing),
    }
    await scanBlocks(plan, final, signal)
  })
}

export async function scanDeposits(context: ScanContext, signal: AbortSignal): Promise<void> {
  await scanAll(context, 'deposits', async (facts, final) => {
    const contract = facts.spec.depositContract
    if (contract === null) throw new UpstreamError('invalid', 'the node does not name the deposit contract')
    const plan = {
      scan: context.deposits.scan,
      pieceBlocks: DEPOSIT_PIECE_BLOCKS,
      findFirstBlock: async () => (facts.genesisValidatorsRoot === MAINNET_ROOT ? MAINNET_FIRST_DEPOSITS : 0n),
      search: (missing: MissingBlocks) => searchDeposits(context, facts, contract, missing),
    }
    await scanBlocks(plan, final, signal)
    await placeDeposits(context.pool, context.deposits, final.slot, signal)
  })
}

async function scanAll(
  { reach, store, pool, execution, chain, log }: ScanContext,
  what: string,
  work: (facts: BeaconFacts, final: FinalBlock) => Promise<void>,
): Promise<void> {
  if (reach === 'tracked' && !(await store.hasTracked())) return
  try {
    const facts = await chain.facts()
    await work(facts, await readFinalBlock(pool, execution, facts))
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err
    log.warn({ err }, `the ${what} of validators could not all be read; the next round continues`)
  }
}

/** Withdrawals begin with Capella. */
async function findFirstWithdrawals({ execution }: ScanContext, { times, spec }: BeaconFacts, final: FinalBlock) {
  const none = final.number + 1n
  if (spec.forkEpochs.capella === null) return none
  const { block } = await execution.blockAt(timeOfEpoch(times, spec.forkEpochs.capella))
  if (!block) return none
  // The genesis block of the execution chain pays nothing.
  return block.number > 0n ? block.number : 1n
}

/** `search` may leave older blocks for a later call. */
type ScanPlan = {
  scan: ScanStore
  pieceBlocks: bigint
  findFirstBlock(): Promise<bigint>
  search(missing: MissingBlocks): Promise<void>
}

/** Each piece is stored, so the next run resumes. Rejects with `UpstreamError`. */
export async function scanBlocks(plan: ScanPlan, final: FinalBlock, signal: AbortSignal): Promise<void> {
  const { scan, pieceBlocks, findFirstBlock, search } = plan
  const known = await scan.find()
  const isKnown = known !== undefined && known.firstBlock <= known.finalBlock
  const firstBlock = isKnown ? known.firstBlock : await findFirstBlock()
  const whole: Scan = { firstBlock, finalBlock: final.number, finalSlot: final.slot }
  await scan.begin(whole)
  const findMissing = () => (signal.aborted ? [] : scan.missing(whole))
  for await (const { piece } of searchBack(findMissing, { first: pieceBlocks, largest: pieceBlocks }))
    await search(piece)
}

export type FinalBlock = { number: bigint; slot: number }

/** Rejects nodes of different networks: no results would look like an answer. */
export async function readFinalBlock(pool: BeaconPool, execution: ExecutionReading, { times, spec }: BeaconFacts) {
  const block = await pool.request(beaconBlockRequest('finalized'))
  if (!block) throw new UpstreamError('unavailable', 'a beacon node does not have its final block')
  if (block.executionPayload) {
    const number = BigInt(block.executionPayload.blockNumber)
    const [named] = await execution.blocks([number])
    if (named?.hash !== block.executionPayload.blockHash) throw ofAnotherChain()
    return { number, slot: block.slot }
  }
  // Since Gloas beacon blocks have no payload: the chain ID proves the network, the time gives the slot.
  if ((await execution.chainId()) !== spec.depositChainId) throw ofAnotherChain()
  const { number, timestamp } = await execution.finalBlock()
  return { number, slot: slotOfBlock(times, timestamp) }
}

const ofAnotherChain = () =>
  new UpstreamError('invalid', 'the execution node and the beacon node are of different chains')
