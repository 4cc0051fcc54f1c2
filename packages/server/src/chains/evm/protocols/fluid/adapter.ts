import { erc4626Abi, maxUint256, parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import {
  type HeldContract,
  type LeftOut,
  type ProtocolAdapter,
  type ProtocolContract,
  rowsByChain,
} from '../adapter.ts'
import { addressSchema, deployedOf, discoverEach, eachAlone } from '../deployment.ts'
import { nftPages } from '../shared/v3-positions.ts'
import chains from './chains.json' with { type: 'json' }
import { fluidLens } from './fluid-lens.bytecode.ts'
import { fluidHistory, tokenOf } from './history.ts'

const factoryAbi = parseAbi(['function allTokens() view returns (address[])'])

const smartAbi = parseAbi(['function TOKEN0() view returns (address)', 'function TOKEN1() view returns (address)'])

/** An NFT costs 20,000 to 1,000,000 gas. */
const PAGE_NFTS = { perPage: 8, perEnd: 128 }

const deployment = z.strictObject({
  liquidity: addressSchema,
  lendingFactory: addressSchema,
  smartLendingFactory: addressSchema,
  /** Also the NFT of vault positions. */
  vaultFactory: addressSchema,
})

type Deployment = z.infer<typeof deployment>

/** Only governance lets factories create contracts. */
export const fluid: ProtocolAdapter<Deployment> = {
  name: 'fluid',
  deployment,
  /** Source: Instadapp/fluid-contracts-public (git a9949b4). All chains have the same addresses. */
  rows: rowsByChain({ key: 'fluid', name: 'Fluid', siteUrl: 'https://fluid.io' }, chains),
  lenses: [fluidLens],
  eachAlone: true,

  async discover({ reader, deployment: { lendingFactory, smartLendingFactory, vaultFactory } }) {
    const found = await Promise.all([
      listed(reader, lendingFactory, lendingToken),
      listed(reader, smartLendingFactory, smartToken),
      deployedOf(reader, [{ address: vaultFactory, role: 'manager', fungible: false, underlyings: [] }]),
    ])
    return found.flat()
  },

  positions: eachAlone(async ({ reader, wallet, leftOut }, held) => {
    if (held.role === 'manager') return vaultPositions(reader, wallet, held, leftOut)
    return {
      kind: 'lending',
      label: held.role === 'smart' ? 'Smart lending' : 'Lending',
      pool: held.address,
      supplied: await worthOf(reader, held, held.balanceRaw),
      receipts: [held.address],
    }
  }),

  decompose: ({ reader, protocolContract, amountRaw }) => worthOf(reader, protocolContract, amountRaw),

  history: fluidHistory,
}

const listed = (
  reader: EvmReader,
  factory: EvmAddress,
  protocolContractOf: (reader: EvmReader, token: EvmAddress) => Promise<ProtocolContract>,
) =>
  discoverEach(reader, [factory], async (address) => {
    const tokens = await reader.read({ address, abi: factoryAbi, functionName: 'allTokens' })
    return Promise.all(tokens.map((token) => protocolContractOf(reader, evmAddress(token))))
  })

async function lendingToken(reader: EvmReader, address: EvmAddress): Promise<ProtocolContract> {
  const asset = await reader.read({ address, abi: erc4626Abi, functionName: 'asset' })
  return { address, role: 'lent', fungible: true, underlyings: [evmAddress(asset)] }
}

async function smartToken(reader: EvmReader, address: EvmAddress): Promise<ProtocolContract> {
  const [token0, token1] = await Promise.all([
    reader.read({ address, abi: smartAbi, functionName: 'TOKEN0' }),
    reader.read({ address, abi: smartAbi, functionName: 'TOKEN1' }),
  ])
  return { address, role: 'smart', fungible: true, underlyings: [tokenOf(token0), tokenOf(token1)] }
}

/** Before withdrawal limits. */
async function worthOf(reader: EvmReader, { address, role, underlyings }: ProtocolContract, amountRaw: bigint) {
  const amounts =
    role === 'smart'
      ? await reader.lens(fluidLens, { functionName: 'shares', args: [address, amountRaw] })
      : [await reader.read({ address, abi: erc4626Abi, functionName: 'convertToAssets', args: [amountRaw] })]
  return underlyings.map((token, i): TokenAmount => ({ token, amountRaw: amounts[i] ?? 0n }))
}

async function vaultPositions(
  reader: EvmReader,
  wallet: EvmAddress,
  { address: factory, balanceRaw }: HeldContract,
  leftOut: LeftOut,
): Promise<PositionDraft[]> {
  const pages = await Promise.all(
    nftPages(balanceRaw, leftOut, PAGE_NFTS).map(([start, end]) =>
      reader.lens(fluidLens, { functionName: 'positions', args: [factory, wallet, start, end] }),
    ),
  )
  for (const tokenId of pages.flatMap(([, refused]) => refused)) {
    leftOut(new Error(`position ${tokenId} of ${factory} refused to be read`))
  }
  return pages
    .flatMap(([found]) => found)
    .map(({ tokenId, vaultId, supplied, borrowed, health }) => ({
      kind: 'lending',
      label: `Vault ${vaultId}`,
      pool: factory,
      tokenId,
      supplied: amountsIn(supplied),
      borrowed: amountsIn(borrowed),
      receipts: [factory],
      ...(health !== maxUint256 && { healthFactorRaw: health }),
    }))
}

type Side = { token0: string; token1: string; amount0: bigint; amount1: bigint }

function amountsIn({ token0, token1, amount0, amount1 }: Side): TokenAmount[] {
  const first = { token: tokenOf(token0), amountRaw: amount0 }
  return token1 === NATIVE ? [first] : [first, { token: tokenOf(token1), amountRaw: amount1 }]
}
