import type { Address } from '../../../domain/address.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { NotFoundYet } from '../../../domain/not-found-yet.ts'
import type { Position } from '../../../domain/position.ts'
import type { ReadGap, WalletRead } from '../../../domain/wallet-read.ts'
import type { Logger } from '../../../lib/logger.ts'
import { isNodeFailure } from '../../../lib/upstream-error.ts'
import { type FoundPositions, keptOrMissing, lastGood } from '../../shared/protocol-gaps.ts'
import type {
  HeldContract,
  KnownDeployment,
  LeftOut,
  PositionId,
  ProtocolContract,
  ProtocolDeployment,
  SubAccount,
} from '../protocols/adapter.ts'
import type { EvmReader, Scan } from '../reader/evm-reader.ts'
import type { Refused } from './receipt-directory.ts'
import { type FoundKeys, type FurtherScans, keysOf } from './wallet-keys.ts'

export type PositionScope = {
  reader: EvmReader
  wallet: EvmAddress
  scan: Scan
  probed: Probed
  keys: FoundKeys
  further: FurtherScans
  before: WalletRead | undefined
  isTrusted: (deployment: ProtocolDeployment, protocolContract: ProtocolContract) => boolean
  /** For past blocks: all present contracts existed. */
  isWhole?: (deployment: ProtocolDeployment) => Promise<boolean>
  refused?: Refused
  log: Logger
}

/** `unreported`: held untrusted contracts that refused to be read. */
type ReadPositions = FoundPositions & { unreported: ReadonlySet<Address> }

/**
 * A failed protocol keeps its earlier positions, marked; with `eachAlone`, only failed contracts do. An untrusted
 * contract's failure leaves no gap. Rejects if a node fails.
 */
export async function readPositions(rows: readonly KnownDeployment[], scope: PositionScope): Promise<ReadPositions> {
  const outcomes = await Promise.all(
    rows.map(async (row): Promise<ReadPositions> => {
      try {
        return await readRow(row, scope)
      } catch (err) {
        if (isNodeFailure(err)) throw err
        if (scope.isWhole && holdsNothing(row, scope) && !(await scope.isWhole(row.deployment))) return NOTHING
        scope.log.warn(
          { err, chain: row.deployment.chain, protocol: row.deployment.key },
          'a protocol could not be read; its last known positions are kept',
        )
        return { ...NOTHING, ...lastGood(row.deployment.key, scope.before, err) }
      }
    }),
  )
  return {
    positions: outcomes.flatMap((outcome) => outcome.positions),
    gaps: outcomes.flatMap((outcome) => outcome.gaps),
    unreported: new Set(outcomes.flatMap((outcome) => [...outcome.unreported])),
  }
}

const NOTHING: ReadPositions = { positions: [], gaps: [], unreported: new Set() }

/** Before complete deployment, a wallet without its contracts had nothing there. */
function holdsNothing({ protocolContracts }: KnownDeployment, { scan, probed }: PositionScope): boolean {
  const seen = [scan.balances, scan.failed, probed.found, probed.failed]
  return protocolContracts?.every(({ address }) => seen.every((some) => !some.has(address))) ?? false
}

async function readRow(
  { deployment, protocolContracts }: KnownDeployment,
  scope: PositionScope,
): Promise<ReadPositions> {
  const { reader, wallet } = scope
  if (!protocolContracts) throw new Error('the contracts of the protocol are not known yet')
  const left = createLeftOut(deployment, scope)
  for (const protocolContract of protocolContracts) {
    const error = failureOf(protocolContract, scope)
    if (error === undefined) continue
    if (!deployment.adapter.eachAlone && scope.isTrusted(deployment, protocolContract)) throw error
    left.out(error, protocolContract)
  }
  const held = protocolContracts.flatMap((protocolContract) => heldOf(protocolContract, scope))
  const { keys, leftOut } = keysOfRow(deployment, scope, left.out)
  if (held.length === 0 && keys.length === 0 && !deployment.adapter.readsEveryWallet) return left.found
  const further = furtherOf(deployment, protocolContracts, scope.further, left.out)
  const positions = await deployment.positions(reader, wallet, { held, protocolContracts, keys, further, leftOut })
  return { ...left.found, positions: [...positions, ...left.found.positions] }
}

function keysOfRow(
  deployment: ProtocolDeployment,
  scope: PositionScope,
  leftOut: LeftOut,
): { keys: PositionId[]; leftOut: LeftOut } {
  const { keys, cut } = keysOf(deployment, scope.keys)
  const [contract] = cut
  if (contract === undefined) return { keys, leftOut }
  const tooMany = new Error(`logs of ${contract} name more keys of the wallet than are read`)
  if (!deployment.adapter.provesKeys) leftOut(tooMany)
  return {
    keys,
    leftOut: (why, ...of) => leftOut(why instanceof NotFoundYet ? tooMany : why, ...of),
  }
}

export function furtherOf(
  deployment: ProtocolDeployment,
  protocolContracts: readonly ProtocolContract[],
  scans: FurtherScans,
  leftOut: LeftOut,
): SubAccount[] {
  const { owners, cut } = scans.get(deployment) ?? { owners: [], cut: false }
  if (cut) leftOut(new Error('the wallet has more sub-accounts than are read'))
  return owners.map(({ address, scan }) => {
    for (const protocolContract of protocolContracts) {
      if (scan.failed.has(protocolContract.address))
        leftOut(new Error(`a balance of ${address} could not be read`), protocolContract)
    }
    return {
      address,
      held: protocolContracts.flatMap((protocolContract) => heldOf(protocolContract, { scan, probed: NOT_PROBED })),
    }
  })
}

const NOT_PROBED: Probed = { found: new Set(), failed: new Map() }

function failureOf({ address }: ProtocolContract, { scan, probed }: PositionScope): unknown {
  if (scan.failed.has(address)) return new Error(`the balance of ${address} could not be read`)
  return probed.failed.get(address)
}

export function heldOf(
  protocolContract: ProtocolContract,
  { scan, probed }: { scan: Scan; probed: Probed },
): HeldContract[] {
  const { address } = protocolContract
  const balanceRaw = scan.balances.get(address) ?? (probed.found.has(address) ? 0n : undefined)
  return balanceRaw === undefined || probed.failed.has(address) ? [] : [{ ...protocolContract, balanceRaw }]
}

function createLeftOut(deployment: ProtocolDeployment, { before, log, refused, isTrusted }: PositionScope) {
  const { chain, key: protocol } = deployment
  const unreported = new Set<Address>()
  const found = { positions: [] as Position[], gaps: [] as ReadGap[], unreported }
  const reported = new Set<Address>()
  const lastGoodOf = (address: Address) =>
    (before?.positions ?? []).filter((position) => position.protocol === protocol && position.pool === address)

  function noteGap(err: unknown, address: Address | undefined, last: Position[]): void {
    log.warn(
      { err, chain, protocol, ...(address && { address }) },
      'part of a protocol could not be read; its last known positions are kept',
    )
    const part = keptOrMissing(protocol, last, err)
    found.positions.push(...part.positions)
    found.gaps.push(...part.gaps)
  }

  const out: LeftOut = (err, protocolContract, part) => {
    if (!protocolContract) return noteGap(err, undefined, [])
    const { address } = protocolContract
    if (reported.has(address)) return
    reported.add(address)
    if (isTrusted(deployment, protocolContract)) return noteGap(err, address, part ? [] : lastGoodOf(address))
    if (part) return
    unreported.add(address)
    refused?.(deployment, protocolContract)
  }
  return { found, out }
}

export type Probed = { found: ReadonlySet<EvmAddress>; failed: ReadonlyMap<EvmAddress, unknown> }

/** Issues every read before it returns, to leave with the scan. Rejects if a node fails. */
export async function probeContracts(
  rows: readonly KnownDeployment[],
  reader: EvmReader,
  wallet: EvmAddress,
): Promise<Probed> {
  const found = new Set<EvmAddress>()
  const failed = new Map<EvmAddress, unknown>()
  const ask = async ({ adapter, deployment }: ProtocolDeployment, protocolContract: ProtocolContract) => {
    try {
      if (await adapter.probe?.({ reader, deployment, wallet, protocolContract })) found.add(protocolContract.address)
    } catch (error) {
      if (isNodeFailure(error)) throw error
      failed.set(protocolContract.address, error)
    }
  }
  const probed = rows.filter(({ deployment }) => deployment.adapter.probe)
  await Promise.all(
    probed.flatMap(({ deployment, protocolContracts = [] }) => protocolContracts.map((one) => ask(deployment, one))),
  )
  return { found, failed }
}
