import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { ChainTransaction, NativeTransfer, ReceiptLog } from '../../../domain/transaction.ts'
import type * as legs from '../../legs.ts'
import { isGiven, isReceived } from '../../legs.ts'
import type { ContractDirectory } from './contract-directory.ts'
import { addressTopic, numberTopic, TRANSFER, topicOf, UNITS_TRANSFER, word, wordList } from './log-words.ts'
import type { PositionKey } from './protocol-history.ts'

/** A transaction, seen by a wallet. */
export type Seen = { tx: ChainTransaction; wallet: EvmAddress; directory: ContractDirectory }

/** Never zero. */
export type Change = {
  token: EvmAddress
  tokenId: bigint | null
  amountRaw: bigint
  /** The zero address for mints and burns. */
  counterparty: EvmAddress
  debt: boolean
}

const TRANSFER_SINGLE = topicOf('TransferSingle(address,address,address,uint256,uint256)')
const TRANSFER_BATCH = topicOf('TransferBatch(address,address,address,uint256[],uint256[])')
/** WETH9. */
const DEPOSIT = topicOf('Deposit(address,uint256)')
const WITHDRAWAL = topicOf('Withdrawal(address,uint256)')

/** ERC-4626. */
const VAULT_DEPOSIT = topicOf('Deposit(address,address,uint256,uint256)')
const VAULT_WITHDRAW = topicOf('Withdraw(address,address,address,uint256,uint256)')
const VAULT_OWNER_TOPICS: ReadonlyMap<string, number> = new Map([
  [VAULT_DEPOSIT, 2],
  [VAULT_WITHDRAW, 3],
])
/** DSToken, for example MKR. */
const MINT = topicOf('Mint(address,uint256)')
const BURN = topicOf('Burn(address,uint256)')

const NFT_TOPICS = 4
const FUNGIBLE_TOPICS = 3

export type TokenTransfer = Omit<Change, 'counterparty' | 'debt'> & { from: EvmAddress; to: EvmAddress }

export function transfersOf(log: ReceiptLog): TokenTransfer[] {
  switch (log.topics[0]) {
    case TRANSFER:
    case UNITS_TRANSFER:
      return plainTransfer(log)
    case TRANSFER_SINGLE:
      return multiTransfer(log, [word(log, 0)], [word(log, 1)])
    case TRANSFER_BATCH:
      return multiTransfer(log, wordList(log, 0) ?? [], wordList(log, 1) ?? [])
    default:
      return []
  }
}

export const moves = (contract: EvmAddress, side: 'to' | 'from', amountRaw: bigint) => (log: ReceiptLog) =>
  transfersOf(log).some((transfer) => transfer.amountRaw === amountRaw && transfer[side] === contract)

function plainTransfer(log: ReceiptLog): TokenTransfer[] {
  const from = addressTopic(log, 1)
  const to = addressTopic(log, 2)
  if (from === undefined || to === undefined) return []
  if (log.topics.length === NFT_TOPICS) {
    return [{ token: log.address, tokenId: numberTopic(log, NFT_TOPICS - 1) ?? null, amountRaw: 1n, from, to }]
  }
  const amountRaw = log.topics.length === FUNGIBLE_TOPICS ? word(log, 0) : undefined
  return amountRaw === undefined ? [] : [{ token: log.address, tokenId: null, amountRaw, from, to }]
}

function multiTransfer(
  log: ReceiptLog,
  ids: readonly (bigint | undefined)[],
  amounts: readonly (bigint | undefined)[],
): TokenTransfer[] {
  const from = addressTopic(log, 2)
  const to = addressTopic(log, 3)
  if (from === undefined || to === undefined || ids.length !== amounts.length) return []
  return ids.flatMap((tokenId, i) => {
    const amountRaw = amounts[i]
    return tokenId === undefined || amountRaw === undefined
      ? []
      : [{ token: log.address, tokenId, amountRaw, from, to }]
  })
}

/** Excludes interest in transfers. A self-transfer is two changes with the wallet as counterparty. */
export function changesOf(seen: Seen): Change[] {
  const sides = nativeTransfersOf(seen).flatMap((one) => sidesOf({ token: NATIVE, tokenId: null, ...one }, seen))
  const native = withoutRefunds(sides, [seen.wallet, seen.directory.wrappedNative])
  return [...native.filter(isGiven), ...tokenChanges(seen), ...native.filter(isReceived)].filter(
    ({ amountRaw }) => amountRaw !== 0n,
  )
}

function tokenChanges(seen: Seen): Change[] {
  const { tx, wallet, directory } = seen
  const changes: Change[] = []
  const withoutLogs = new Map([...ownWraps(seen), ...ownMints(seen)])
  for (const log of withoutNftsOfUnits(tx.logs).flatMap((one) => asOfFirstFace(one, tx, directory))) {
    if (isMirror(log, directory)) continue
    const accrued = directory.protocolContractOf(log.address)?.deployment.history.accrued?.(log, wallet) ?? 0n
    const last = accrued > 0n ? changes.findLastIndex(({ token }) => token === log.address) : -1
    const grown = changes[last]
    const unreported = withoutLogs.get(log)
    if (grown) changes[last] = { ...grown, amountRaw: grown.amountRaw - accrued }
    else changes.push(...(unreported ? [unreported] : transfersOf(log)).flatMap((transfer) => sidesOf(transfer, seen)))
  }
  return changes
}

/** ERC-404 contracts also log the same units. */
function withoutNftsOfUnits(logs: readonly ReceiptLog[]): readonly ReceiptLog[] {
  const units = new Set(logs.flatMap(({ address, topics }) => (topics[0] === UNITS_TRANSFER ? [address] : [])))
  const isOfNft = ({ topics }: ReceiptLog) => topics[0] === TRANSFER && topics.length === NFT_TOPICS
  return units.size === 0 ? logs : logs.filter((log) => !units.has(log.address) || !isOfNft(log))
}

function isMirror({ address }: ReceiptLog, directory: ContractDirectory): boolean {
  if (directory.nativeErc20s.has(address)) return true
  const known = directory.protocolContractOf(address)
  return known?.deployment.history.mirrors?.includes(known.protocolContract.role) ?? false
}

/** Drops a mirror's log if the token logs too. Before the token, only the mirror logged. */
function asOfFirstFace(log: ReceiptLog, { logs }: ChainTransaction, directory: ContractDirectory): ReceiptLog[] {
  const token = directory.firstFaceOf(log.address)
  if (token === undefined) return [log]
  return logs.some(({ address }) => address === token) ? [] : [{ ...log, address: token }]
}

function ownWraps({ tx, wallet, directory }: Seen): ReadonlyMap<ReceiptLog, TokenTransfer> {
  const keyOf = ({ from, to, amountRaw }: TokenTransfer) => `${from} ${to} ${amountRaw}`
  const logs = tx.logs.filter(({ address }) => address === directory.wrappedNative)
  const wraps = logs.flatMap((log) => {
    const wrap = wrapOf(log)
    return wrap?.from === wallet || wrap?.to === wallet ? [[log, wrap] as const] : []
  })
  if (wraps.length === 0) return new Map()
  const reported = new Set(logs.flatMap(transfersOf).map(keyOf))
  return new Map(wraps.filter(([, wrap]) => !reported.has(keyOf(wrap))))
}

/** Listed tokens that log no `Transfer`. */
function ownMints({ tx, wallet, directory }: Seen): (readonly [ReceiptLog, TokenTransfer])[] {
  const isOwn = ({ from, to }: TokenTransfer) => from === wallet || to === wallet
  return tx.logs.flatMap((log) => {
    const made = mintOf(log)
    if (!made || !isOwn(made) || !directory.isListed(log.address)) return []
    const isReported = tx.logs.some((other) => other.address === log.address && transfersOf(other).some(isOwn))
    return isReported ? [] : [[log, made] as const]
  })
}

function mintOf(log: ReceiptLog): TokenTransfer | undefined {
  const step = vaultStepOf(log)
  return step
    ? mintOrBurn(log, log.topics[0] === VAULT_DEPOSIT, step.owner, step.sharesRaw)
    : ownerEvent(log, MINT, BURN)
}

function ownerEvent(log: ReceiptLog, made: string, ended: string): TokenTransfer | undefined {
  const [topic] = log.topics
  if (topic !== made && topic !== ended) return undefined
  return mintOrBurn(log, topic === made, addressTopic(log, 1), word(log, 0))
}

function mintOrBurn(
  { address: token }: ReceiptLog,
  isMint: boolean,
  owner: EvmAddress | undefined,
  amountRaw: bigint | undefined,
): TokenTransfer | undefined {
  if (owner === undefined || amountRaw === undefined) return undefined
  return { token, tokenId: null, amountRaw, ...(isMint ? { from: NATIVE, to: owner } : { from: owner, to: NATIVE }) }
}

export function vaultStepOf(log: ReceiptLog): { owner: EvmAddress; sharesRaw: bigint; assetsRaw: bigint } | undefined {
  const ownerTopic = VAULT_OWNER_TOPICS.get(log.topics[0] ?? '')
  const owner = ownerTopic === undefined ? undefined : addressTopic(log, ownerTopic)
  const assetsRaw = word(log, 0)
  const sharesRaw = word(log, 1)
  if (owner === undefined || assetsRaw === undefined || sharesRaw === undefined) return undefined
  return { owner, sharesRaw, assetsRaw }
}

/** Offsets returned coin: a contract never received the rest of an offer. */
function withoutRefunds(native: readonly Change[], apart: readonly (EvmAddress | null)[]): Change[] {
  return [...Map.groupBy(native, ({ counterparty }) => counterparty)].flatMap(([counterparty, changes]) => {
    const [first] = changes
    const isRefunded = changes.some(isGiven) && changes.some(isReceived)
    if (!first || !isRefunded || apart.includes(counterparty)) return changes
    return [{ ...first, amountRaw: changes.reduce((sum, { amountRaw }) => sum + amountRaw, 0n) }]
  })
}

function sidesOf({ token, tokenId, amountRaw, from, to }: TokenTransfer, { wallet, directory }: Seen): Change[] {
  if (from !== wallet && to !== wallet) return []
  const known = directory.protocolContractOf(token)
  const change = { token, tokenId, debt: known?.deployment.history.purposes[known.protocolContract.role] === 'borrow' }
  return [
    ...(from === wallet ? [{ ...change, amountRaw: -amountRaw, counterparty: to }] : []),
    ...(to === wallet ? [{ ...change, amountRaw, counterparty: from }] : []),
  ]
}

/** WETH9 wraps emit no `Transfer`: read as transfers from or to the zero address. */
export const wrapOf = (log: ReceiptLog) => ownerEvent(log, DEPOSIT, WITHDRAWAL)

/** If no node reports WETH9's inner call, the log implies it. */
function nativeTransfersOf({ tx, wallet, directory }: Seen): readonly NativeTransfer[] {
  const reported = (one: NativeTransfer) =>
    tx.nativeTransfers.some(({ from, to }) => from === one.from && to === one.to)
  const implied = tx.logs.flatMap((log): NativeTransfer[] => {
    const wrap = log.address === directory.wrappedNative ? wrapOf(log) : undefined
    if (wrap?.to === wallet) return [{ from: wallet, to: log.address, amountRaw: wrap.amountRaw }]
    if (wrap?.from === wallet) return [{ from: log.address, to: wallet, amountRaw: wrap.amountRaw }]
    return []
  })
  return [...tx.nativeTransfers, ...implied.filter((transfer) => !reported(transfer))]
}

export type Part = legs.Part<Change>
export type Leg = legs.Leg<Change>
export type Remainder = legs.Remainder<Change>

/** A zero amount links the other changes of a leg to a position. */
export function positionPart({ contract, id }: PositionKey, others: readonly Part[]): Part {
  const place = Math.max(0, ...others.map((part) => part.place))
  return { token: contract, tokenId: id, amountRaw: 0n, counterparty: contract, debt: false, place }
}
