import type { Address } from '../../../domain/address.ts'
import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { TransactionType, Treatment } from '../../../domain/transaction.ts'
import { isGiven, isReceived, legOf, sizeOf } from '../../legs.ts'
import type { NamedLeg } from '../../naming.ts'
import { type Change, changesOf, type Part, type Remainder, transfersOf, vaultStepOf, wrapOf } from './changes.ts'
import { withoutWrap } from './contract-directory.ts'
import type { Purpose } from './protocol-history.ts'
import type { Scene } from './scene.ts'

export const PURPOSE_TYPES: Readonly<Record<Purpose, readonly [into: TransactionType, back: TransactionType]>> = {
  lend: ['LEND', 'WITHDRAW'],
  deposit: ['DEPOSIT', 'WITHDRAW'],
  stake: ['STAKE', 'UNSTAKE'],
  unstake: ['UNSTAKE', 'WITHDRAW'],
  wrap: ['WRAP', 'UNWRAP'],
  liquidity: ['ADDLIQUIDITY', 'REMOVELIQUIDITY'],
  borrow: ['BORROW', 'REPAYVAULT'],
}

type Receipt = {
  token: EvmAddress
  protocol: string | null
  purpose: Purpose
  nativePurpose?: Purpose | undefined
  underlyings: readonly EvmAddress[]
  pair?: string | undefined
}

/** Receipts that were not minted or burned in this transaction are ordinary tokens. */
export function purposeLegs(scene: Scene, rest: Remainder): NamedLeg<Change>[] {
  const receipts = receiptsAmong(rest.all(), scene)
  if (receipts.length === 0) return []
  const isFromContract = madeOrEnded(scene)
  const legs: NamedLeg<Change>[] = []
  for (const side of [isReceived, isGiven]) {
    for (const receipt of receipts) {
      // Protocols also move wrapped coin: a wrap needs native coin in the other direction.
      const hasNative = rest.all().some((part) => part.token === NATIVE && !side(part))
      if (receipt.token === scene.directory.wrappedNative && !hasNative) continue
      const together = receipts.filter((one) => one === receipt || (receipt.pair && one.pair === receipt.pair))
      const isOwn = (part: Part) => together.some(({ token }) => token === part.token)
      const own = rest.take((part) => isOwn(part) && side(part) && isFromContract(part))
      if (own.length > 0) legs.push(...purposeLeg(scene, rest, receipt, own))
    }
  }
  return legs
}

/** Wrapped coin comes last: a protocol may have moved it. */
function receiptsAmong(parts: readonly Part[], scene: Scene): Receipt[] {
  const tokens = [...new Set(parts.map(({ token }) => token))]
  const receipts = tokens.flatMap((token) => receiptOf(token, scene) ?? [])
  const { wrappedNative } = scene.directory
  return receipts.toSorted((a, b) => Number(a.token === wrappedNative) - Number(b.token === wrappedNative))
}

function receiptOf(token: EvmAddress, scene: Scene): Receipt | undefined {
  const { directory } = scene
  const known = directory.protocolContractOf(token)
  const purpose = known?.deployment.history.purposes[known.protocolContract.role]
  if (known && purpose && purpose !== 'borrow') {
    const { deployment, protocolContract } = known
    const nativePurpose = deployment.history.nativePurposes?.[protocolContract.role]
    const pair = deployment.history.pairOf?.(protocolContract)
    return { token, protocol: deployment.key, purpose, nativePurpose, underlyings: protocolContract.underlyings, pair }
  }
  if (token !== directory.wrappedNative) return vaultOf(token, scene)
  return { token, protocol: null, purpose: 'wrap', underlyings: [NATIVE] }
}

/** Recognises an unlisted vault by its share logs and a transfer of exactly their assets. */
function vaultOf(token: EvmAddress, { tx, directory }: Scene): Receipt | undefined {
  const steps = tx.logs.flatMap((log) => (log.address === token ? (vaultStepOf(log) ?? []) : []))
  if (steps.length === 0) return undefined
  const moved = tx.logs.flatMap(transfersOf).filter((one) => one.token !== token && one.tokenId === null)
  const underlyings = moved.filter(({ amountRaw }) => steps.some(({ assetsRaw }) => assetsRaw === amountRaw))
  if (underlyings.length === 0) return undefined
  return {
    token,
    protocol: directory.protocolOf(token) ?? null,
    purpose: 'deposit',
    underlyings: [...new Set(underlyings.map((one) => one.token))],
  }
}

/** Units come from the zero address, the token's contract or a logging minter, also through a router. */
function madeOrEnded(scene: Scene): (part: Part) => boolean {
  const { tx, wallet, directory } = scene
  const makers = makersOf(tx, directory)
  const dealers = dealersOf(tx, directory, makers)
  return (part) => {
    const isContract = ({ token, counterparty }: Change) =>
      counterparty === NATIVE || counterparty === token || makers.has(`${token} ${counterparty}`)
    if (isContract(part)) return true
    if (part.counterparty === wallet || !dealers.has(`${part.token} ${part.counterparty}`)) return false
    return changesOf({ ...scene, wallet: part.counterparty }).some(
      (change) => change.token === part.token && isContract(change) && change.amountRaw > 0n === part.amountRaw > 0n,
    )
  }
}

function makersOf({ logs }: Scene['tx'], directory: Scene['directory']): ReadonlySet<string> {
  return new Set(
    logs.flatMap((log) => {
      const token = directory.deploymentOf(log.address)?.history.makes?.(log)
      return token ? [`${token} ${log.address}`] : []
    }),
  )
}

/** Includes interest, which `changesOf` leaves out. */
function dealersOf(
  { logs }: Scene['tx'],
  { wrappedNative }: Scene['directory'],
  makers: ReadonlySet<string>,
): ReadonlySet<string> {
  const ends = (token: EvmAddress, one: EvmAddress, other: EvmAddress) =>
    one === NATIVE || one === token || makers.has(`${token} ${one}`) ? [`${token} ${other}`] : []
  const wraps = logs.flatMap((log) => (log.address === wrappedNative ? (wrapOf(log) ?? []) : []))
  return new Set(
    [...logs.flatMap(transfersOf), ...wraps].flatMap(({ token, from, to }) => [
      ...ends(token, from, to),
      ...ends(token, to, from),
    ]),
  )
}

type Exchanged = { scene: Scene; receipt: Receipt; put: boolean; own: readonly Part[]; isOpposite(part: Part): boolean }

export const RECEIPT_RULES: readonly {
  name: string
  take(rest: Remainder, exchanged: Exchanged): readonly Part[]
  purpose(exchanged: Exchanged, taken: readonly Part[]): Purpose
  treatment(exchanged: Exchanged): Treatment
}[] = [
  { name: 'receipt for its underlying', take: takeUnderlying, purpose: purposeFor, treatment: () => 'move' },
  {
    name: 'receipt for other tokens',
    take: (rest, { scene, isOpposite }) =>
      rest.take((part) => isOpposite(part) && receiptOf(part.token, scene) === undefined),
    purpose: ({ receipt }) => receipt.purpose,
    treatment: () => 'swap',
  },
  {
    name: 'receipt alone',
    take: () => [],
    purpose: ({ receipt }) => receipt.purpose,
    treatment: oneSided,
  },
]

function purposeLeg(scene: Scene, rest: Remainder, receipt: Receipt, own: readonly Part[]): NamedLeg<Change>[] {
  const put = own.some(isReceived)
  const exchanged: Exchanged = { scene, receipt, put, own, isOpposite: put ? isGiven : isReceived }
  for (const rule of RECEIPT_RULES) {
    const taken = rule.take(rest, exchanged)
    if (taken.length === 0 && rule !== RECEIPT_RULES.at(-1)) continue
    const type = PURPOSE_TYPES[rule.purpose(exchanged, taken)][put ? 0 : 1]
    return [{ ...legOf(type, rule.treatment(exchanged), receipt.protocol, [...own, ...taken]), rule: rule.name }]
  }
  return []
}

/** The other side is in another transaction: a request or its settlement. */
function oneSided({ scene, put }: Exchanged): Treatment {
  if (scene.sent) return 'move'
  return put ? 'acquire' : 'send'
}

function takeUnderlying(rest: Remainder, { scene, receipt, own, isOpposite }: Exchanged): readonly Part[] {
  const direct = rest.take((part) => isOpposite(part) && part.counterparty === receipt.token)
  const isOther = (part: Part) =>
    isOpposite(part) && standsFor(scene, receipt, part.token) && !direct.some(({ token }) => token === part.token)
  // A wrap is one to one: other movements of the coin have another reason.
  const others =
    receipt.token === scene.directory.wrappedNative
      ? rest.takeUpTo(sizeOf(own) - sizeOf(direct), isOther)
      : rest.take(isOther)
  return [...direct, ...others]
}

function standsFor(scene: Scene, receipt: Receipt, token: EvmAddress): boolean {
  const bases = basesOf(scene, receipt)
  if (bases.has(withoutWrap(scene.directory, token))) return true
  const other = receiptOf(token, scene)
  return other !== undefined && [...basesOf(scene, other)].some((base) => bases.has(base))
}

function basesOf(scene: Scene, { underlyings, nativePurpose }: Receipt): Set<Address> {
  const bases = underlyings.map((token) => withoutWrap(scene.directory, token))
  return new Set(nativePurpose ? [...bases, NATIVE] : bases)
}

function purposeFor({ scene, receipt }: Exchanged, taken: readonly Part[]): Purpose {
  const native = taken.every(({ token }) => withoutWrap(scene.directory, token) === NATIVE)
  return (native && receipt.nativePurpose) || receipt.purpose
}
