import { addresses, type Devnet } from '@coffer/devnet'
import { type Address, encodeFunctionData, type Hex, parseAbi, parseEther } from 'viem'
import type { Random } from '../random-of.ts'

const at = addresses.ethereum
const { tokens } = at

/** Modes of `HostileToken` and `HostileVault`, in the order of their enums. */
export const transfers = {
  honest: 0,
  refused: 1,
  false: 2,
  halfArrives: 3,
  swallowed: 4,
  burnGas: 5,
  refusedToContracts: 6,
  refusedFromAccounts: 7,
  refusedWithOrigin: 8,
} as const
export const balances = {
  honest: 0,
  revert: 1,
  huge: 2,
  burnGas: 3,
  nothing: 4,
  long: 5,
  hugeForContracts: 6,
  revertForHolders: 7,
  longRevert: 8,
} as const
export const facts = { honest: 0, revert: 1, burnGas: 2, nothing: 3, long: 4 } as const
export const answers = { honest: 0, zero: 1, huge: 2, revert: 3, burnGas: 4 } as const

export type TokenModes = {
  transfers?: keyof typeof transfers
  balances?: keyof typeof balances
  facts?: keyof typeof facts
}
export type VaultModes = Partial<Record<'supplies' | 'rates' | 'balances' | 'pays', keyof typeof answers>>

export const keysOf = <T extends object>(of: T) => Object.keys(of) as (keyof T)[]

/** Half of the untrusted contracts are honest at first sight. */
function drawModes<T extends Record<string, object>>({ pick, index }: Random, modes: T) {
  const drawn = Object.entries(modes).map(([name, all]) => [name, index(2) === 0 ? 'honest' : pick(Object.keys(all))])
  return Object.fromEntries(drawn) as { [K in keyof T]: keyof T[K] }
}
export const tokenModes = (random: Random): Required<TokenModes> => drawModes(random, { transfers, balances, facts })
export const vaultModes = (random: Random): Required<VaultModes> =>
  drawModes(random, { supplies: answers, rates: answers, balances: answers, pays: answers })

const tokenAbi = parseAbi([
  'function turn(uint8 transfers, uint8 balances)',
  'function turnFacts(uint8 facts)',
  'function mint(address to, uint256 value)',
  'function pretend(address from, address to, uint256 value)',
  'function pretendApproval(address owner, address spender, uint256 value)',
])
const vaultAbi = parseAbi([
  'function turn(uint8 supplies, uint8 rates, uint8 balances, uint8 pays)',
  'function turnAsset(address asset)',
  'function mint(address to, uint256 value)',
  'function drain(address to)',
])
const managerAbi = parseAbi([
  'struct Mint { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'function mint(Mint params) returns (uint256, uint128, uint256, uint256)',
  'function multicall(bytes[] data) returns (bytes[])',
])

const FAR_FUTURE = 2n ** 40n
const MINTS_PER_TRANSACTION = 24

export type Stage = Awaited<ReturnType<typeof createStage>>

/** Tokens and vaults that turn, pairs and pools on the real factories. */
export async function createStage(
  { chain, artifact }: { chain: Devnet['chains']['ethereum']; artifact: Artifacts },
  random: Random,
) {
  const maker = random.address() as Address
  const { erc20, uniswapV2, uniswapV3 } = chain.actions

  async function token({
    name = 'Gift',
    symbol = 'GIFT',
    decimals = 18,
    ...modes
  }: Partial<TokenFacts> & TokenModes = {}) {
    const address = await chain.deploy(artifact.token, [name, symbol, decimals, maker])
    const call = { from: maker, address, abi: tokenAbi } as const
    const turn = async (to: TokenModes) => {
      if (to.facts) await chain.write({ ...call, functionName: 'turnFacts', args: [facts[to.facts]] })
      const args = [transfers[to.transfers ?? 'honest'], balances[to.balances ?? 'honest']] as const
      await chain.write({ ...call, functionName: 'turn', args })
    }
    if (Object.keys(modes).length > 0) await turn(modes)
    return {
      address,
      turn,
      mint: (to: Address, value: bigint) => chain.write({ ...call, functionName: 'mint', args: [to, value] }),
      pretend: (from: Address, to: Address, value: bigint) =>
        chain.write({ ...call, functionName: 'pretend', args: [from, to, value] }),
      pretendApproval: (owner: Address, spender: Address, value: bigint) =>
        chain.write({ ...call, functionName: 'pretendApproval', args: [owner, spender, value] }),
    }
  }

  async function vault(asset: Address, keptRaw = 0n) {
    const address = await chain.deploy(artifact.vault, [asset])
    const call = { from: maker, address, abi: vaultAbi } as const
    if (keptRaw > 0n) await erc20.mint(asset, address, keptRaw)
    return {
      address,
      turn({ supplies = 'honest', rates = 'honest', balances: said = 'honest', pays = 'honest' }: VaultModes) {
        const args = [answers[supplies], answers[rates], answers[said], answers[pays]] as const
        return chain.write({ ...call, functionName: 'turn', args })
      },
      turnAsset: (to: Address) => chain.write({ ...call, functionName: 'turnAsset', args: [to] }),
      mint: (to: Address, value: bigint) => chain.write({ ...call, functionName: 'mint', args: [to, value] }),
      drain: () => chain.write({ ...call, functionName: 'drain', args: [maker] }),
    }
  }

  /** Pairs a token that anyone may mint with real WETH; the maker has all shares. */
  async function pair(
    token: Pick<Awaited<ReturnType<typeof createToken>>, 'address' | 'mint'>,
    tokenRaw: bigint,
    wethRaw: bigint,
  ) {
    await token.mint(maker, tokenRaw)
    await erc20.mint(tokens.weth, maker, wethRaw)
    await uniswapV2.add(maker, { token: token.address, amount: tokenRaw }, { token: tokens.weth, amount: wethRaw })
    const address = await uniswapV2.pairOf(token.address, tokens.weth)
    return { address, give: (to: Address, shareRaw: bigint) => erc20.transfer(address, maker, to, shareRaw) }
  }
  const createToken = token

  /** Liquidity at every price. */
  async function pool(
    { address, mint }: Pick<Awaited<ReturnType<typeof createToken>>, 'address' | 'mint'>,
    tokenRaw: bigint,
    wethRaw: bigint,
  ): Promise<{ fee: number }> {
    const fee = 3000
    await mint(maker, tokenRaw)
    await erc20.mint(tokens.weth, maker, wethRaw)
    const sides = [
      { token: address, amount: tokenRaw },
      { token: tokens.weth, amount: wethRaw },
    ] as const
    await uniswapV3.createPool(...sides, fee, maker)
    await uniswapV3.mint(maker, ...sides, fee, 'full')
    return { fee }
  }

  /** Sends position NFTs of a pool of two worthless tokens, unasked. */
  async function positionNfts(wallet: Address, count: number): Promise<Address[]> {
    const [one, other] = [await token(), await token()]
    const sides = [one, other].map(({ address }) => ({ token: address, amount: parseEther('1000') }))
    const [side0, side1] = sides.sort((a, b) => (BigInt(a.token) < BigInt(b.token) ? -1 : 1))
    if (!side0 || !side1) throw new Error('two tokens have two sides')
    for (const each of [one, other]) await each.mint(maker, parseEther('1000000'))
    await uniswapV3.createPool(side0, side1, 3000, maker)
    for (const { token: side } of [side0, side1]) await erc20.allow(side, maker, at.uniswapV3.manager)
    const params = {
      ...{ token0: side0.token, token1: side1.token, fee: 3000, tickLower: -60, tickUpper: 60 },
      ...{ amount0Desired: 1_000n, amount1Desired: 1_000n, amount0Min: 0n, amount1Min: 0n },
      ...{ recipient: wallet, deadline: FAR_FUTURE },
    }
    const mint = encodeFunctionData({ abi: managerAbi, functionName: 'mint', args: [params] })
    for (let left = count; left > 0; left -= MINTS_PER_TRANSACTION) {
      const data: Hex[] = Array.from({ length: Math.min(left, MINTS_PER_TRANSACTION) }, () => mint)
      const call = { from: maker, address: at.uniswapV3.manager as Address, abi: managerAbi } as const
      await chain.write({ ...call, functionName: 'multicall', args: [data] })
    }
    return [one.address, other.address]
  }

  /** For the service's configuration. */
  const listedToken = await token({ name: 'Listed', symbol: 'LIST' })

  return { chain, maker, random, tokens, token, listedToken, vault, pair, pool, positionNfts }
}

type TokenFacts = { name: string; symbol: string; decimals: number }
type Artifact = Parameters<Devnet['chains']['ethereum']['deploy']>[0]
type Artifacts = { token: Artifact; vault: Artifact }
