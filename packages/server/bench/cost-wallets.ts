import { type DevChain, ethereumActions, addresses as onChains } from '@coffer/devnet'
import { type Address, parseEther, parseUnits } from 'viem'
import { protocolRows } from '../src/chains/evm/protocols/protocols.ts'
import { type EvmAddress, evmAddress } from '../src/domain/evm-address.ts'
import { nodeAt } from '../test/local-node.ts'
import type { Random } from '../test/random-of.ts'
import { placeContracts } from '../test/test-tokens.ts'
import { gathered } from './gathered-chain.ts'

/** A read must find `tokens` in addition to coins, and at least this many `positions`. */
export type CostWallet = { address: string; tokens: readonly string[]; positions: number }

type EthereumChain = DevChain & { addresses: (typeof onChains)['ethereum'] }
type Actions = ReturnType<typeof ethereumActions>
type Position = (
  wallet: Address,
  means: { actions: Actions; wrap(amount: bigint): Promise<unknown> },
) => Promise<unknown>

/** One in ten is empty. One in three others has positions. */
const EMPTY_EVERY = 10
const POSITIONS_EVERY = 3
const MOST_TOKENS = 6
const MOST_POSITIONS = 3
/** Half are among the best known. */
const KNOWN_EVERY = 2
/** Concurrent wallets. */
const AT_ONCE = 500
const DEPOSIT = '0xd0e30db0'

const at = onChains.ethereum
const { usdc, dai, usdt, wbtc, link, uni, weth } = at.tokens
const KNOWN = [usdc, dai, usdt, wbtc, link, uni]
const DOLLARS = parseUnits('300', 6)
/** Small enough that the markets can serve all wallets of a night. */
const BORROWED = parseUnits('10', 6)
const SIDES = [
  { token: usdc, amount: DOLLARS },
  { token: weth, amount: parseEther('0.1') },
] as const

const saved = async (actions: Actions, wallet: Address) => actions.erc20.mint(usdc, wallet, DOLLARS)

/** Some USDC or wrapped coins may remain. */
const POSITIONS: readonly Position[] = [
  async (wallet, { actions, wrap }) => {
    await wrap(parseEther('1'))
    await actions.aaveV3.supply(wallet, weth, parseEther('1'))
    await actions.aaveV3.borrow(wallet, usdc, BORROWED)
  },
  async (wallet, { actions }) => {
    await saved(actions, wallet)
    await actions.vault.deposit(wallet, DOLLARS)
  },
  async (wallet, { actions, wrap }) => {
    await saved(actions, wallet)
    await wrap(SIDES[1].amount)
    await actions.uniswapV2.add(wallet, ...SIDES)
  },
  async (wallet, { actions, wrap }) => {
    await saved(actions, wallet)
    await wrap(SIDES[1].amount)
    await actions.uniswapV3.mint(wallet, ...SIDES, 500, { below: 1500, above: 1500 })
  },
  async (wallet, { actions }) => {
    await saved(actions, wallet)
    await actions.compoundV2.mint(wallet, at.compoundV2.markets.cusdc, DOLLARS)
  },
  async (wallet, { actions }) => {
    await saved(actions, wallet)
    await actions.compoundV3.supply(wallet, at.compoundV3.comets.usdc, usdc, DOLLARS)
  },
]

/** As text. Token code at these addresses would make contracts unreadable. */
const ofProtocols = JSON.stringify(protocolRows, (_, value) =>
  typeof value === 'bigint' ? String(value) : value,
).toLowerCase()

export function pickSome<T>(random: Random, from: readonly T[], count: number): T[] {
  const picked = new Set<T>()
  while (picked.size < count) picked.add(random.pick(from))
  return [...picked]
}

/**
 * One in ten is empty. The others hold coins and one to six listed tokens. A third of these has one to three positions.
 * Tokens arrive by transfers, positions by own transactions. Missing listed tokens are placed, except those of missing
 * protocols.
 */
export async function openCostWallets(chain: EthereumChain, listed: readonly string[], random: Random) {
  const node = nodeAt(chain.url)
  const all = listed.map(evmAddress)
  const codes = await node.sendAll<string>(all.map((address) => ['eth_getCode', address, 'latest']))
  const others = all.filter((address, i) => codes[i] === '0x' && !ofProtocols.includes(address))
  await placeContracts(
    node,
    others.map((address) => ({ address, code: 'mintable' as const })),
  )

  type Planned = CostWallet & { address: EvmAddress; opened: readonly Position[]; coins: bigint }

  function plan(): Planned {
    const address = random.address()
    if (random.index(EMPTY_EVERY) === 0) return { address, tokens: [], positions: 0, opened: [], coins: 0n }
    const tokens = new Set<Address>()
    for (let left = 1 + random.index(MOST_TOKENS); left > 0; left -= 1) {
      tokens.add(random.pick(random.index(KNOWN_EVERY) === 0 ? KNOWN : others))
    }
    const positions = random.index(POSITIONS_EVERY) === 0 ? 1 + random.index(MOST_POSITIONS) : 0
    return {
      ...{ address, tokens: [...tokens], positions, opened: pickSome(random, POSITIONS, positions) },
      coins: parseEther('5') + random.amount(1n, parseEther('100')),
    }
  }

  async function open(acting: DevChain, { address, tokens, opened }: Planned): Promise<void> {
    const actions = ethereumActions(acting)
    const wrap = (value: bigint) => acting.send({ from: address, to: weth, data: DEPOSIT, value })
    const amount = () => random.amount(10n ** 6n, 10n ** 12n)
    await Promise.all(tokens.map((token) => actions.erc20.mint(token as Address, address, amount())))
    for (const position of opened) await position(address, { actions, wrap })
  }

  return async function create(count: number): Promise<CostWallet[]> {
    const planned = Array.from({ length: count }, plan)
    await node.sendAll(planned.map(({ address, coins }) => ['anvil_setBalance', address, `0x${coins.toString(16)}`]))
    await gathered(chain, async (acting) => {
      for (let i = 0; i < count; i += AT_ONCE) {
        await Promise.all(planned.slice(i, i + AT_ONCE).map((wallet) => open(acting, wallet)))
      }
    })
    await ethereumActions(chain).feeds.refresh()
    return planned.map(({ address, tokens, positions }) => ({ address, tokens: tokens.map(evmAddress), positions }))
  }
}
