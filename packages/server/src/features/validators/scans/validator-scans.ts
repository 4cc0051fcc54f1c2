import type { BeaconPool } from '../../../beacon/beacon-pool.ts'
import type { ExecutionReading } from '../../../chains/execution-reading.ts'
import { timeOfEpoch } from '../../../domain/beacon-time.ts'
import { searchBack } from '../../../domain/search-back.ts'
import type { Logger } from '../../../lib/logger.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { type BeaconChain, MAINNET_ROOT } from '../beacon-chain.ts'
import type { DepositStore } from '../deposits/deposit-store.ts'
import { createSearchDeposits, DEPOSIT_PIECE_BLOCKS } from '../deposits/deposits.ts'
import { placeDeposits } from '../deposits/place-deposits.ts'
import type { ValidatorStore } from '../validator-store.ts'
import { createSearchWithdrawals, WITHDRAWAL_PIECE_BLOCKS, type WithdrawalStore } from '../withdrawals.ts'
import { type FinalBlock, readFinalBlock } from './final-block.ts'
import type { Scan, ScanReach, ScanStore } from './scan-store.ts'

/** Creation of mainnet's deposit contract. */
const MAINNET_FIRST_DEPOSITS = 11_052_984n

type Round = (signal: AbortSignal) => Promise<void>

/** A round ends when nothing is left, on abort, or when a node fails. */
export function createValidatorScans({
  reach,
  tracked,
  withdrawals,
  deposits,
  beacon,
  execution,
  chain,
  log,
}: {
  /** Must be the reach of both stores. */
  reach: ScanReach
  tracked: Pick<ValidatorStore, 'hasTracked' | 'findIndices'>
  withdrawals: WithdrawalStore
  deposits: DepositStore
  beacon: BeaconPool
  execution: ExecutionReading
  chain: Pick<BeaconChain, 'facts'>
  log: Pick<Logger, 'warn'>
}): { scanWithdrawals: Round; scanDeposits: Round } {
  function round(what: string, work: (final: FinalBlock, signal: AbortSignal) => Promise<void>): Round {
    return async (signal) => {
      if (reach === 'tracked' && !(await tracked.hasTracked())) return
      try {
        await work(await readFinalBlock({ beacon, execution, facts: await chain.facts() }), signal)
      } catch (err) {
        if (!(err instanceof UpstreamError)) throw err
        log.warn({ err }, `the ${what} of validators could not all be read; the next round continues`)
      }
    }
  }

  /** Withdrawals begin with Capella. */
  async function findFirstWithdrawals(final: FinalBlock): Promise<bigint> {
    const { times, spec } = await chain.facts()
    const none = final.number + 1n
    if (spec.forkEpochs.capella === null) return none
    const { block } = await execution.blockAt(timeOfEpoch(times, spec.forkEpochs.capella))
    if (!block) return none
    // The genesis block of the execution chain pays nothing.
    return block.number > 0n ? block.number : 1n
  }

  const scanWithdrawals = round('withdrawals', async (final, signal) => {
    const { times } = await chain.facts()
    await scanBlocks(
      {
        scan: withdrawals.scan,
        final,
        pieceBlocks: WITHDRAWAL_PIECE_BLOCKS,
        findFirstBlock: () => findFirstWithdrawals(final),
        search: createSearchWithdrawals({ store: withdrawals, execution, times }),
      },
      signal,
    )
  })

  const scanDeposits = round('deposits', async (final, signal) => {
    const { times, spec, genesisValidatorsRoot } = await chain.facts()
    if (spec.depositContract === null) throw new UpstreamError('invalid', 'the node does not name the deposit contract')
    const contract = spec.depositContract
    const electraEpoch = spec.forkEpochs.electra
    await scanBlocks(
      {
        scan: deposits.scan,
        final,
        pieceBlocks: DEPOSIT_PIECE_BLOCKS,
        findFirstBlock: async () => (genesisValidatorsRoot === MAINNET_ROOT ? MAINNET_FIRST_DEPOSITS : 0n),
        search: createSearchDeposits({
          store: deposits,
          execution,
          times,
          contract,
          electraEpoch,
          findIndices: tracked.findIndices,
        }),
      },
      signal,
    )
    await placeDeposits({ store: deposits, pool: beacon }, final.slot, signal)
  })

  return { scanWithdrawals, scanDeposits }
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
    search: SearchBlocks
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
