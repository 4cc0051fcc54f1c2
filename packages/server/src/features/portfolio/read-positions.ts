import type { EvmReader, Scan } from '../../chains/evm/evm-reader.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import type { Position } from '../../domain/position.ts'
import type { ReadGap, WalletRead } from '../../domain/wallet-read.ts'
import type { Logger } from '../../lib/logger.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Adapter, HeldInstrument } from '../../protocols/adapter.ts'
import type { KnownAdapter } from './instruments.ts'

type Found = { positions: Position[]; gaps: ReadGap[] }

/**
 * The wallet's positions in every protocol of a chain. A protocol that cannot be read keeps the positions of the read
 * before and is marked; it never becomes nothing. A node that fails rejects.
 */
export async function readPositions(
  rows: readonly KnownAdapter[],
  scope: {
    reader: EvmReader
    wallet: EvmAddress
    scan: Scan
    before: WalletRead | undefined
    /** Of the past: whether all that a protocol is made of now was there already. */
    isWhole?: (adapter: Adapter) => Promise<boolean>
    log: Logger
  },
): Promise<Found> {
  const outcomes = await Promise.all(
    rows.map(async (row): Promise<Found> => {
      try {
        return { positions: await readRow(row, scope), gaps: [] }
      } catch (err) {
        if (isNodeFailure(err)) throw err
        if (scope.isWhole && holdsNothing(row, scope.scan) && !(await scope.isWhole(row.adapter))) return NOTHING
        scope.log.warn({ err, chain: row.adapter.chain, protocol: row.adapter.key }, 'a protocol could not be read')
        return lastGood(row.adapter.key, scope.before, err)
      }
    }),
  )
  return {
    positions: outcomes.flatMap((outcome) => outcome.positions),
    gaps: outcomes.flatMap((outcome) => outcome.gaps),
  }
}

const NOTHING: Found = { positions: [], gaps: [] }

/** In a protocol that was not all there yet, who has none of its instruments has nothing. */
function holdsNothing({ instruments }: KnownAdapter, scan: Scan): boolean {
  return instruments?.every(({ address }) => !scan.balances.has(address) && !scan.failed.has(address)) ?? false
}

/**
 * A node that fails, fails the wave that all protocols share: nothing of it can be told. What a node is able to answer but
 * does not allow (a lens) concerns the protocol that needs it.
 */
const isNodeFailure = (err: unknown) => err instanceof UpstreamError && err.reason !== 'not-allowed'

async function readRow(
  { adapter, instruments }: KnownAdapter,
  { reader, wallet, scan }: { reader: EvmReader; wallet: EvmAddress; scan: Scan },
): Promise<Position[]> {
  if (!instruments) throw new Error('the contracts of the protocol are not known yet')
  const failed = instruments.find((instrument) => scan.failed.has(instrument.address))
  if (failed) throw new Error(`the balance of ${failed.address} could not be read`)
  const held = instruments.flatMap((instrument): HeldInstrument[] => {
    const balanceRaw = scan.balances.get(instrument.address)
    return balanceRaw === undefined ? [] : [{ ...instrument, balanceRaw }]
  })
  if (held.length === 0 && !adapter.readsEveryWallet) return []
  return adapter.positions(reader, wallet, held, instruments)
}

/** What a protocol that failed keeps of the read before, marked. */
export function lastGood(protocol: string, before: WalletRead | undefined, err: unknown): Found {
  const positions = (before?.positions ?? []).filter((position) => position.protocol === protocol)
  if (positions.length > 0) return { positions, gaps: [{ protocol, reason: 'stale' }] }
  const notAllowed = err instanceof UpstreamError && err.reason === 'not-allowed'
  return { positions: [], gaps: [{ protocol, reason: notAllowed ? 'not-allowed' : 'unreadable' }] }
}

/** Each gap once, whatever the number of rows that have it. */
export function uniqueGaps(gaps: readonly ReadGap[]): ReadGap[] {
  return [...new Map(gaps.map((gap) => [`${gap.protocol} ${gap.reason}`, gap])).values()]
}
