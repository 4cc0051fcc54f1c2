import { type Hex, maxUint256, pad, toEventSelector, toHex, zeroHash } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import { type Backing, heldBy, type Limit } from '../../../../domain/liquidity.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { inPages } from '../../../../lib/pages.ts'
import { moves } from '../../decode/changes.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, PositionKey, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import { type At, type PositionScope, type ProtocolAdapter, type ProtocolContract, rowsByChain } from '../adapter.ts'
import { addressSchema, eachAlone } from '../deployment.ts'
import { assetsOf, isNamed, namedVaults, vaultOf } from '../shared/vaults.ts'
import chains from './chains.json' with { type: 'json' }
import { marketLens } from './market-lens.bytecode.ts'
import { vaultLens } from './vault-lens.bytecode.ts'

const deployment = z.strictObject({
  blue: addressSchema,
  /** Answer `isMetaMorpho`. Ethereum and Base have versions 1.0 and 1.1. */
  vaultFactories: z.array(addressSchema).default([]),
  /** Answer `isVaultV2`. */
  vaultV2Factories: z.array(addressSchema).default([]),
  marketAdapterFactories: z.array(addressSchema).default([]),
  vaultAdapterFactories: z.array(addressSchema).default([]),
  /** Multicall contracts. */
  bundlers: z.array(addressSchema).default([]),
  /** Trusted: shares count in full. */
  vaults: z.array(addressSchema).default([]),
})

export type Deployment = z.infer<typeof deployment>

/** A debt needs collateral first. */
const GIVING = [
  'event Supply(bytes32 indexed id, address indexed caller, address indexed onBehalf, uint256 assets, uint256 shares)',
  'event SupplyCollateral(bytes32 indexed id, address indexed caller, address indexed onBehalf, uint256 assets)',
].map((event) => toEventSelector(event))

/** Anyone may create markets and vaults and give shares away: loans count only as far as they could be taken out. */
export const morpho: ProtocolAdapter<Deployment> = {
  name: 'morpho',
  deployment,
  /** Sources: the deployments of Morpho's SDK; factory 1.0 from Ledger's plugin for Morpho. */
  rows: rowsByChain({ key: 'morpho', name: 'Morpho', siteUrl: 'https://app.morpho.org' }, chains),
  lenses: [marketLens, vaultLens],
  eachAlone: true,
  countsWhereSent: true,

  discover: namedVaults,

  recognise: ({ tokens, ...at }) => madeVaults(at, tokens),

  vouches: isNamed,

  keyLogs: ({ blue }) => GIVING.map((topic) => ({ contract: blue, topic, walletAt: 3, keyAt: 1 })),

  positions: async (scope) => (await Promise.all([readMarkets(scope), readVaults(scope)])).flat(),

  decompose: ({ protocolContract, amountRaw, owner = NATIVE, ...at }) =>
    assetsOf(at, protocolContract, amountRaw, askWays(at, protocolContract, owner)),

  history: morphoHistory,
}

/** A market with a debt may use two million gas. */
const MARKETS_PAGE = 20

/** `freeRaw`: what the contract can take out; for Morpho Blue, all cash. */
const marketLimit = (contract: EvmAddress, market: Hex, freeRaw: bigint): Limit => ({
  id: `${contract} ${market}`,
  freeRaw,
})

/** A market's creator may choose an oracle that lets them borrow the wallet's supply. */
async function readMarkets({ reader, deployment: { blue }, wallet, keys, leftOut }: PositionScope<Deployment>) {
  const ids = keys.map(({ key }) => pad(toHex(key), { size: 32 }))
  const answers = await inPages(ids, MARKETS_PAGE, (page) =>
    reader.lens(marketLens, { functionName: 'accounts', args: [blue, wallet, page] }),
  )
  return answers.flatMap(([found, refused]) => {
    for (const id of refused) leftOut(new Error(`market ${id} could not be read`))
    return found.map(
      ({ id, loanToken, collateralToken, supplied, liquidity, borrowed, collateral, health }): PositionDraft => {
        const backing: Backing = { ways: [[marketLimit(blue, id, liquidity)]], unpaid: 'reported' }
        return {
          kind: 'lending',
          label: 'Market',
          pool: blue,
          tokenId: BigInt(id),
          supplied: [{ ...amountOf(loanToken, supplied), backing }, amountOf(collateralToken, collateral)],
          borrowed: [amountOf(loanToken, borrowed)],
          ...(borrowed > 0n && health !== maxUint256 && { healthFactorRaw: health }),
        }
      },
    )
  })
}

const amountOf = (token: string, amountRaw: bigint): TokenAmount => ({ token: evmAddress(token), amountRaw })

/** A token costs four storage reads. */
const VAULTS_PAGE = 300

async function madeVaults({ reader, deployment }: At<Deployment>, tokens: readonly EvmAddress[]) {
  const found = await inPages(tokens, VAULTS_PAGE, async (page) => {
    const args = [factoriesOf(deployment), page] as const
    const [versions, assets] = await reader.lens(vaultLens, { functionName: 'recognise', args })
    return page.flatMap((address, i) => (versions[i] ? [vaultOf(address, assets[i] ?? NATIVE)] : []))
  })
  return found.flat()
}

const readVaults = eachAlone<Deployment>(async ({ wallet, ...at }, vault) => ({
  kind: 'yield',
  label: 'Vault',
  pool: vault.address,
  supplied: await assetsOf(at, vault, vault.balanceRaw, askWays(at, vault, wallet)),
  receipts: [vault.address],
}))

/** Gates of a vault may refuse `owner`. Zero address: no one. */
const askWays =
  (
    { reader, deployment }: At<Deployment>,
    { address, underlyings: [asset = NATIVE] }: ProtocolContract,
    owner: EvmAddress,
  ) =>
  async () => {
    const args = [deployment.blue, factoriesOf(deployment), address, owner] as const
    const ways = await reader.lens(vaultLens, { functionName: 'ways', args })
    return ways.map((way) => way.map((limit) => limitOf(asset, limit)))
  }

function limitOf(asset: EvmAddress, { at, market, free }: { at: string; market: Hex; free: bigint }): Limit {
  const contract = evmAddress(at)
  return market === zeroHash ? heldBy(asset, contract, free) : marketLimit(contract, market, free)
}

const factoriesOf = (deployment: Deployment) => ({
  vaults: deployment.vaultFactories,
  vaultsV2: deployment.vaultV2Factories,
  marketAdapters: deployment.marketAdapterFactories,
  vaultAdapters: deployment.vaultAdapterFactories,
})

const SUPPLY = topicOf('Supply(bytes32,address,address,uint256,uint256)')
const WITHDRAW = topicOf('Withdraw(bytes32,address,address,address,uint256,uint256)')
const SUPPLY_COLLATERAL = topicOf('SupplyCollateral(bytes32,address,address,uint256)')
const WITHDRAW_COLLATERAL = topicOf('WithdrawCollateral(bytes32,address,address,address,uint256)')
const BORROW = topicOf('Borrow(bytes32,address,address,address,uint256,uint256)')
const REPAY = topicOf('Repay(bytes32,address,address,uint256,uint256)')
const LIQUIDATE = topicOf('Liquidate(bytes32,address,address,uint256,uint256,uint256,uint256,uint256)')

/** Events name no token: the next transfer of the amount does. Wallets mostly use a bundler. */
function morphoHistory({ blue, bundlers }: Deployment): ProtocolHistory {
  return { purposes: { vault: 'lend' }, contracts: [blue, ...bundlers], step }
}

type Naming = (moved: { position: PositionKey; token: EvmAddress; amountRaw: bigint }) => Step
type Reading = (log: ReceiptLog, wallet: EvmAddress, context: LogContext) => Step | undefined

/** A wallet that pays for another gives it away. */
const paying = (named: Naming): Reading => moving(named, { side: 'to', amountAt: 0, ownerAt: 3, otherAt: 2 })
const paid = (named: Naming): Reading => moving(named, { side: 'from', amountAt: 1, ownerAt: 2, otherAt: 3 })

const READINGS: ReadonlyMap<string, Reading> = new Map([
  [SUPPLY, paying((step) => ({ kind: 'put', purpose: 'lend', ...step }))],
  [WITHDRAW, paid((step) => ({ kind: 'take', purpose: 'lend', ...step }))],
  [SUPPLY_COLLATERAL, paying((step) => ({ kind: 'put', purpose: 'deposit', ...step }))],
  [WITHDRAW_COLLATERAL, paid((step) => ({ kind: 'take', purpose: 'deposit', ...step }))],
  [BORROW, paid((step) => ({ kind: 'borrow', ...step }))],
  [REPAY, paying((step) => ({ kind: 'repay', ...step }))],
  [LIQUIDATE, seized],
])

const step: Reading = (log, wallet, context) => READINGS.get(log.topics[0] ?? '')?.(log, wallet, context)

function moving(
  named: Naming,
  at: { side: 'to' | 'from'; amountAt: number; ownerAt: number; otherAt: number },
): Reading {
  return (log, wallet, context) => {
    const owner = addressTopic(log, at.ownerAt)
    const [position, amountRaw] = [positionOf(log), word(log, at.amountAt)]
    if (owner !== wallet && addressTopic(log, at.otherAt) !== wallet) return undefined
    if (!position || amountRaw === undefined) return undefined
    const token = tokenOf(log, context, at.side, amountRaw)
    if (!token) return undefined
    if (owner === wallet) return named({ position, token, amountRaw })
    return { kind: at.side === 'to' ? 'send' : 'receive', token, amountRaw, other: owner }
  }
}

/** Debt left without collateral is forgiven. */
function seized(log: ReceiptLog, wallet: EvmAddress, context: LogContext): Step | undefined {
  const position = positionOf(log)
  const [repaidRaw, , seizedRaw, forgivenRaw] = [0, 1, 2, 3].map((place) => word(log, place))
  if (addressTopic(log, 3) !== wallet || !position) return undefined
  if (repaidRaw === undefined || seizedRaw === undefined || forgivenRaw === undefined) return undefined
  const collateral = tokenOf(log, context, 'from', seizedRaw)
  const loan = tokenOf(log, context, 'to', repaidRaw)
  if (!collateral || !loan) return undefined
  return {
    kind: 'seized',
    position,
    taken: { token: collateral, amountRaw: seizedRaw },
    relieved: { token: loan, amountRaw: repaidRaw + forgivenRaw },
  }
}

function positionOf({ address, topics }: ReceiptLog): PositionKey | undefined {
  const [, id] = topics
  return id === undefined ? undefined : { contract: address, id: BigInt(id) }
}

const tokenOf = ({ address }: ReceiptLog, { later }: LogContext, side: 'to' | 'from', amountRaw: bigint) =>
  later().find(moves(address, side, amountRaw))?.address
