import { addresses, type Devnet, morphoVaults } from '@coffer/devnet'
import { type Address, erc20Abi, parseAbi, parseEventLogs } from 'viem'
import { type EvmAddress, evmAddress, NATIVE } from '../src/domain/evm-address.ts'

/** Balances and their growth by viem and the protocols' own state, independent of the service's code. */

type Client = Devnet['chains']['ethereum']['client']
type Read = { address: Address; functionName: Getter; args: readonly Address[] }
type Getter =
  | 'scaledBalanceOf'
  | 'sharesOf'
  | 'getReserveNormalizedIncome'
  | 'getReserveNormalizedVariableDebt'
  | 'getTotalPooledEther'
  | 'getTotalShares'
  | 'userBasic'
  | 'accruedIndices'
/** `units` converts scaled units by the results of `index`. */
type Growing = {
  token: EvmAddress
  scaledOf(wallet: Address): Read
  index: readonly Read[]
  units(scaled: bigint, index: readonly bigint[]): bigint
}
/** By `wallet token`. */
type Amounts = Map<string, bigint>

const RAY = 10n ** 27n
/** Indices of Compound v3 have 15 digits. */
const COMET_INDEX = 10n ** 15n
const at = addresses.ethereum
const abi = parseAbi([
  'function getAllReservesTokens() view returns ((string symbol, address tokenAddress)[])',
  'function getReserveTokensAddresses(address asset) view returns (address aToken, address stableDebt, address variableDebt)',
  'function getReserveNormalizedIncome(address asset) view returns (uint256)',
  'function getReserveNormalizedVariableDebt(address asset) view returns (uint256)',
  'function scaledBalanceOf(address user) view returns (uint256)',
  'function sharesOf(address account) view returns (uint256)',
  'function getTotalPooledEther() view returns (uint256)',
  'function getTotalShares() view returns (uint256)',
  'function userBasic(address account) view returns (int104 principal, uint64, uint64, uint16, uint8)',
  'function accruedIndices() view returns (uint64 supplyIndex, uint64 borrowIndex)',
])

const moves = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event TransferShares(address indexed from, address indexed to, uint256 shares)',
])

export const entryKey = (wallet: string, token: string) => `${wallet} ${token}`.toLowerCase()

export type LedgerTruth = Awaited<ReturnType<typeof openLedgerTruth>>

/** For NFTs, their number. */
export async function openLedgerTruth(client: Client, wallets: readonly Address[]) {
  const aave = (await Promise.all([at.aaveV3, at.aaveV2].map((market) => aaveTokens(client, market)))).flat()
  const growing = [...aave, stakedEther, ...Object.values(at.compoundV3.comets).map(suppliedBase)]
  const plain = [
    ...Object.values(at.tokens),
    ...Object.values(at.uniswapV2.pairs),
    ...Object.values(at.compoundV2.markets),
    ...[at.compoundV2.rewardToken, at.compoundV3.rewardToken, at.lido.wsteth, at.local.vault, at.uniswapV3.manager],
    ...[at.pancakeV3.manager, at.pancakeV3.cake, at.uniswapV4.positionManager],
    ...Object.values(morphoVaults()),
  ]
  const tokens = [...growing.map(({ token }) => token), ...plain.map(evmAddress)]
  const multicall = { multicallAddress: at.multicall3, allowFailure: false, batchSize: 1_000_000 } as const

  /** Base units, zeros included. `more`: further tokens. */
  async function balances(block: bigint, more: readonly EvmAddress[] = []): Promise<Amounts> {
    const asked = [...new Set([...tokens, ...more])].filter((token) => token !== NATIVE)
    const places = wallets.flatMap((wallet) => asked.map((token) => ({ wallet, token })))
    const contracts = places.map(({ wallet, token }) => {
      return { address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] } as const
    })
    const [found, coins] = await Promise.all([
      client.multicall({ ...multicall, blockNumber: block, contracts }),
      Promise.all(wallets.map((address) => client.getBalance({ address, blockNumber: block }))),
    ])
    return new Map([
      ...places.map(({ wallet, token }, i): [string, bigint] => [entryKey(wallet, token), found[i] ?? 0n]),
      ...wallets.map((wallet, i): [string, bigint] => [entryKey(wallet, NATIVE), coins[i] ?? 0n]),
    ])
  }

  async function readAll(block: bigint, reads: readonly Read[]): Promise<bigint[]> {
    const contracts = reads.map((read) => ({ ...read, abi }))
    const answers = (await client.multicall({ ...multicall, blockNumber: block, contracts })) as (bigint | bigint[])[]
    return answers.map((answer) => (Array.isArray(answer) ? (answer[0] ?? 0n) : answer))
  }

  /** From the scaled units of the block before. */
  async function grownTo(block: bigint): Promise<{ before: Amounts; after: Amounts }> {
    const indexes = growing.flatMap(({ index }) => index)
    const held = growing.flatMap(({ scaledOf }) => wallets.map(scaledOf))
    const [earlier, later] = await Promise.all([readAll(block - 1n, [...indexes, ...held]), readAll(block, indexes)])
    const scaled = earlier.splice(indexes.length)
    const unitsBy = (values: bigint[]): Amounts =>
      new Map(
        growing.flatMap(({ token, index, units }, place) => {
          const own = values.splice(0, index.length)
          return wallets.map((wallet, i): [string, bigint] => {
            const amount = scaled[place * wallets.length + i] ?? 0n
            return [entryKey(wallet, token), units(amount, own)]
          })
        }),
      )
    return { before: unitsBy(earlier), after: unitsBy(later) }
  }

  /** Growth of the previous block's scaled balances, by the protocols' own indexes. */
  async function accrued(block: bigint): Promise<Amounts> {
    const { before, after } = await grownTo(block)
    return new Map([...after].map(([key, units]) => [key, units - (before.get(key) ?? 0n)]))
  }

  /**
   * Counts transfer events. stETH logs each move in units and in shares. It moves whole shares, each worth more than
   * one unit: two units can be lost in between.
   */
  async function events(block: bigint): Promise<Amounts> {
    const logs = await client.getLogs({ fromBlock: block, toBlock: block })
    const counts: Amounts = new Map()
    for (const { address, args } of parseEventLogs({ abi: moves, logs })) {
      for (const side of new Set([args.from, args.to])) {
        const key = entryKey(side, address)
        counts.set(key, (counts.get(key) ?? 0n) + 1n)
      }
    }
    return counts
  }

  return { growing: new Set<string>(growing.map(({ token }) => token)), balances, accrued, events }
}

/** aTokens and variable debts. */
async function aaveTokens(client: Client, market: { dataProvider: Address; pool: Address }): Promise<Growing[]> {
  const provider = { address: market.dataProvider, abi } as const
  const reserves = await client.readContract({ ...provider, functionName: 'getAllReservesTokens' })
  const tokens = await Promise.all(
    reserves.map(async ({ tokenAddress: asset }) => {
      const call = { ...provider, functionName: 'getReserveTokensAddresses', args: [asset] } as const
      const [supply, , debt] = await client.readContract(call)
      return [
        scaledToken(supply, { address: market.pool, functionName: 'getReserveNormalizedIncome', args: [asset] }),
        scaledToken(debt, { address: market.pool, functionName: 'getReserveNormalizedVariableDebt', args: [asset] }),
      ]
    }),
  )
  return tokens.flat()
}

/** As Aave does, half of the last digit is rounded up. */
function scaledToken(token: Address, index: Read): Growing {
  return {
    token: evmAddress(token),
    scaledOf: (wallet) => ({ address: token, functionName: 'scaledBalanceOf', args: [wallet] }),
    index: [index],
    units: (scaled, [ray = 0n]) => (scaled * ray + RAY / 2n) / RAY,
  }
}

/** A negative principal is a debt. */
const suppliedBase = (comet: Address): Growing => ({
  token: evmAddress(comet),
  scaledOf: (wallet) => ({ address: comet, functionName: 'userBasic', args: [wallet] }),
  index: [{ address: comet, functionName: 'accruedIndices', args: [] }],
  units: (principal, [index = 0n]) => (principal > 0n ? (principal * index) / COMET_INDEX : 0n),
})

const stakedEther: Growing = {
  token: evmAddress(at.lido.steth),
  scaledOf: (wallet) => ({ address: at.lido.steth, functionName: 'sharesOf', args: [wallet] }),
  index: [
    { address: at.lido.steth, functionName: 'getTotalPooledEther', args: [] },
    { address: at.lido.steth, functionName: 'getTotalShares', args: [] },
  ],
  units: (shares, [ether = 0n, all = 0n]) => (all === 0n ? 0n : (shares * ether) / all),
}
