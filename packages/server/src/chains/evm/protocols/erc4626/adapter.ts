import { erc20Abi, erc4626Abi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import { heldBy } from '../../../../domain/liquidity.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import { isNodeFailure } from '../../../../lib/upstream-error.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { saleProbe } from '../../reader/sale-probe.ts'
import type { At, DeploymentRow, HeldContract, PositionScope, ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { addressSchema, eachAlone } from '../deployment.ts'
import { min } from '../shared/v3-positions.ts'
import { isNamed, namedVaults, vaultOf } from '../shared/vaults.ts'
import { redeemLens } from './redeem-lens.bytecode.ts'
import vaultTable from './vaults.json' with { type: 'json' }
import wrappedATokens from './wrapped-atokens.json' with { type: 'json' }

const deployment = z.strictObject({
  vaults: z.array(addressSchema),
  /** Also accepts unlisted vaults of wallets. One row per chain. */
  open: z.boolean().default(false),
})

type Deployment = z.infer<typeof deployment>

const OPEN_CHAINS = 'arbitrum avalanche base binance ethereum fantom gnosis linea optimism polygon'.split(' ')

type Protocol = { name: string; siteUrl: string; chains: Readonly<Record<string, Readonly<Record<string, string>>>> }

const PROTOCOLS: Readonly<Record<string, Protocol>> = vaultTable

/**
 * Sources: the Spark address registry, Sky's ChainLog, @aave-dao/aave-address-book 4.68.1 (a test compares them;
 * earlier wrapped aTokens convert by Aave's index), Balancer's reviewed rate providers, DefiLlama.
 */
const vaultRows: readonly DeploymentRow[] = [
  // A vault that a later row names belongs to that row.
  ...OPEN_CHAINS.map((chain) => {
    return { key: 'erc4626', name: 'ERC-4626 vaults', chain, deployment: { vaults: [], open: true } }
  }),
  ...Object.entries(PROTOCOLS).flatMap(([key, { name, siteUrl, chains }]) =>
    Object.entries(chains).map(([chain, bySymbol]): DeploymentRow => {
      return { key, name, chain, siteUrl, deployment: { vaults: Object.values(bySymbol) } }
    }),
  ),
  ...Object.entries(wrappedATokens).map(([chain, vaults]): DeploymentRow => {
    const names = { key: 'aave_v3_stata', name: 'Aave V3 wrapped aTokens', siteUrl: 'https://app.aave.com' }
    return { ...names, chain, deployment: { vaults } }
  }),
]

/**
 * Shares are worth `convertToAssets`, the standard's display value before fees and limits. Unlisted vaults count as far
 * as they hold assets and `redeem` pays.
 */
export const erc4626: ProtocolAdapter<Deployment> = {
  name: 'erc4626',
  deployment,
  rows: vaultRows,
  lenses: [redeemLens],
  eachAlone: true,
  countsWhereSent: true,

  discover: namedVaults,

  async recognise({ reader, deployment: { open }, tokens, isListed }) {
    if (!open) return []
    // A listed token has its own market.
    const unlisted = tokens.filter((token) => !isListed(token))
    const found = await Promise.all(unlisted.map((token) => recogniseVault(reader, token, isListed)))
    return found.flat()
  },

  vouches: isNamed,

  positions: eachAlone(async (scope, vault) => {
    const [assets, paid] = await Promise.all([
      toAssets(scope, vault, vault.balanceRaw),
      isNamed(scope.deployment, vault) ? undefined : paidFor(scope, vault),
    ])
    return {
      kind: 'yield',
      label: 'Vault',
      pool: vault.address,
      supplied: assets.map((asset) => ({ ...asset, amountRaw: payable(asset, vault.balanceRaw, paid) })),
      receipts: [vault.address],
    }
  }),

  decompose: ({ protocolContract, amountRaw, ...at }) => toAssets(at, protocolContract, amountRaw),

  history: () => ({ purposes: { vault: 'deposit' } }),
}

/** Anyone can send shares that claim dollars: an unlisted vault must hold all claims in a listed asset. */
async function recogniseVault(
  reader: EvmReader,
  token: EvmAddress,
  isListed: (token: EvmAddress) => boolean,
): Promise<ProtocolContract[]> {
  const vault = { address: token, abi: erc4626Abi } as const
  const [asset, supply] = await Promise.all([
    reader.tryRead({ ...vault, functionName: 'asset' }),
    reader.tryRead({ ...vault, functionName: 'totalSupply' }),
  ])
  if (asset === undefined || !supply || evmAddress(asset) === token || !isListed(evmAddress(asset))) return []
  const [claimed, kept] = await Promise.all([
    reader.tryRead({ ...vault, functionName: 'convertToAssets', args: [supply] }),
    reader.tryRead({ address: evmAddress(asset), abi: erc20Abi, functionName: 'balanceOf', args: [token] }),
  ])
  if (claimed === undefined || kept === undefined || claimed > kept) return []
  return [vaultOf(token, asset)]
}

/** An unlisted vault pays at most the shares' part of the assets that it holds. */
async function toAssets(
  { reader, deployment }: At<Deployment>,
  vault: ProtocolContract,
  shares: bigint,
): Promise<TokenAmount[]> {
  const at = { address: vault.address, abi: erc4626Abi } as const
  const claim = reader.read({ ...at, functionName: 'convertToAssets', args: [shares] })
  const [token] = vault.underlyings
  if (!token) throw new Error(`vault ${vault.address} is stored without its asset`)
  if (isNamed(deployment, vault)) return [{ token, amountRaw: await claim }]
  const [claimed, supplyRaw, kept] = await Promise.all([
    claim,
    reader.read({ ...at, functionName: 'totalSupply' }),
    reader.read({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [vault.address] }),
  ])
  const part = supplyRaw === 0n ? 0n : (kept * shares) / supplyRaw
  const backing = { ways: [[heldBy(token, vault.address, kept)]], supplyRaw }
  return [{ token, amountRaw: min(claimed, part), backing }]
}

function payable({ amountRaw, backing }: TokenAmount, shares: bigint, paid = amountRaw): bigint {
  if (backing?.supplyRaw !== undefined && shares > backing.supplyRaw) return 0n
  return min(amountRaw, paid)
}

/** In base units. Undefined if a node cannot test it. */
async function paidFor(
  { reader, wallet }: PositionScope<Deployment>,
  { address, underlyings: [asset], balanceRaw }: HeldContract,
): Promise<bigint | undefined> {
  if (!asset) return undefined
  const read = { functionName: 'redeem', args: [address, asset, balanceRaw, wallet] } as const
  try {
    const [tried, paid] = await reader.lens(redeemLens, read, { at: wallet, lens: saleProbe })
    return tried ? paid : undefined
  } catch (error) {
    if (isNodeFailure(error)) throw error
    return undefined
  }
}
