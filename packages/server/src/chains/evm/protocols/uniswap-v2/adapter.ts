import { encodePacked, erc20Abi, getContractAddress, keccak256, parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { addressSchema, eachAlone } from '../deployment.ts'
import { exitLens } from '../shared/exit-lens.bytecode.ts'
import { areNamed, isRefused, nothingOf } from '../shared/pair-exit.ts'
import { uniswapV2Rows } from './rows.ts'

/** Forks return more than two reserves (fees, times). */
const pairAbi = parseAbi([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1)',
  'function totalSupply() view returns (uint256)',
  'function kLast() view returns (uint256)',
])

const factoryAbi = parseAbi(['function feeTo() view returns (address)'])

const deployment = z.strictObject({
  factory: addressSchema,
  /** keccak256 of the pair's creation code. Determines pair addresses (CREATE2). */
  initCodeHash: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)]),
  /** Pairs that are found without a wallet. */
  tokens: z.array(addressSchema).default([]),
  /** Defaults to Uniswap's 3,000. */
  feeMillionths: z.int().positive().optional(),
  /** Defaults to Uniswap's sixth. */
  protocolFee: z
    .strictObject({ factor: z.int().positive(), perRootK: z.int().positive(), perRootKLast: z.int().positive() })
    .optional(),
})

type Deployment = z.infer<typeof deployment>

export const uniswapV2: ProtocolAdapter<Deployment> = {
  name: 'uniswap_v2',
  deployment,
  rows: uniswapV2Rows,
  lenses: [exitLens],
  eachAlone: true,

  async discover({ reader, deployment }) {
    const found = await Promise.all(
      pairsOf(deployment.tokens).map(async (sides) => {
        const pair = pairAddress(deployment, ...sides)
        const token0 = await reader.tryRead({ address: pair, abi: pairAbi, functionName: 'token0' })
        return token0 === undefined ? [] : [protocolContractOf(pair, sides)]
      }),
    )
    return found.flat()
  },

  /** The address proves factory and tokens. Both tokens must answer for its balance. */
  async recognise({ reader, deployment, tokens }) {
    const found = await Promise.all(
      tokens.map(async (pair) => {
        const [token0, token1] = await Promise.all([
          reader.tryRead({ address: pair, abi: pairAbi, functionName: 'token0' }),
          reader.tryRead({ address: pair, abi: pairAbi, functionName: 'token1' }),
        ])
        if (token0 === undefined || token1 === undefined) return []
        const sides = [evmAddress(token0), evmAddress(token1)] as const
        if (pairAddress(deployment, ...sides) !== pair) return []
        const kept = { abi: erc20Abi, functionName: 'balanceOf', args: [pair] } as const
        const balances = await Promise.all(sides.map((address) => reader.tryRead({ ...kept, address })))
        return balances.includes(undefined) ? [] : [protocolContractOf(pair, [...sides])]
      }),
    )
    return found.flat()
  },

  vouches: ({ tokens }, { underlyings }) => areNamed(tokens, underlyings),

  positions: eachAlone(async ({ reader, deployment, wallet }, pair) => {
    const [refused, amounts] = await Promise.all([
      isRefused(reader, deployment.tokens, pair, wallet),
      amountsBehind(reader, deployment, pair, pair.balanceRaw),
    ])
    return {
      kind: 'liquidity',
      label: 'Pool',
      pool: pair.address,
      supplied: refused ? nothingOf(amounts) : amounts,
      receipts: [pair.address],
    }
  }),

  decompose: ({ reader, deployment, protocolContract, amountRaw }) =>
    amountsBehind(reader, deployment, protocolContract, amountRaw),

  poolFactory: ({ factory, feeMillionths }) => ({
    kind: 'uniswap_v2',
    factory,
    ...(feeMillionths !== undefined && { feeMillionths }),
  }),

  history: () => ({ purposes: { pair: 'liquidity' } }),
}

const protocolContractOf = (address: EvmAddress, underlyings: EvmAddress[]): ProtocolContract => {
  return { address, role: 'pair', fungible: true, underlyings }
}

function pairsOf(tokens: readonly EvmAddress[]): [EvmAddress, EvmAddress][] {
  const ordered = [...new Set(tokens)].sort()
  return ordered.flatMap((a, i) => ordered.slice(i + 1).map((b): [EvmAddress, EvmAddress] => [a, b]))
}

function pairAddress({ factory, initCodeHash }: Deployment, token0: EvmAddress, token1: EvmAddress): EvmAddress {
  const salt = keccak256(encodePacked(['address', 'address'], [token0, token1]))
  return evmAddress(getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecodeHash: initCodeHash }))
}

async function amountsBehind(
  reader: EvmReader,
  deployment: Deployment,
  { address, underlyings }: ProtocolContract,
  liquidity: bigint,
): Promise<TokenAmount[]> {
  const [token0, token1] = underlyings
  if (!token0 || !token1) throw new Error(`pair ${address} is stored without its tokens`)
  const pair = { address, abi: pairAbi } as const
  const kept = { abi: erc20Abi, functionName: 'balanceOf', args: [address] } as const
  const [balance0, balance1, [reserve0, reserve1], totalSupply, kLast, feeTo] = await Promise.all([
    reader.read({ ...kept, address: token0 }),
    reader.read({ ...kept, address: token1 }),
    reader.read({ ...pair, functionName: 'getReserves' }),
    reader.read({ ...pair, functionName: 'totalSupply' }),
    reader.tryRead({ ...pair, functionName: 'kLast' }),
    reader.tryRead({ address: deployment.factory, abi: factoryAbi, functionName: 'feeTo' }),
  ])
  const feeOn = feeTo !== undefined && evmAddress(feeTo) !== NATIVE
  const minted = feeOn ? protocolShare(totalSupply, reserve0 * reserve1, kLast ?? 0n, deployment) : 0n
  const supply = totalSupply + minted
  const amounts = [balance0, balance1].map((balance) => (supply === 0n ? 0n : (liquidity * balance) / supply))
  // Exact result of `burn`, which reverts below one unit of a side.
  const [amount0 = 0n, amount1 = 0n] = amounts.includes(0n) ? [] : amounts
  return [
    { token: token0, amountRaw: amount0 },
    { token: token1, amountRaw: amount1 },
  ]
}

/** One sixth of the growth. */
const UNISWAP_FEE = { factor: 1, perRootK: 5, perRootKLast: 1 }

/** Minted first: `supply · (rootK − rootKLast) · factor ÷ (rootK · perRootK + rootKLast · perRootKLast)`. */
function protocolShare(supply: bigint, k: bigint, kLast: bigint, { protocolFee = UNISWAP_FEE }: Deployment): bigint {
  const [rootK, rootKLast] = [squareRoot(k), squareRoot(kLast)]
  if (kLast === 0n || rootK <= rootKLast) return 0n
  const { factor, perRootK, perRootKLast } = protocolFee
  const share = supply * (rootK - rootKLast) * BigInt(factor)
  return share / (rootK * BigInt(perRootK) + rootKLast * BigInt(perRootKLast))
}

/** Rounds down. */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}
