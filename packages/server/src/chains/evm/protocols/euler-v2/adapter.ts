import { toEventSelector } from 'viem'
import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, addressWord, TRANSFER, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, PositionKey, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import { type ProtocolAdapter, rowsByChain } from '../adapter.ts'
import { assetsOf, isNamed, namedVaults } from '../shared/vaults.ts'
import { accountLens } from './account-lens.bytecode.ts'
import {
  accountNumber,
  askWays,
  type Deployment,
  deployment,
  madeContracts,
  readAccounts,
  subAccounts,
  usedAccounts,
} from './accounts.ts'
import chains from './chains.json' with { type: 'json' }
import { vaultLens } from './vault-lens.bytecode.ts'

const OWNER_REGISTERED = toEventSelector('event OwnerRegistered(bytes19 indexed addressPrefix, address indexed owner)')
const CALL_WITH_CONTEXT = toEventSelector(
  'event CallWithContext(address indexed caller, bytes19 indexed onBehalfOfAddressPrefix, address onBehalfOfAccount, address indexed targetContract, bytes4 selector)',
)

/**
 * Vaults, and accounts at the connector: a wallet's 255 addresses with another last byte. Anyone may create vaults:
 * unlisted shares count as far as the vault can pay.
 */
export const eulerV2: ProtocolAdapter<Deployment> = {
  name: 'euler_v2',
  deployment,
  /** Source: Euler's interfaces, without perspectives open to anyone's vaults. */
  rows: rowsByChain({ key: 'euler_v2', name: 'Euler v2', siteUrl: 'https://app.euler.finance' }, chains),
  lenses: [vaultLens, accountLens],
  eachAlone: true,
  countsWhereSent: true,

  discover: namedVaults,

  recognise: ({ tokens, ...at }) => madeContracts(at, tokens),

  vouches: isNamed,

  keyLogs: ({ evc }) => [
    { contract: evc, topic: OWNER_REGISTERED, walletAt: 2, keyAt: 2 },
    {
      contract: evc,
      topic: CALL_WITH_CONTEXT,
      walletAt: 2,
      walletAs: 'prefix',
      keyAt: 'data',
      contractAt: 3,
      // A contract that calls itself via the EVC may name any account.
      differing: [1, 3],
    },
  ],

  moreKeys: usedAccounts,

  subAccounts: (_, wallet, keys) => subAccounts(wallet, keys),

  positions: readAccounts,

  decompose: ({ protocolContract, amountRaw, ...at }) =>
    assetsOf(at, protocolContract, amountRaw, askWays(at, protocolContract)),

  history: eulerHistory,
}

const DEPOSIT = topicOf('Deposit(address,address,uint256,uint256)')
const WITHDRAW = topicOf('Withdraw(address,address,address,uint256,uint256)')
const BORROW = topicOf('Borrow(address,uint256)')
const REPAY = topicOf('Repay(address,uint256)')
const LIQUIDATE = topicOf('Liquidate(address,address,address,uint256,uint256)')
const SOCIALIZED = topicOf('DebtSocialized(address,uint256)')
const STATUS = topicOf('VaultStatus(uint256,uint256,uint256,uint256,uint256,uint256,uint256)')

const VIRTUAL = 1_000_000n

/** Sub-accounts are positions without a token. Debt tokens only repeat the vault's logs, with interest. */
function eulerHistory({ evc }: { evc: EvmAddress }): ProtocolHistory {
  return { purposes: { vault: 'lend' }, mirrors: ['debt'], contracts: [evc], step: (...log) => stepAt(evc, ...log) }
}

type Scene = {
  log: ReceiptLog
  wallet: EvmAddress
  context: LogContext
  asset: EvmAddress
  /** The first word. */
  amountRaw: bigint
  positionOf(account: EvmAddress | undefined): PositionKey | undefined
}

const READINGS: ReadonlyMap<string, (scene: Scene) => Step | undefined> = new Map([
  [DEPOSIT, deposited],
  [WITHDRAW, withdrawn],
  [TRANSFER, passed],
  [BORROW, borrowed],
  [REPAY, repaid],
  [LIQUIDATE, seized],
])

function stepAt(evc: EvmAddress, log: ReceiptLog, wallet: EvmAddress, context: LogContext): Step | undefined {
  const [asset] = context.underlyings
  const amountRaw = word(log, 0)
  if (asset === undefined || amountRaw === undefined) return undefined
  const positionOf = (account: EvmAddress | undefined): PositionKey | undefined => {
    const id = account === undefined ? undefined : accountNumber(wallet, account)
    return id === undefined ? undefined : { contract: evc, id }
  }
  return READINGS.get(log.topics[0] ?? '')?.({ log, wallet, context, asset, amountRaw, positionOf })
}

function deposited({ log, asset, amountRaw, positionOf }: Scene): Step | undefined {
  const position = positionOf(addressTopic(log, 2))
  return position?.id ? { kind: 'put', purpose: 'lend', position, token: asset, amountRaw } : undefined
}

/** Assets withdrawn to the sub-account itself repay its debt. */
function withdrawn({ log, context, asset, amountRaw, positionOf }: Scene): Step | undefined {
  const owner = addressTopic(log, 3)
  const position = positionOf(owner)
  if (!position?.id) return undefined
  const amount = { token: asset, amountRaw }
  if (addressTopic(log, 2) !== owner) return { kind: 'take', purpose: 'lend', position, ...amount }
  const next = context.later().find(({ address, topics }) => address === log.address && topics[0] === REPAY)
  const isRepaid = next !== undefined && addressTopic(next, 1) === owner
  return isRepaid ? { kind: 'seized', position, taken: amount, relieved: amount } : undefined
}

function passed({ log, wallet, positionOf }: Scene): Step | undefined {
  const [transfer] = transfersOf(log)
  if (!transfer) return undefined
  const { from, to, amountRaw } = transfer
  const [source, target] = [positionOf(from), positionOf(to)]
  const shares = { purpose: 'deposit', token: log.address, amountRaw } as const
  if (from === wallet && target?.id) return { kind: 'put', position: target, ...shares }
  return to === wallet && source?.id ? { kind: 'take', position: source, ...shares } : undefined
}

/** A debt that moves between accounts logs `Borrow` too, without a payment. */
function borrowed({ log, context, asset, amountRaw, positionOf }: Scene): Step | undefined {
  const position = positionOf(addressTopic(log, 1))
  const isPaid = context
    .later()
    .flatMap(transfersOf)
    .some((one) => one.token === asset && one.from === log.address && one.amountRaw === amountRaw)
  return position && isPaid ? { kind: 'borrow', token: asset, amountRaw, position } : undefined
}

function repaid({ log, asset, amountRaw, positionOf }: Scene): Step | undefined {
  const position = positionOf(addressTopic(log, 1))
  return position && { kind: 'repay', token: asset, amountRaw, position }
}

/** Debt left without collateral is forgiven. Transfers show shares taken from the wallet itself. */
function seized({ log, context, asset, positionOf }: Scene): Step | undefined {
  const violator = addressTopic(log, 2)
  const position = positionOf(violator)
  const [collateral, repaidRaw, sharesRaw] = [addressWord(log, 0), word(log, 1), word(log, 2)]
  if (!position?.id || collateral === undefined || repaidRaw === undefined || sharesRaw === undefined) return undefined
  return {
    kind: 'seized',
    position,
    taken: assetsFor(collateral, sharesRaw, context),
    relieved: { token: asset, amountRaw: repaidRaw + forgiven(log, context, violator) },
  }
}

function forgiven({ address }: ReceiptLog, { before }: LogContext, account: EvmAddress | undefined): bigint {
  const isOf = before?.address === address && before.topics[0] === SOCIALIZED && addressTopic(before, 1) === account
  return isOf ? (word(before, 0) ?? 0n) : 0n
}

/** Vaults log their totals at the end of each transaction. */
function assetsFor(vault: EvmAddress, sharesRaw: bigint, { later, underlyingsOf }: LogContext) {
  const [asset] = underlyingsOf(vault)
  const status = later().find(({ address, topics }) => address === vault && topics[0] === STATUS)
  const [shares, borrows, cash] = status ? [word(status, 0), word(status, 1), word(status, 3)] : []
  if (asset === undefined || shares === undefined || borrows === undefined || cash === undefined) {
    return { token: vault, amountRaw: sharesRaw }
  }
  return { token: asset, amountRaw: (sharesRaw * (cash + borrows + VIRTUAL)) / (shares + VIRTUAL) }
}
