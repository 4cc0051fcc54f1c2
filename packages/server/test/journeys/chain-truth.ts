import { addresses, type Devnet, type MarketParams, marketId, morphoMarkets, morphoVaults } from '@coffer/devnet'
import {
  type Address,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  erc4626Abi,
  keccak256,
  parseAbi,
  toHex,
} from 'viem'
import { NATIVE } from '../../src/domain/evm-address.ts'
import { openV4Nfts, v4Payout } from '../uniswap-v4-truth.ts'

/** Holdings by viem and the protocols' own views, independent of the service's code. */

type ChainKey = keyof Devnet['chains']
/** Token in lower case, base units; lines drop zeros. */
export type Amount = readonly [token: string, amountRaw: bigint]
export type PositionFacts = {
  protocol: string
  pool: string
  supplied: readonly Amount[]
  borrowed?: readonly Amount[]
  rewards?: readonly Amount[]
  /** 18 decimals; undefined without debt. */
  health?: bigint | undefined
}
export type Truth = { held: Amount[]; receipts: Amount[]; positions: PositionFacts[] }

const MAX_UINT128 = 2n ** 128n - 1n
const FAR_FUTURE = 2n ** 40n
/** State-changing functions as views: a static call returns their payout. */
const abi = parseAbi([
  'function getAllReservesTokens() view returns ((string symbol, address tokenAddress)[])',
  'function getReserveTokensAddresses(address asset) view returns (address aToken, address stableDebt, address variableDebt)',
  'function getUserAccountData(address user) view returns (uint256, uint256 debt, uint256, uint256, uint256, uint256 healthFactor)',
  'function getAllUserRewards(address[] assets, address user) view returns (address[] rewards, uint256[] amounts)',
  'function balanceOfUnderlying(address owner) view returns (uint256)',
  'function borrowBalanceCurrent(address account) view returns (uint256)',
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function burn(address to) view returns (uint256 amount0, uint256 amount1)',
  'function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)',
  'function positions(uint256 tokenId) view returns (uint96, address, address token0, address token1, uint24 fee, int24, int24, uint128 liquidity, uint256, uint256, uint128, uint128)',
  'function collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max) params) view returns (uint256 amount0, uint256 amount1)',
  'function decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) view returns (uint256 amount0, uint256 amount1)',
  'function getPool(address, address, uint24) view returns (address)',
  'function getStETHByWstETH(uint256 amount) view returns (uint256)',
  'function earned(address account) view returns (uint256)',
  'function pendingCake(uint256 tokenId) view returns (uint256)',
  'struct Market { address loanToken; address collateralToken; address oracle; address irm; uint256 lltv; }',
  'function position(bytes32 id, address account) view returns (uint256 supplyShares, uint128 borrowShares, uint128 collateral)',
  'function withdraw(Market market, uint256 assets, uint256 shares, address onBehalf, address receiver) view returns (uint256 assets, uint256 shares)',
  'function repay(Market market, uint256 assets, uint256 shares, address onBehalf, bytes data) view returns (uint256 assets, uint256 shares)',
  'function redeem(uint256 shares, address receiver, address owner) view returns (uint256 assets)',
  'function price() view returns (uint256)',
])

export type Scope = { devnet: Devnet; chain: ChainKey; owner: Address; block: bigint }

export async function readTruth(devnet: Devnet, chain: ChainKey, owner: Address, block: bigint): Promise<Truth> {
  const scope = { devnet, chain, owner, block }
  const parts = await Promise.all([
    heldTokens(scope),
    aave(scope, 'aave_v3', addresses[chain].aaveV3),
    uniswapV2(scope),
    v3Nfts(scope, 'uniswap_v3', addresses[chain].uniswapV3),
    vault(scope),
    ...(chain === 'ethereum'
      ? [
          ...[aave(scope, 'aave_v2', addresses.ethereum.aaveV2), compoundV2(scope), lido(scope)],
          v3Nfts(scope, 'pancakeswap_v3', addresses.ethereum.pancakeV3),
          ...[stakingRewards(scope), pancakeChef(scope), uniswapV4(scope), morpho(scope)],
        ]
      : []),
  ])
  return {
    held: parts.flatMap((part) => part.held ?? []),
    receipts: parts.flatMap((part) => part.receipts ?? []),
    positions: parts.flatMap((part) => part.positions ?? []),
  }
}

type Part = Partial<Truth>

const clientOf = ({ devnet, chain }: Scope) => devnet.chains[chain].client
const zip = <A, B>(keys: readonly A[], values: readonly B[]) => keys.map((key, i) => [key, values[i]] as [A, B])

function each(
  scope: Scope,
  contracts: readonly Address[],
  functionName: 'balanceOfUnderlying' | 'borrowBalanceCurrent',
): Promise<bigint[]> {
  const { owner, block: blockNumber } = scope
  return Promise.all(
    contracts.map((address) =>
      clientOf(scope).readContract({ address, abi, functionName, args: [owner], blockNumber }),
    ),
  )
}

async function balances(scope: Scope, tokens: readonly Address[], owner = scope.owner): Promise<Amount[]> {
  const read = { abi: erc20Abi, functionName: 'balanceOf', args: [owner], blockNumber: scope.block } as const
  const amounts = await Promise.all(tokens.map((address) => clientOf(scope).readContract({ ...read, address })))
  return zip(tokens, amounts)
}

async function heldTokens(scope: Scope): Promise<Part> {
  const native = await clientOf(scope).getBalance({ address: scope.owner, blockNumber: scope.block })
  return { held: [[NATIVE, native], ...(await balances(scope, Object.values(addresses[scope.chain].tokens)))] }
}

type AaveAddresses = { dataProvider: Address; pool: Address; rewards?: Address }

async function aave(scope: Scope, protocol: string, at: AaveAddresses): Promise<Part> {
  const { owner, block: blockNumber } = scope
  const client = clientOf(scope)
  const provider = { address: at.dataProvider, abi, blockNumber } as const
  const reserves = (await client.readContract({ ...provider, functionName: 'getAllReservesTokens' })).map(
    ({ tokenAddress }) => tokenAddress,
  )
  const functionName = 'getReserveTokensAddresses'
  const tokens = await Promise.all(
    reserves.map((asset) => client.readContract({ ...provider, functionName, args: [asset] })),
  )
  const receipts = await balances(
    scope,
    tokens.map(([aToken]) => aToken),
  )
  const debts = await balances(
    scope,
    tokens.flatMap(([, stable, variable]) => [stable, variable]),
  )
  const account = { address: at.pool, abi, functionName: 'getUserAccountData', args: [owner], blockNumber } as const
  const [, debt, , , , healthFactor] = await client.readContract(account)
  const indebted = debt > 0n || debts.some(([, amountRaw]) => amountRaw > 0n)
  const pay = { abi, functionName: 'getAllUserRewards', blockNumber } as const
  const assets = tokens.flatMap(([aToken, , variable]) => [aToken, variable])
  const [rewardTokens, owed] = at.rewards
    ? await client.readContract({ ...pay, address: at.rewards, args: [assets, owner] })
    : [[], []]
  const position: PositionFacts = {
    protocol,
    pool: at.pool,
    supplied: zip(
      reserves,
      receipts.map(([, amountRaw]) => amountRaw),
    ),
    borrowed: reserves.flatMap((asset, i): Amount[] => [
      [asset, debts[2 * i]?.[1] ?? 0n],
      [asset, debts[2 * i + 1]?.[1] ?? 0n],
    ]),
    rewards: zip(rewardTokens, owed),
    health: indebted && healthFactor !== 2n ** 256n - 1n ? healthFactor : undefined,
  }
  return { receipts, positions: [position] }
}

async function compoundV2(scope: Scope): Promise<Part> {
  const { comptroller, markets } = addresses.ethereum.compoundV2
  const { usdc, dai, wbtc } = addresses.ethereum.tokens
  const contracts = [markets.ceth, markets.cusdc, markets.cdai, markets.cwbtc]
  const underlyings = [NATIVE, usdc, dai, wbtc]
  const [supplied, borrowed, receipts] = await Promise.all([
    each(scope, contracts, 'balanceOfUnderlying'),
    each(scope, contracts, 'borrowBalanceCurrent'),
    balances(scope, contracts),
  ])
  const position = { protocol: 'compound_v2', pool: comptroller }
  return {
    receipts,
    positions: [{ ...position, supplied: zip(underlyings, supplied), borrowed: zip(underlyings, borrowed) }],
  }
}

async function uniswapV2(scope: Scope): Promise<Part> {
  const receipts = await balances(scope, Object.values(addresses[scope.chain].uniswapV2.pairs))
  const held = receipts.filter(([, liquidity]) => liquidity > 0n)
  const positions = await Promise.all(
    held.map(async ([pair, liquidity]): Promise<PositionFacts> => {
      return { protocol: 'uniswap_v2', pool: pair, supplied: await coinsOf(scope, pair as Address, liquidity) }
    }),
  )
  return { receipts, positions }
}

/** Transfer and `burn` in one static call. */
export async function coinsOf(scope: Scope, pair: Address, liquidity: bigint): Promise<Amount[]> {
  const at = { address: pair, abi, blockNumber: scope.block } as const
  const token0 = await clientOf(scope).readContract({ ...at, functionName: 'token0' })
  const token1 = await clientOf(scope).readContract({ ...at, functionName: 'token1' })
  const [paid0, paid1] = (await burnt(scope, pair, liquidity)) ?? []
  return [
    [token0, paid0 ?? 0n],
    [token1, paid1 ?? 0n],
  ]
}

/**
 * A pair keeps balances by account in slot 1: the override puts the share where `burn` looks. Undefined on revert: such
 * a share pays nothing.
 */
async function burnt(scope: Scope, pair: Address, liquidity: bigint): Promise<readonly [bigint, bigint] | undefined> {
  const index = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [pair, 1n]))
  const data = encodeFunctionData({ abi, functionName: 'burn', args: [scope.owner] })
  const client = clientOf(scope)
  const kept = BigInt((await client.getStorageAt({ address: pair, slot: index, blockNumber: scope.block })) ?? 0)
  const answer = await client
    .call({
      to: pair,
      data,
      blockNumber: scope.block,
      stateOverride: [{ address: pair, stateDiff: [{ slot: index, value: toHex(kept + liquidity, { size: 32 }) }] }],
    })
    .catch(() => undefined)
  return answer?.data && decodeFunctionResult({ abi, functionName: 'burn', data: answer.data })
}

/** NFTs that the wallet itself has. */
async function v3Nfts(scope: Scope, protocol: string, at: { manager: Address; factory: Address }): Promise<Part> {
  const { positions } = await positionNfts(scope, at, at.manager)
  return { positions: positions.map(({ tokenId: _, ...facts }) => ({ ...facts, protocol })) }
}

/**
 * Calls `decreaseLiquidity` of everything and `collect` as the NFT's owner. `keeper`: lists the NFTs and takes these
 * calls, the manager or the staking contract.
 */
async function positionNfts(
  scope: Scope,
  { manager, factory }: { manager: Address; factory: Address },
  keeper: Address,
): Promise<{ positions: (PositionFacts & { tokenId: bigint })[] }> {
  const { owner, block: blockNumber } = scope
  const client = clientOf(scope)
  const at = { address: keeper, abi, blockNumber } as const
  const [[, count] = ['', 0n]] = await balances(scope, [keeper])
  const positions = await Promise.all(
    Array.from({ length: Number(count) }, async (_, i) => {
      const functionName = 'tokenOfOwnerByIndex'
      const tokenId = await client.readContract({ ...at, functionName, args: [owner, BigInt(i)] })
      const nft = await client.readContract({ ...at, address: manager, functionName: 'positions', args: [tokenId] })
      const [, , token0, token1, fee, , , liquidity] = nft
      const pool = { address: factory, abi, functionName: 'getPool', args: [token0, token1, fee] } as const
      const out = { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: FAR_FUTURE }
      const all = { tokenId, recipient: owner, amount0Max: MAX_UINT128, amount1Max: MAX_UINT128 }
      const call = { ...at, account: owner } as const
      const principal =
        liquidity > 0n
          ? await client.readContract({ ...call, functionName: 'decreaseLiquidity', args: [out] })
          : [0n, 0n]
      const owed = await client
        .readContract({ ...call, functionName: 'collect', args: [all] })
        .catch(() => [0n, 0n] as const)
      return {
        protocol: 'uniswap_v3',
        pool: await client.readContract({ ...pool, blockNumber }),
        tokenId,
        supplied: zip([token0, token1], principal),
        rewards: zip([token0, token1], owed),
      }
    }),
  )
  return { positions }
}

async function vault(scope: Scope): Promise<Part> {
  const { local, tokens } = addresses[scope.chain]
  const receipts = await balances(scope, [local.vault])
  const shares = receipts[0]?.[1] ?? 0n
  const rate = { address: local.vault, abi: erc4626Abi, functionName: 'convertToAssets', args: [shares] } as const
  const assets = await clientOf(scope).readContract({ ...rate, blockNumber: scope.block })
  return { receipts, positions: [{ protocol: 'nova_vaults', pool: local.vault, supplied: [[tokens.usdc, assets]] }] }
}

async function lido(scope: Scope): Promise<Part> {
  const { steth, wsteth } = addresses.ethereum.lido
  const receipts = await balances(scope, [steth, wsteth])
  const [staked = 0n, wrapped = 0n] = receipts.map(([, amountRaw]) => amountRaw)
  const rate = { address: wsteth, abi, functionName: 'getStETHByWstETH', args: [wrapped] } as const
  const unwrapped = await clientOf(scope).readContract({ ...rate, blockNumber: scope.block })
  return {
    receipts,
    positions: [
      { protocol: 'lido', pool: steth, supplied: [[steth, staked]] },
      { protocol: 'lido', pool: wsteth, supplied: [[steth, unwrapped]] },
    ],
  }
}

/** Stakes as the coins that the pair would pay, and owed UNI. */
async function stakingRewards(scope: Scope): Promise<Part> {
  const { pairs } = addresses.ethereum.uniswapV2
  const { uni } = addresses.ethereum.tokens
  const farms = Object.entries(addresses.ethereum.stakingRewards)
  const stakes = await balances(
    scope,
    farms.map(([, farm]) => farm),
  )
  const positions = await Promise.all(
    farms.map(async ([name, pool], i): Promise<PositionFacts> => {
      const read = { address: pool, abi, functionName: 'earned', args: [scope.owner] } as const
      const earned = await clientOf(scope).readContract({ ...read, blockNumber: scope.block })
      return {
        protocol: 'uniswap_liquidity_mining',
        pool,
        supplied: await coinsOf(scope, pairs[name as keyof typeof pairs], stakes[i]?.[1] ?? 0n),
        rewards: [[uni, earned]],
      }
    }),
  )
  return { positions }
}

/** The chef pays only its staker. */
async function pancakeChef(scope: Scope): Promise<Part> {
  const { chef, cake } = addresses.ethereum.pancakeV3
  const { positions = [] } = await positionNfts(scope, addresses.ethereum.pancakeV3, chef)
  const pending = await Promise.all(
    positions.map(({ tokenId }) => {
      const read = { address: chef, abi, functionName: 'pendingCake', args: [tokenId] } as const
      return clientOf(scope).readContract({ ...read, blockNumber: scope.block })
    }),
  )
  return {
    positions: positions.map(({ tokenId: _, ...facts }, i) => ({
      ...facts,
      protocol: 'pancakeswap_v3_farms',
      rewards: [...(facts.rewards ?? []), [cake, pending[i] ?? 0n] as const],
    })),
  }
}

async function uniswapV4(scope: Scope): Promise<Part> {
  const { owner, block } = scope
  const client = clientOf(scope)
  const ids = await openV4Nfts(client, owner, block)
  const positions = await Promise.all(
    ids.map(async (tokenId): Promise<PositionFacts> => {
      const facts = { protocol: 'uniswap_v4', pool: addresses.ethereum.uniswapV4.poolManager }
      return { ...facts, ...(await v4Payout(client, owner, tokenId, block)) }
    }),
  )
  return { positions }
}

/** Payouts of loans and repayments, and redemptions of vaults. */
async function morpho(scope: Scope): Promise<Part> {
  const { owner, block: blockNumber } = scope
  const receipts = await balances(scope, Object.values(morphoVaults()))
  const lent = await Promise.all(
    receipts.map(async ([pool, shares]): Promise<PositionFacts> => {
      const call = { address: pool as Address, abi, functionName: 'redeem', account: owner, blockNumber } as const
      const paid = shares > 0n ? await clientOf(scope).readContract({ ...call, args: [shares, owner, owner] }) : 0n
      return { protocol: 'morpho', pool, supplied: [[addresses.ethereum.tokens.usdc, paid]] }
    }),
  )
  const markets = await Promise.all(Object.values(morphoMarkets).map((market) => morphoMarket(scope, market)))
  return { receipts, positions: [...lent, ...markets] }
}

async function morphoMarket(scope: Scope, market: MarketParams): Promise<PositionFacts> {
  const { devnet, owner, block: blockNumber } = scope
  const client = clientOf(scope)
  const blue = { address: addresses.ethereum.morpho.blue, abi, blockNumber } as const
  const at = { ...blue, functionName: 'position', args: [marketId(market), owner] } as const
  const [shares, debt, collateral] = await client.readContract(at)
  const take = { ...blue, functionName: 'withdraw', account: owner } as const
  const [paid] = shares > 0n ? await client.readContract({ ...take, args: [market, 0n, shares, owner, owner] }) : [0n]
  const give = { ...blue, functionName: 'repay', account: devnet.wallets.whale.address } as const
  const [owed] = debt > 0n ? await client.readContract({ ...give, args: [market, 0n, debt, owner, '0x'] }) : [0n]
  return {
    ...{ protocol: 'morpho', pool: blue.address },
    supplied: [
      [market.loanToken, paid],
      [market.collateralToken, collateral],
    ],
    borrowed: [[market.loanToken, owed]],
    health: owed > 0n ? await morphoHealth(scope, market, { owed, collateral }) : undefined,
  }
}

async function morphoHealth(
  { devnet, block: blockNumber }: Scope,
  market: MarketParams,
  { owed, collateral }: { owed: bigint; collateral: bigint },
): Promise<bigint> {
  const read = { address: market.oracle, abi, functionName: 'price', blockNumber } as const
  const worth = (collateral * (await devnet.chains.ethereum.client.readContract(read))) / 10n ** 36n
  return (((worth * market.lltv) / 10n ** 18n) * 10n ** 18n) / owed
}
