import { encodePacked, getContractAddress, keccak256, parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { addressSchema } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
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

const tokenAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])

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
    const sides = pairsOf(deployment.tokens).map(([a, b]) => ({ pair: pairAddress(deployment, a, b), tokens: [a, b] }))
    const found = await Promise.all(
      sides.map(async ({ pair, tokens }) => {
        const token0 = await reader.tryRead({ address: pair, abi: pairAbi, functionName: 'token0' })
        return token0 === undefined ? [] : [protocolContractOf(pair, tokens)]
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
        const kept = { abi: tokenAbi, functionName: 'balanceOf', args: [pair] } as const
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

  async decompose({ reader, deployment, protocolContract, amountRaw }) {
    return amountsBehind(reader, deployment, protocolContract, amountRaw)
  },

  poolFactory: ({ factory, feeMillionths }) => ({
    kind: 'uniswap_v2',
    factory,
    ...(feeMillionths !== undefined && { feeMillionths }),
  }),

  history: () => ({ purposes: { pair: 'liquidity' } }),
}

function protocolContractOf(address: EvmAddress, underlyings: EvmAddress[]): ProtocolContract {
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
  const kept = { abi: tokenAbi, functionName: 'balanceOf', args: [address] } as const
  const [balance0, balance1, [reserve0, reserve1], totalSupply, kLast, feeTo] = await Promise.all([
    reader.read({ ...kept, address: token0 }),
    reader.read({ ...kept, address: token1 }),
    reader.read({ ...pair, functionName: 'getReserves' }),
    reader.read({ ...pair, functionName: 'totalSupply' }),
    reader.tryRead({ ...pair, functionName: 'kLast' }),
    reader.tryRead({ address: deployment.factory, abi: factoryAbi, functionName: 'feeTo' }),
  ])
  const feeOn = feeTo !== undefined && evmAddress(feeTo) !== NATIVE
  const state = { balance0, balance1, reserve0, reserve1, totalSupply, kLast: kLast ?? 0n, feeOn }
  const [amount0, amount1] = burn(liquidity, state, protocolFeeOf(deployment))
  return [
    { token: token0, amountRaw: amount0 },
    { token: token1, amountRaw: amount1 },
  ]
}

function protocolFeeOf({ protocolFee }: Deployment): ProtocolFee {
  if (!protocolFee) return UNISWAP_FEE
  const { factor, perRootK, perRootKLast } = protocolFee
  return { factor: BigInt(factor), perRootK: BigInt(perRootK), perRootKLast: BigInt(perRootKLast) }
}

/** `feeOn`: the factory takes its share of the growth. */
type PairState = {
  balance0: bigint
  balance1: bigint
  reserve0: bigint
  reserve1: bigint
  totalSupply: bigint
  kLast: bigint
  feeOn: boolean
}

/**
 * Mints `supply · (rootK − rootKLast) · factor ÷ (rootK · perRootK + rootKLast · perRootKLast)`. Uniswap: 1, 5, 1 (one
 * sixth).
 */
type ProtocolFee = { factor: bigint; perRootK: bigint; perRootKLast: bigint }

const UNISWAP_FEE: ProtocolFee = { factor: 1n, perRootK: 5n, perRootKLast: 1n }

/** Exact result of `burn`: mints the protocol's share first. Below one unit of a side `burn` reverts. */
function burn(liquidity: bigint, pair: PairState, fee: ProtocolFee): [bigint, bigint] {
  const supply = pair.totalSupply + protocolShare(pair, fee)
  if (supply === 0n) return [0n, 0n]
  const amounts: [bigint, bigint] = [(liquidity * pair.balance0) / supply, (liquidity * pair.balance1) / supply]
  return amounts.includes(0n) ? [0n, 0n] : amounts
}

function protocolShare({ reserve0, reserve1, totalSupply, kLast, feeOn }: PairState, fee: ProtocolFee): bigint {
  if (!feeOn || kLast === 0n) return 0n
  const rootK = squareRoot(reserve0 * reserve1)
  const rootKLast = squareRoot(kLast)
  if (rootK <= rootKLast) return 0n
  const share = totalSupply * (rootK - rootKLast) * fee.factor
  return share / (rootK * fee.perRootK + rootKLast * fee.perRootKLast)
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
