import {
  type Address,
  concat,
  encodeAbiParameters,
  type Hex,
  maxUint256,
  pad,
  parseAbi,
  parseEther,
  toEventSelector,
  toHex,
  zeroAddress,
} from 'viem'
import { ownArtifact } from '../artifact.ts'
import type { DevChain } from '../chain.ts'
import type { Erc20Actions } from './erc20.ts'

export const poisonAbi = parseAbi([
  'function setLie(uint8 lie, uint256 said)',
  'function setIndex(uint256 index)',
  'function setFee(uint256 fee)',
  'function setEchoes(uint256 echoes)',
  'function mint(address to, uint256 amount)',
  'function slip(address to, uint256 amount)',
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
  'function say(address from, address to, uint256 amount)',
  'function sayMany(address[] from, address[] to, uint256[] amounts)',
  'function log(bytes32[] topics, bytes data)',
  'function sayAndPay(address from, address to, uint256 amount, address other, address payee, uint256 paid)',
  'function trade(address give, uint256 given, address get, uint256 got, uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
])

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const TRANSFER_SINGLE = toEventSelector('TransferSingle(address,address,address,uint256,uint256)')
const TRANSFER_BATCH = toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])')
const MUCH = parseEther('1000000')
/** More receivers than an airdrop must have. */
const CROWD = 12

export const LIES = { honest: 0, says: 1, reverts: 2, burnsGas: 3, answersShort: 4 } as const

type Facts = { name?: string; symbol?: string; decimals?: number }

/**
 * Tokens that an untrusted sender uses to corrupt a wallet's data, with false events or balances. `beside`: an honest
 * token; a few units of it arrive in the same transaction.
 */
export type Poison = {
  name: string
  /** Honest base units that the wallet gains. */
  gives: bigint
  play(scene: PoisonScene): Promise<unknown>
}

export type PoisonScene = { chain: DevChain; erc20: Erc20Actions; wallet: Address; outsider: Address; beside: Address }

type Call = Parameters<DevChain['write']>[0]

export const deployPoison = async (
  { chain, outsider }: Pick<PoisonScene, 'chain' | 'outsider'>,
  { name = 'Poison', symbol = 'PSN', decimals = 18 }: Facts = {},
) => {
  const address = await chain.deploy(ownArtifact('PoisonToken'), [name, symbol, BigInt(decimals)])
  const call = (functionName: string, args: readonly unknown[]) =>
    chain.write({ from: outsider, address, abi: poisonAbi, functionName, args } as unknown as Call)
  return { address, call }
}

type Played = PoisonScene & Awaited<ReturnType<typeof deployPoison>>

const poison = (
  name: string,
  play: (played: Played) => Promise<unknown>,
  { gives = 0n, ...facts }: Facts & { gives?: bigint } = {},
): Poison => ({
  name,
  gives,
  play: async (scene) => play({ ...scene, ...(await deployPoison(scene, facts)) }),
})

/** The poison pays this out with the false event. */
const stock = async ({ erc20, beside, address }: Played, amount: bigint) => {
  await erc20.mint(beside, address, amount)
  return amount
}

const numbers = (...values: bigint[]): Hex => concat(values.map((value) => toHex(value, { size: 32 })))

export const POISONS: readonly Poison[] = [
  poison('a mint that never was', ({ call, wallet }) => call('say', [zeroAddress, wallet, MUCH])),
  poison('a send that never was', ({ call, wallet, outsider }) => call('say', [wallet, outsider, MUCH])),
  poison('a send of nothing', ({ call, wallet, outsider }) => call('say', [wallet, outsider, 0n])),
  poison('a transfer to itself', ({ call, wallet }) => call('say', [wallet, wallet, 5n])),
  poison('the largest amounts there are, ten times in and ten times out', async ({ call, wallet, outsider }) => {
    const ten = (value: Address) => Array.from({ length: 10 }, () => value)
    const largest = Array.from({ length: 10 }, () => maxUint256)
    await call('sayMany', [ten(zeroAddress), ten(wallet), largest])
    for (let i = 0; i < 10; i += 1) await call('say', [outsider, wallet, maxUint256])
    for (let i = 0; i < 20; i += 1) await call('say', [wallet, outsider, maxUint256])
    for (let i = 0; i < 10; i += 1) await call('say', [outsider, wallet, maxUint256])
  }),
  poison('a fee on transfer that its event keeps to itself', async ({ call, wallet, outsider }) => {
    await call('mint', [outsider, MUCH])
    await call('setFee', [1_000n])
    await call('transferFrom', [outsider, wallet, MUCH])
  }),
  poison('a balance that grows by itself', async ({ call, wallet }) => {
    await call('mint', [wallet, MUCH])
    await call('setIndex', [parseEther('1.5')])
  }),
  poison('a balance that shrinks by itself', async ({ call, wallet }) => {
    await call('mint', [wallet, MUCH])
    await call('setIndex', [parseEther('0.25')])
  }),
  poison('two events for one transfer', async ({ call, wallet, outsider }) => {
    await call('mint', [outsider, MUCH])
    await call('setEchoes', [2n])
    await call('transferFrom', [outsider, wallet, MUCH])
  }),
  poison('two events for one transfer away', async ({ call, wallet, outsider }) => {
    await call('mint', [wallet, MUCH])
    await call('setEchoes', [2n])
    await call('transferFrom', [wallet, outsider, MUCH])
  }),
  poison(
    'a send that never was, beside honest units that come',
    async (played) => {
      const { call, wallet, outsider, beside } = played
      await call('sayAndPay', [wallet, outsider, MUCH, beside, wallet, await stock(played, 7n)])
    },
    { gives: 7n },
  ),
  poison(
    'a mint that never was, beside honest units that come',
    async (played) => {
      const { call, wallet, beside } = played
      await call('sayAndPay', [zeroAddress, wallet, MUCH, beside, wallet, await stock(played, 11n)])
    },
    { gives: 11n },
  ),
  poison('too few topics, too many, and no data', async ({ call, wallet, outsider }) => {
    const [from, to] = [pad(outsider), pad(wallet)]
    await call('log', [[TRANSFER], encodeAbiParameters([{ type: 'address' }, { type: 'address' }], [outsider, wallet])])
    await call('log', [[TRANSFER, to], numbers(5n)])
    await call('log', [[TRANSFER, from, to], '0x'])
    await call('log', [[TRANSFER, from, to], `0x${'11'.repeat(31)}`])
    await call('log', [[TRANSFER, from, to, toHex(MUCH, { size: 32 })], numbers(5n)])
    await call('log', [[TRANSFER, to, from, toHex(MUCH, { size: 32 })], '0x'])
  }),
  poison('address topics with bits above the address', async ({ call, wallet, outsider }) => {
    const dirty: Hex = `0xff${pad(wallet).slice(4)}`
    await call('log', [[TRANSFER, pad(outsider), dirty], numbers(MUCH)])
    await call('log', [[TRANSFER, dirty, pad(wallet)], numbers(MUCH)])
  }),
  poison('counts of an ERC-1155 that has none', async ({ call, wallet, outsider }) => {
    const topics = [pad(outsider), pad(zeroAddress), pad(wallet)]
    await call('log', [[TRANSFER_SINGLE, ...topics], numbers(1n, maxUint256)])
    await call('log', [[TRANSFER_BATCH, ...topics], numbers(64n, 160n, 2n, 1n, 2n, 1n, 5n)])
    await call('log', [[TRANSFER_BATCH, ...topics], numbers(maxUint256, maxUint256)])
  }),
  poison('the symbol of the honest token', ({ call, wallet }) => call('say', [zeroAddress, wallet, MUCH]), {
    name: 'USD Coin',
    symbol: 'USDC',
    decimals: 6,
  }),
  poison('no symbol and no decimals', ({ call, wallet }) => call('say', [zeroAddress, wallet, MUCH]), {
    symbol: '',
    decimals: 256,
  }),
  poison('no decimals, and a balance', ({ call, wallet }) => call('mint', [wallet, 3n]), { decimals: 256 }),
  poison('a balance that is refused', async ({ call, wallet }) => {
    await call('setLie', [LIES.reverts, 0n])
    await call('mint', [wallet, MUCH])
  }),
  poison('a balance that burns all gas', async ({ call, wallet }) => {
    await call('setLie', [LIES.burnsGas, 0n])
    await call('mint', [wallet, MUCH])
  }),
  poison('a balance of 31 bytes', async ({ call, wallet }) => {
    await call('setLie', [LIES.answersShort, 0n])
    await call('mint', [wallet, MUCH])
  }),
  poison('the largest balance there is', async ({ call, wallet }) => {
    await call('setLie', [LIES.says, maxUint256])
    await call('say', [zeroAddress, wallet, 1n])
  }),
  poison('more than was told of', async ({ call, wallet }) => {
    await call('mint', [wallet, MUCH])
    await call('slip', [wallet, MUCH])
  }),
  poison('an airdrop to many that never was', async ({ call, wallet, outsider }) => {
    const crowd = Array.from({ length: CROWD }, (_, i) => pad(toHex(0xcafe0000 + i), { size: 20 }))
    const to = [wallet, ...crowd]
    await call('sayMany', [to.map(() => outsider), to, to.map(() => MUCH)])
  }),
  poison('gone from the wallet and back, in one transaction', async ({ call, wallet, outsider }) => {
    await call('sayMany', [
      [wallet, outsider],
      [outsider, wallet],
      [MUCH, MUCH - 1n],
    ])
  }),
]
