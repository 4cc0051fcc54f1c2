import { type Hex, pad, toFunctionSelector } from 'viem'
import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, numberTopic, topicOf, word } from '../../decode/log-words.ts'
import {
  type LogContext,
  type PositionKey,
  type ProtocolHistory,
  putOrTaken,
  type Step,
} from '../../decode/protocol-history.ts'
import type { SearchedLogs } from '../../logs/logs.ts'
import type { Deployment } from './adapter.ts'

/** `0x`, two words before the call's data, its selector. */
const ARGUMENTS_START = 2 + 2 * 64 + 8
const WORD_CHARS = 64
const WORD_BITS = 256

/** Maker's contracts log a call's selector as first topic. */
const noteOf = (declaration: string): Hex => pad(toFunctionSelector(declaration), { dir: 'right', size: 32 })

function notedArgument({ data }: ReceiptLog, place: number): bigint | undefined {
  const start = ARGUMENTS_START + place * WORD_CHARS
  const text = data.slice(start, start + WORD_CHARS)
  return text.length === WORD_CHARS ? BigInt.asIntN(WORD_BITS, BigInt(`0x${text}`)) : undefined
}

/** Caller, owner, number. */
const NEW_CDP = topicOf('NewCdp(address,address,uint256)')
/** Sender, owner; proxy. */
const CREATED = topicOf('Created(address,address,address,address)')
/** Savings by the manager: owner; DAI. */
const JOINED = topicOf('Join(address,uint256)')
const EXITED = topicOf('Exit(address,uint256)')
/** CDP manager: caller. */
const FROB = noteOf('frob(uint256,int256,int256)')
const FLUX = noteOf('flux(uint256,address,uint256)')
/** Number, recipient. */
const GIVE = noteOf('give(uint256,address)')
/** Vat: collateral type, urn, owner of unlocked collateral; receiver of DAI, collateral, debt. */
const VAT_FROB = noteOf('frob(bytes32,address,address,address,int256,int256)')
/** Collateral type, source, target; amount. */
const VAT_FLUX = noteOf('flux(bytes32,address,address,uint256)')
const VAT_FORK = noteOf('fork(bytes32,address,address,int256,int256)')
/** Pot: caller. */
const POT_JOIN = noteOf('join(uint256)')
const POT_EXIT = noteOf('exit(uint256)')
/** Proxy: its owner. */
const EXECUTE = noteOf('execute(address,bytes)')

/** Tokens have at most 18 decimals fewer than the Vat. */
const MOST_SCALE = 18

export const makerKeys = ({ vat, pot, dsrManager, cdpManager, proxyFactory }: Deployment): readonly SearchedLogs[] => [
  { contract: cdpManager, topic: NEW_CDP, walletAt: 2, keyAt: 3 },
  { contract: cdpManager, topic: GIVE, walletAt: 3, keyAt: 2 },
  { contract: proxyFactory, topic: CREATED, walletAt: 2, keyAt: 'data' },
  { contract: vat, topic: VAT_FROB, walletAt: 2, keyAt: 1 },
  { contract: vat, topic: VAT_FORK, walletAt: 3, keyAt: 1 },
  { contract: pot, topic: POT_JOIN, walletAt: 1, keyAt: 1 },
  { contract: dsrManager, topic: JOINED, walletAt: 1, keyAt: 1 },
]

/** Notes name no token: the nearest transfer of the amount does. */
export function makerHistory(at: Deployment): ProtocolHistory {
  return {
    purposes: {},
    contracts: [at.vat, at.cdpManager, at.pot, at.dsrManager],
    step(log, wallet, context) {
      if (log.address === at.dsrManager) return managedSavings(log, wallet, at)
      const actor = actorOf(log, at, context)
      if (actor === undefined || (actor !== wallet && !actsFor(actor, wallet, context))) return undefined
      const scene = { at, log, context, wallet, actor }
      return log.address === at.pot ? savings(scene) : urnSteps(scene)
    },
  }
}

/** The manager logs right after the Vat. */
function actorOf(log: ReceiptLog, at: Deployment, { later }: LogContext): EvmAddress | undefined {
  if (log.address === at.pot) return addressTopic(log, 1)
  const [topic] = log.topics
  if (log.address !== at.vat || (topic !== VAT_FROB && topic !== VAT_FLUX)) return undefined
  const source = topic === VAT_FROB ? addressTopic(log, 3) : addressTopic(log, 2)
  if (topic === VAT_FROB && source !== addressTopic(log, 2)) return source
  const managed = later().find(({ address }) => address === at.cdpManager)
  const isManaged = managed?.topics[0] === (topic === VAT_FROB ? FROB : FLUX)
  return managed && isManaged ? addressTopic(managed, 1) : source
}

type Scene = { at: Deployment; log: ReceiptLog; context: LogContext; wallet: EvmAddress; actor: EvmAddress }

function actsFor(proxy: EvmAddress, wallet: EvmAddress, { earlier, later }: LogContext): boolean {
  return [...earlier(), ...later()].some(
    (log) => log.address === proxy && log.topics[0] === EXECUTE && addressTopic(log, 1) === wallet,
  )
}

function managedSavings(log: ReceiptLog, wallet: EvmAddress, { dai: token }: Deployment): Step | undefined {
  const amountRaw = word(log, 0)
  if (addressTopic(log, 1) !== wallet || amountRaw === undefined) return undefined
  return putOrTaken(log, [JOINED, EXITED], { purpose: 'deposit', token, amountRaw })
}

function savings({ at, log, context, wallet, actor }: Scene): Step | undefined {
  const position = { contract: actor === wallet ? at.pot : actor, id: 0n }
  const isPut = log.topics[0] === POT_JOIN
  if (!isPut && log.topics[0] !== POT_EXIT) return undefined
  const moved = isPut ? burnt([at.dai], context) : minted([at.dai], context)
  return moved && { kind: isPut ? 'put' : 'take', purpose: 'deposit', position, ...moved }
}

/** For the wallet itself, each collateral type is a position. */
function urnSteps(scene: Scene): Step[] {
  const { log, wallet } = scene
  const urn = addressTopic(log, 2)
  if (urn === undefined) return []
  const position = { contract: urn, id: urn === wallet ? (numberTopic(log, 1) ?? 0n) : 0n }
  if (log.topics[0] === VAT_FLUX) return freedSteps(scene, position)
  return [...collateralSteps(scene, position), ...debtSteps(scene, position)]
}

function collateralSteps(scene: Scene, position: PositionKey): Step[] {
  const wads = notedArgument(scene.log, 4) ?? 0n
  if (wads === 0n) return []
  const moved = wads > 0n ? paidIn(scene, wads) : paidOut(scene, -wads)
  return moved ? [{ kind: wads > 0n ? 'put' : 'take', purpose: 'deposit', position, ...moved }] : []
}

function debtSteps({ at, log, context }: Scene, position: PositionKey): Step[] {
  const change = notedArgument(log, 5) ?? 0n
  if (change === 0n) return []
  const tokens = [at.dai, ...at.alsoLent]
  const moved = change > 0n ? minted(tokens, context) : burnt(tokens, context)
  return moved ? [{ kind: change > 0n ? 'borrow' : 'repay', position, ...moved }] : []
}

/** Unlocked collateral. A `frob` in the same transaction reports its own. */
function freedSteps(scene: Scene, position: PositionKey): Step[] {
  const { at, log, context } = scene
  const wads = notedArgument(log, 3) ?? 0n
  const isUnlocked = context
    .earlier()
    .some((one) => one.address === at.vat && one.topics[0] === VAT_FROB && notedArgument(one, 4) === -wads)
  const moved = wads > 0n && !isUnlocked ? paidOut(scene, wads) : undefined
  return moved ? [{ kind: 'take', purpose: 'deposit', position, ...moved }] : []
}

type Moved = { token: EvmAddress; amountRaw: bigint }

function isAs(amountRaw: bigint, wads: bigint): boolean {
  const zeros = (wads / amountRaw).toString().length - 1
  return zeros <= MOST_SCALE && wads === amountRaw * 10n ** BigInt(zeros)
}

function paidIn({ context, actor }: Scene, wads: bigint): Moved | undefined {
  return paymentsIn(context.earlier()).findLast(({ from, amountRaw }) => from === actor && isAs(amountRaw, wads))
}

function paidOut({ context, actor, wallet }: Scene, wads: bigint): Moved | undefined {
  const isPaid = (to: EvmAddress) => to === actor || to === wallet
  return paymentsIn(context.later()).find(({ to, amountRaw }) => isPaid(to) && isAs(amountRaw, wads))
}

const minted = (tokens: readonly EvmAddress[], { later }: LogContext): Moved | undefined =>
  paymentsIn(later()).find(({ token, from }) => from === NATIVE && tokens.includes(token))

const burnt = (tokens: readonly EvmAddress[], { earlier }: LogContext): Moved | undefined =>
  paymentsIn(earlier()).findLast(({ token, to }) => to === NATIVE && tokens.includes(token))

const paymentsIn = (logs: readonly ReceiptLog[]) =>
  logs.flatMap(transfersOf).filter(({ tokenId, amountRaw }) => tokenId === null && amountRaw > 0n)
