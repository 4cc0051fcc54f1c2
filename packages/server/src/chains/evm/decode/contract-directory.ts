import type { Address } from '../../../domain/address.ts'
import { type EvmAddress, evmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { Chain } from '../../chain.ts'
import type { ProtocolContract, ProtocolDeployment } from '../protocols/adapter.ts'
import bridgeTable from './bridges.json' with { type: 'json' }
import type { ContractLabel, ContractRole } from './contract-labels.ts'
import type { ProtocolHistory } from './protocol-history.ts'
import rebasing from './rebasing-tokens.json' with { type: 'json' }
import routerTable from './routers.json' with { type: 'json' }

export type Bridge = {
  /** snake_case; must differ from protocol keys. */
  key: string
  name: string
  /** By chain key, lower case. */
  contracts: Readonly<Record<string, readonly EvmAddress[]>>
}

/**
 * Canonical bridges of rollups and the largest others: only contracts that take coins in, pay them out or log every
 * transfer. A chain's own bridge is `<chain>_bridge`.
 */
export const bridgeRows = bridgeTable as unknown as readonly Bridge[]

/**
 * A router for several versions has the key of the middle one. Sources: `@uniswap/sdk-core`, `@uniswap/universal-router-sdk`, `@uniswap/v3-periphery` (first router of v3),
 * `@pancakeswap/universal-router-sdk`, `sushi` (SushiSwap v2). Several public repositories name the v2 routers of
 * PancakeSwap, QuickSwap and Trader Joe.
 */
export const exchangeRows = routerTable as unknown as readonly {
  key: string
  routers: Readonly<Record<string, readonly EvmAddress[]>>
}[]

export type KnownContract = { deployment: ProtocolDeployment; protocolContract: ProtocolContract }

export type ContractDirectory = {
  readonly wrappedNative: EvmAddress | null
  /** Their logs repeat native transfers. */
  readonly nativeErc20s: ReadonlySet<EvmAddress>
  firstFaceOf(address: EvmAddress): EvmAddress | undefined
  protocolContractOf(address: EvmAddress): KnownContract | undefined
  escrowOf(address: EvmAddress): KnownContract | undefined
  gateOf(address: EvmAddress): string | undefined
  deploymentOf(address: EvmAddress): ProtocolDeployment | undefined
  protocolOf(address: EvmAddress): string | undefined
  rewarderOf(address: EvmAddress): string | undefined
  isRebasing(token: Address): boolean
  bridgeOf(address: EvmAddress): string | undefined
  roleOf(address: EvmAddress): ContractRole | undefined
  /** Only listed tokens' own logs are trusted. */
  isListed(token: EvmAddress): boolean
  /** Bait: worth nothing and never a price. */
  isSpam(token: EvmAddress): boolean
}

/** Native and wrapped coin are one: contracts use them interchangeably. */
export function withoutWrap({ wrappedNative }: ContractDirectory, token: Address): Address {
  return token === wrappedNative ? NATIVE : token
}

/** Snapshot of `rows`; the last with a contract counts. */
export function createContractDirectory({
  chain,
  rows,
  bridges,
  labelOf = () => undefined,
  isListed,
  isSpam,
}: {
  chain: Chain
  rows: readonly { deployment: ProtocolDeployment; protocolContracts: readonly ProtocolContract[] | undefined }[]
  bridges: readonly Bridge[]
  labelOf?(address: EvmAddress): ContractLabel | undefined
  isListed: ContractDirectory['isListed']
  isSpam: ContractDirectory['isSpam']
}): ContractDirectory {
  const protocolContracts = new Map<Address, KnownContract>(
    rows.flatMap(({ deployment, protocolContracts: listed }) =>
      (listed ?? []).map((protocolContract) => [protocolContract.address, { deployment, protocolContract }] as const),
    ),
  )
  const escrows = new Map<Address, KnownContract>(
    [...protocolContracts.values()].flatMap((known) => {
      const escrow = known.deployment.history.escrowOf?.(known.protocolContract)
      return escrow ? [[escrow, known] as const] : []
    }),
  )
  const rewarders = contractsIn(rows, ({ rewarders: paying = [] }) => paying)
  const contracts = contractsIn(rows, ({ contracts: called = [] }) => called)
  const exchanges = new Map<EvmAddress, string>(
    exchangeRows.flatMap(({ key, routers }) => (routers[chain.key] ?? []).map((address) => [address, key] as const)),
  )
  // Deployments may name tokens of other issuers, such as an exchange's most traded ones.
  const deployed = new Map<EvmAddress, string>(
    rows
      .toReversed()
      .flatMap(({ deployment }) => deployment.contracts.map((address) => [address, deployment.key] as const))
      .filter(([address]) => address !== NATIVE && address !== chain.wrappedNative && !isListed(address)),
  )
  const protocols = new Map<EvmAddress, string>([
    ...exchanges,
    ...[...contracts, ...rewarders].map(([address, { key }]) => [address, key] as const),
  ])
  const byContract = new Map<EvmAddress, string>(
    bridges.flatMap(({ key, contracts }) => (contracts[chain.key] ?? []).map((address) => [address, key] as const)),
  )
  const labelled = (address: EvmAddress, role: ContractRole) => {
    const label = labelOf(address)
    return label?.role === role ? label.protocol : undefined
  }
  return {
    wrappedNative: chain.wrappedNative === null ? null : evmAddress(chain.wrappedNative),
    nativeErc20s: new Set(chain.nativeErc20s),
    firstFaceOf: (address) => chain.secondFaces?.[address],
    protocolContractOf: (address) => protocolContracts.get(address),
    escrowOf: (address) => escrows.get(address),
    gateOf: (address) => rows.find(({ deployment }) => deployment.history.isGate?.(address))?.deployment.key,
    deploymentOf: (address) =>
      protocolContracts.get(address)?.deployment ?? rewarders.get(address) ?? contracts.get(address),
    protocolOf: (address) =>
      protocols.get(address) ??
      (protocolContracts.get(address) ?? escrows.get(address))?.deployment.key ??
      byContract.get(address) ??
      labelOf(address)?.protocol ??
      deployed.get(address),
    rewarderOf: (address) => rewarders.get(address)?.key ?? labelled(address, 'distributor'),
    bridgeOf: (address) => byContract.get(address) ?? labelled(address, 'bridge'),
    roleOf: (address) => labelOf(address)?.role ?? (exchanges.has(address) ? 'exchange' : undefined),
    isRebasing: (token) => {
      const known = protocolContracts.get(token)
      const isByRole = known?.deployment.history.rebasing?.includes(known.protocolContract.role) ?? false
      return isByRole || isRebasingToken(chain.key, token)
    },
    isListed,
    isSpam,
  }
}

function contractsIn(
  rows: readonly { deployment: ProtocolDeployment }[],
  contractsOf: (history: ProtocolHistory) => readonly EvmAddress[],
): ReadonlyMap<EvmAddress, ProtocolDeployment> {
  return new Map(
    rows.flatMap(({ deployment }) => contractsOf(deployment.history).map((address) => [address, deployment])),
  )
}

/**
 * Tokens without an adapter: a balance difference is interest or a rebase. Sources: Origin's OToken, Ampleforth's
 * UFragments, mountainprotocol/tokens (USDM), docs.overnight.fi (tokens with `+`), blast-io/blast
 * (`ERC20Rebasing.sol`). Addresses: the shipped lists.
 */
const REBASING = new Set(rebasing.flatMap(({ address, chains }) => chains.map((chain) => `${chain} ${address}`)))

export const isRebasingToken = (chain: string, token: Address): boolean => REBASING.has(`${chain} ${token}`)
