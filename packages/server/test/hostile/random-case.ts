import { poisonAbi } from '@coffer/devnet'
import { type Address, concat, type Hex, pad, parseEther, parseUnits, toEventSelector, toHex, zeroAddress } from 'viem'
import type { Random } from '../random-of.ts'
import type { Planted } from './cases.ts'
import type { Offer } from './sale.ts'
import { type Stage, tokenModes, vaultModes } from './stage.ts'

/** `protocols`: where untrusted holdings may be missing. */
export type RandomPlanted = Planted & { reported: string; offers: Offer[]; protocols: string[] }

type Drawn = {
  reported: string
  contracts?: Address[]
  tokens?: Address[]
  offers?: Offer[]
  protocols?: string[]
  turn?(): Promise<unknown>
}
type Scene = { stage: Stage; wallet: Address; random: Random; log: Address }

const NAMES = ['Gift', '', 'USD Coin', 'https://free.example', 'a\u0000b', '\u202eCDSU', 'x'.repeat(500), 'Nova']
const DECIMALS = [18, 18, 18, 0, 6, 1, 24, 36]

const drawToken = ({ stage, random }: Scene) =>
  stage.token({ name: random.pick(NAMES), symbol: random.pick(NAMES), decimals: random.pick(DECIMALS) })

async function token(scene: Scene): Promise<Drawn> {
  const { stage, wallet, random } = scene
  const drawn = await drawToken(scene)
  const market = random.pick([null, 'v2', 'v3'] as const)
  const reserves = [random.amount(10n ** 6n, 10n ** 30n), random.amount(10n ** 15n, 10n ** 21n)] as const
  if (market === 'v2') await stage.pair(drawn, ...reserves)
  if (market === 'v3') await stage.pool(drawn, ...reserves)
  const sent = random.amount(1n, random.pick([10n ** 30n, 10n ** 20n, 2n ** 250n]))
  await drawn.mint(wallet, sent)
  const modes = tokenModes(random)
  await drawn.turn(modes)
  const later = tokenModes(random)
  return {
    reported: `${sent} of a token, market ${market} ${reserves}, ${JSON.stringify([modes, later])}`,
    contracts: [drawn.address],
    offers: [{ kind: 'token', token: drawn.address, market }],
    turn: () => drawn.turn(later),
  }
}

async function share(scene: Scene): Promise<Drawn> {
  const { stage, wallet, random } = scene
  const drawn = await drawToken(scene)
  const pair = await stage.pair(drawn, random.amount(10n ** 12n, 10n ** 30n), random.amount(10n ** 15n, 10n ** 21n))
  const part = random.amount(1n, 10n ** 9n)
  await pair.give(wallet, part)
  const sent = random.index(2) === 0 ? 0n : random.amount(1n, 10n ** 30n)
  if (sent > 0n) await drawn.mint(wallet, sent)
  const modes = tokenModes(random)
  await drawn.turn(modes)
  const later = tokenModes(random)
  return {
    reported: `${part} of a pair and ${sent} of its token, ${JSON.stringify([modes, later])}`,
    contracts: [pair.address, drawn.address],
    offers: [{ kind: 'share', pair: pair.address, token: drawn.address }],
    protocols: ['uniswap_v2'],
    turn: () => drawn.turn(later),
  }
}

async function vault({ stage, wallet, random }: Scene): Promise<Drawn> {
  const { usdc, weth, link } = stage.tokens
  const asset = random.pick([usdc, weth, link])
  const kept = random.amount(1n, asset === usdc ? parseUnits('100000', 6) : parseEther('10'))
  const drawn = await stage.vault(asset, kept)
  const sharesRaw = random.amount(1n, 10n ** 24n)
  await drawn.mint(wallet, sharesRaw)
  if (random.index(2) === 0) await drawn.mint(stage.maker, random.amount(1n, 10n ** 24n))
  const [modes, later, isDrained] = [vaultModes(random), vaultModes(random), random.index(4) === 0]
  await drawn.turn(modes)
  return {
    reported: `${sharesRaw} of a vault of ${kept} of ${asset}, drained ${isDrained}, ${JSON.stringify([modes, later])}`,
    contracts: [drawn.address],
    offers: [{ kind: 'vault', vault: drawn.address, sharesRaw }],
    protocols: ['erc4626'],
    async turn() {
      if (isDrained) await drawn.drain()
      await drawn.turn(later)
    },
  }
}

async function nfts({ stage, wallet, random }: Scene): Promise<Drawn> {
  const count = 1 + random.index(5)
  const tokens = await stage.positionNfts(wallet, count)
  return { reported: `${count} position NFTs`, tokens, protocols: ['uniswap_v3'] }
}

const EVENTS = [
  'Transfer(address,address,uint256)',
  'Approval(address,address,uint256)',
  'Deposit(address,uint256)',
  'Withdrawal(address,uint256)',
  'Deposit(address,address,uint256,uint256)',
  'TransferSingle(address,address,address,uint256,uint256)',
  'TransferBatch(address,address,address,uint256[],uint256[])',
  'Mint(address,uint256,uint256)',
].map((event) => toEventSelector(event))

async function events({ stage, wallet, random, log }: Scene): Promise<Drawn> {
  const count = 1 + random.index(4)
  const party = (): Hex => pad(random.pick([wallet, wallet, stage.maker, zeroAddress, log]))
  for (let i = 0; i < count; i += 1) {
    const topics = [random.pick(EVENTS), ...Array.from({ length: random.index(4) }, party)]
    const words = Array.from({ length: random.index(4) }, () => toHex(random.amount(0n, 2n ** 256n - 1n), { size: 32 }))
    const data = concat([...words, random.index(4) === 0 ? '0x1122' : '0x'])
    const call = { from: stage.maker, address: log, abi: poisonAbi } as const
    await stage.chain.write({ ...call, functionName: 'log', args: [topics, data] })
  }
  return { reported: `${count} logs`, tokens: [log] }
}

const KINDS = [token, token, token, share, vault, vault, nfts, events]

/** Plants one to three contracts of any type and mode. `log`: logs anything. */
export async function plantRandom(scene: Scene): Promise<RandomPlanted> {
  const drawn: Drawn[] = []
  for (let left = 1 + scene.random.index(3); left > 0; left -= 1) drawn.push(await scene.random.pick(KINDS)(scene))
  return {
    reported: drawn.map(({ reported }) => reported).join('; '),
    contracts: drawn.flatMap(({ contracts = [] }) => contracts),
    tokens: drawn.flatMap(({ tokens = [] }) => tokens),
    offers: drawn.flatMap(({ offers = [] }) => offers),
    protocols: drawn.flatMap(({ protocols = [] }) => protocols),
    async turn() {
      for (const { turn } of drawn) await turn?.()
    },
  }
}
