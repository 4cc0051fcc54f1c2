import { encodeAbiParameters, parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { Backing } from '../../../../domain/liquidity.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { Hex } from '../../rpc-values.ts'
import type { At, ProtocolContract } from '../adapter.ts'
import { addressSchema } from '../deployment.ts'
import { gaugeMakers, type Share } from '../shared/gauges.ts'
import { voteEscrow } from '../shared/vote-escrow.ts'

export const deployment = z
  .strictObject({
    /** v2 and its forks. */
    vault: addressSchema.optional(),
    /** For pools of known factories. */
    queries: addressSchema.optional(),
    vault3: addressSchema.optional(),
    /** Anyone may register a pool of their own at a vault. */
    factories: z.array(addressSchema).default([]),
    gauges: gaugeMakers.optional(),
    escrow: voteEscrow.optional(),
  })
  .refine(({ vault, vault3 }) => vault !== undefined || vault3 !== undefined, 'has no vault')

export type Deployment = z.infer<typeof deployment>

const vaultAbi = parseAbi([
  'function getPool(bytes32 poolId) view returns (address pool, uint8 specialization)',
  'function getPoolTokens(bytes32 poolId) view returns (address[] tokens, uint256[] balances, uint256 lastChangeBlock)',
  'function getPoolTokenInfo(bytes32 poolId, address token) view returns (uint256 cash, uint256 managed, uint256 lastChangeBlock, address assetManager)',
])

/** Virtual supply excludes what a pool minted for itself; actual supply includes protocol fees due. */
const poolAbi = parseAbi([
  'function getPoolId() view returns (bytes32)',
  'function getActualSupply() view returns (uint256)',
  'function getVirtualSupply() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

const queriesAbi = parseAbi([
  'struct ExitPoolRequest { address[] assets; uint256[] minAmountsOut; bytes userData; bool toInternalBalance; }',
  'function queryExit(bytes32 poolId, address sender, address recipient, ExitPoolRequest request) returns (uint256 bptIn, uint256[] amountsOut)',
])

const factoryAbi = parseAbi(['function isPoolFromFactory(address pool) view returns (bool)'])

/** v3. Live balances have 18 decimals, include token rates and exclude due yield fees. */
const vault3Abi = parseAbi([
  'struct TokenInfo { uint8 tokenType; address rateProvider; bool paysYieldFees; }',
  'struct PoolData { bytes32 poolConfigBits; address[] tokens; TokenInfo[] tokenInfo; uint256[] balancesRaw; uint256[] balancesLiveScaled18; uint256[] tokenRates; uint256[] decimalScalingFactors; }',
  'function isPoolRegistered(address pool) view returns (bool)',
  'function isPoolInRecoveryMode(address pool) view returns (bool)',
  'function getPoolTokens(address pool) view returns (address[] tokens)',
  'function getPoolTokenInfo(address pool) view returns (address[] tokens, TokenInfo[] tokenInfo, uint256[] balancesRaw, uint256[] lastBalancesLiveScaled18)',
  'function getPoolData(address pool) view returns (PoolData)',
  'function totalSupply(address pool) view returns (uint256)',
  'function balanceOf(address pool, address owner) view returns (uint256)',
])

const ONE = 10n ** 18n
/** With the pool's own share among its tokens, and without. */
const COMPOSABLE_EXIT = 2n
const EXIT = 1n

/** `made`: by a known factory, so that the code is known too. */
export async function shareAt(at: At<Deployment>, token: EvmAddress): Promise<ProtocolContract | undefined> {
  const [second, third] = await Promise.all([shareOfSecond(at, token), shareOfThird(at, token)])
  return third ?? second
}

export const isMade = ({ data }: ProtocolContract): boolean => data?.['made'] !== undefined

/** The pool states its ID, and the vault must confirm it. */
async function shareOfSecond({ reader, deployment: { vault, factories } }: At<Deployment>, address: EvmAddress) {
  if (!vault) return undefined
  const id = await reader.tryRead({ address, abi: poolAbi, functionName: 'getPoolId' })
  if (id === undefined) return undefined
  const call = { address: vault, abi: vaultAbi, args: [id] } as const
  const [pool, held, made] = await Promise.all([
    reader.tryRead({ ...call, functionName: 'getPool' }),
    reader.tryRead({ ...call, functionName: 'getPoolTokens' }),
    madeBy(reader, factories, address),
  ])
  if (!pool || !held || evmAddress(pool[0]) !== address) return undefined
  const tokens = held[0].map(evmAddress)
  const own = tokens.indexOf(address)
  const data = { id, ...(own >= 0 && { own: `${own}` }), ...made }
  return { address, role: 'share', fungible: true, underlyings: tokens.filter((token) => token !== address), data }
}

async function shareOfThird({ reader, deployment: { vault3, factories } }: At<Deployment>, address: EvmAddress) {
  if (!vault3) return undefined
  const call = { address: vault3, abi: vault3Abi, args: [address] } as const
  if (!(await reader.tryRead({ ...call, functionName: 'isPoolRegistered' }))) return undefined
  const [tokens, made] = await Promise.all([
    reader.tryRead({ ...call, functionName: 'getPoolTokens' }),
    madeBy(reader, factories, address),
  ])
  return tokens && { address, role: 'share', fungible: true, underlyings: tokens.map(evmAddress), data: { ...made } }
}

async function madeBy(reader: EvmReader, factories: readonly EvmAddress[], pool: EvmAddress) {
  const made = { abi: factoryAbi, functionName: 'isPoolFromFactory', args: [pool] } as const
  const flags = await Promise.all(factories.map((address) => reader.tryRead({ address, ...made })))
  return flags.includes(true) ? { made: 'true' } : {}
}

/** Rounds like the protocol. Undefined for more shares than exist, which only unknown code reports. */
export const worthOf = (at: At<Deployment>, share: Share): Promise<TokenAmount[] | undefined> =>
  share.protocolContract.data?.['id'] ? worthInSecond(at, share) : worthInThird(at, share)

/** Worth of a pool of unknown code: what an exit in recovery mode pays. */
async function worthInSecond(at: At<Deployment>, share: Share): Promise<TokenAmount[] | undefined> {
  const { protocolContract, amountRaw, holder } = share
  const { address } = protocolContract
  const pool = { address, abi: poolAbi } as const
  const [balances, total, virtual, actual, paid] = await Promise.all([
    balancesOf(at, protocolContract),
    at.reader.read({ ...pool, functionName: 'totalSupply' }),
    at.reader.tryRead({ ...pool, functionName: 'getVirtualSupply' }),
    at.reader.tryRead({ ...pool, functionName: 'getActualSupply' }),
    exitOf(at, share),
  ])
  const own = balances.find(({ token }) => token === address)?.amountRaw ?? 0n
  const supply = actual ?? virtual ?? (total > own ? total - own : 0n)
  if (holder && amountRaw > supply) return undefined
  const part = supply === 0n ? 0n : (amountRaw * ONE) / supply
  return balances.flatMap((balance, i) => {
    const { token } = balance
    if (token === address) return []
    const inProportion = (balance.amountRaw * part) / ONE
    return { token, amountRaw: paid?.[i] ?? inProportion, ...backingOf(protocolContract, balance, supply) }
  })
}

/** Asset managers of pools of unknown code may report any managed amount: only the vault's cash counts. */
async function balancesOf(
  { reader, deployment }: At<Deployment>,
  protocolContract: ProtocolContract,
): Promise<TokenAmount[]> {
  const call = { address: contractOf(deployment.vault), abi: vaultAbi } as const
  const id = protocolContract.data?.['id'] as Hex
  if (isMade(protocolContract)) {
    const [tokens, balances] = await reader.read({ ...call, functionName: 'getPoolTokens', args: [id] })
    return tokens.map((token, i) => ({ token: evmAddress(token), amountRaw: balances[i] ?? 0n }))
  }
  return Promise.all(
    assetsOf(protocolContract).map(async (token) => {
      const [cash] = await reader.read({ ...call, functionName: 'getPoolTokenInfo', args: [id, token] })
      return { token, amountRaw: cash }
    }),
  )
}

/** Shares of a pool of unknown code may be claimed from several sides. */
function backingOf(protocolContract: ProtocolContract, { token, amountRaw }: TokenAmount, supplyRaw: bigint) {
  if (isMade(protocolContract)) return {}
  const id = `${protocolContract.address} ${token}`
  return { backing: { ways: [[{ id, freeRaw: amountRaw }]], supplyRaw } satisfies Backing }
}

/** In the vault's order, with the pool's own share. */
function assetsOf({ address, underlyings, data }: ProtocolContract): EvmAddress[] {
  const own = data?.['own']
  return own === undefined ? underlyings : underlyings.toSpliced(Number(own), 0, address)
}

/** Undefined if the query refuses: too many shares, or a paused pool. */
async function exitOf({ reader, deployment: { queries } }: At<Deployment>, { protocolContract, amountRaw }: Share) {
  if (!(queries && isMade(protocolContract))) return undefined
  const { address, data } = protocolContract
  const assets = assetsOf(protocolContract)
  const kind = data?.['own'] === undefined ? EXIT : COMPOSABLE_EXIT
  const userData = encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [kind, amountRaw])
  const request = { assets, minAmountsOut: assets.map(() => 0n), userData, toInternalBalance: false }
  const args = [data?.['id'] as Hex, address, address, request] as const
  const [burnt, amounts] =
    (await reader.tryRead({ address: queries, abi: queriesAbi, functionName: 'queryExit', args })) ?? []
  return burnt === amountRaw ? amounts : undefined
}

/** Rates only round: an amount never exceeds its part of the balance. */
async function worthInThird(
  { reader, deployment: { vault3 } }: At<Deployment>,
  { protocolContract, amountRaw, holder }: Share,
): Promise<TokenAmount[] | undefined> {
  const { address } = protocolContract
  const call = { address: contractOf(vault3), abi: vault3Abi, args: [address] } as const
  const [supply, held, [tokens, , balances], isRecovering, pool] = await Promise.all([
    reader.read({ ...call, functionName: 'totalSupply' }),
    holder && reader.read({ ...call, functionName: 'balanceOf', args: [address, holder] }),
    reader.read({ ...call, functionName: 'getPoolTokenInfo' }),
    reader.read({ ...call, functionName: 'isPoolInRecoveryMode' }),
    reader.tryRead({ ...call, functionName: 'getPoolData' }),
  ])
  if (held !== undefined && amountRaw > held) return undefined
  const partOf = (balance = 0n) => (supply === 0n ? 0n : (balance * amountRaw) / supply)
  return tokens.map((named, i) => {
    const token = evmAddress(named)
    const backing = backingOf(protocolContract, { token, amountRaw: balances[i] ?? 0n }, supply)
    if (isRecovering) return { token, amountRaw: partOf(balances[i]), ...backing }
    const factor = (pool?.decimalScalingFactors[i] ?? 0n) * (pool?.tokenRates[i] ?? 0n)
    if (factor === 0n) throw new Error(`the rate of ${token} in pool ${address} could not be read`)
    return { token, amountRaw: (partOf(pool?.balancesLiveScaled18[i]) * ONE) / factor, ...backing }
  })
}

function contractOf(vault: EvmAddress | undefined): EvmAddress {
  if (!vault) throw new Error('a pool is stored of a vault that its row does not name')
  return vault
}
