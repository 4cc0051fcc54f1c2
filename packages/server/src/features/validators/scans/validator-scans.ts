import { timeOfEpoch } from '../../../domain/beacon-time.ts'
import { searchBack } from '../../../domain/search-back.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { MAINNET_ROOT } from '../beacon-chain.ts'
import type { ScanContext } from '../context.ts'
import { DEPOSIT_PIECE_BLOCKS, searchDeposits } from '../deposits/deposits.ts'
import { placeDeposits } from '../deposits/place-deposits.ts'
import { searchWithdrawals, WITHDRAWAL_PIECE_BLOCKS } from '../withdrawals.ts'
import { type FinalBlock, readFinalBlock } from './final-block.ts'
import type { MissingBlocks, Scan, ScanStore } from './scan-store.ts'

/** Creation of mainnet's deposit contract. */
const MAINNET_FIRST_DEPOSITS = 11_052_984n

export async function scanWithdrawals(context: ScanContext, signal: AbortSignal): Promise<void> {
  const { chain, withdrawals } = context
  await scan(context, 'withdrawals', async (final) => {
    const { times } = await chain.facts()
    await scanBlocks(
      {
        scan: withdrawals.scan,
        final,
        pieceBlocks: WITHDRAWAL_PIECE_BLOCKS,
        findFirstBlock: () => findFirstWithdrawals(context, final),
        search: (missing) => searchWithdrawals(context, times, missing),
      },
      signal,
    )
  })
}

export async function scanDeposits(context: ScanContext, signal: AbortSignal): Promise<void> {
  const { chain, deposits } = context
  await scan(context, 'deposits', async (final) => {
    const facts = await chain.facts()
    const contract = facts.spec.depositContract
    if (contract === null) throw new UpstreamError('invalid', 'the node does not name the deposit contract')
    await scanBlocks(
      {
        scan: deposits.scan,
        final,
        pieceBlocks: DEPOSIT_PIECE_BLOCKS,
        findFirstBlock: async () => (facts.genesisValidatorsRoot === MAINNET_ROOT ? MAINNET_FIRST_DEPOSITS : 0n),
        search: (missing) => searchDeposits(context, facts, contract, missing),
      },
      signal,
    )
    await placeDeposits(context, final.slot, signal)
  })
}

async function scan(
  { reach, store, pool, execution, chain, log }: ScanContext,
  what: string,
  work: (final: FinalBlock) => Promise<void>,
): Promise<void> {
  if (reach === 'tracked' && !(await store.hasTracked())) return
  try {
    await work(await readFinalBlock(pool, execution, await chain.facts()))
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err
    log.warn({ err }, `the ${what} of validators could not all be read; the next round continues`)
  }
}

/** Withdrawals begin with Capella. */
async function findFirstWithdrawals({ chain, execution }: ScanContext, final: FinalBlock): Promise<bigint> {
  const { times, spec } = await chain.facts()
  const none = final.number + 1n
  if (spec.forkEpochs.capella === null) return none
  const { block } = await execution.blockAt(timeOfEpoch(times, spec.forkEpochs.capella))
  if (!block) return none
  // The genesis block of the execution chain pays nothing.
  return block.number > 0n ? block.number : 1n
}

/** Each piece is stored, so the next run resumes. Ends early on abort; rejects with `UpstreamError`. */
export async function scanBlocks(
  {
    scan,
    final,
    findFirstBlock,
    pieceBlocks,
    search,
  }: {
    scan: ScanStore
    final: FinalBlock
    findFirstBlock(): Promise<bigint>
    pieceBlocks: bigint
    /** May leave older blocks for a later call. */
    search(missing: MissingBlocks): Promise<void>
  },
  signal: AbortSignal,
): Promise<void> {
  const known = await scan.find()
  const isKnown = known !== undefined && known.firstBlock <= known.finalBlock
  const firstBlock = isKnown ? known.firstBlock : await findFirstBlock()
  const whole: Scan = { firstBlock, finalBlock: final.number, finalSlot: final.slot }
  await scan.begin(whole)
  const findMissing = () => (signal.aborted ? [] : scan.missing(whole))
  for await (const { piece } of searchBack(findMissing, { first: pieceBlocks, largest: pieceBlocks }))
    await search(piece)
}
