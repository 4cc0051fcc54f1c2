import { mintExtensions, type SolanaDevnet, startSolanaDevnet, type Token } from '@coffer/devnet/solana'
import { cpmmMarket, type FixtureAccount, whirlpool } from '@coffer/solana-fixtures'
import { address, getAddressEncoder } from '@solana/kit'
import { expect, test } from 'vitest'
import { startService } from '../harness.ts'
import { started } from '../started.ts'

const SOL = '11111111111111111111111111111111'
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'
const HOOK = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
const NO_PROGRAM = address(SOL)
const DECIMALS = 6
const HELD = 100_000_000n
/** Base units of the token and of USDC: a quarter of a USDC for each. */
const RESERVES = [2_000_000_000_000n, 500_000_000_000n] as const
const FEE_MILLIONTHS = 2_500
const MOST_ADDRESSES = 10

type Options = Parameters<SolanaDevnet['actions']['mints']['create']>[1]
type Case = {
  name: string
  extensions?: Options['extensions']
  isListed?: true
  heldRaw?: bigint
  /** Shown units per stored unit. */
  multiplier?: number
  /** The creator's action after the wallet received the token. By default it gives up the freeze authority. */
  turn?(token: Token, wallet: ReturnType<typeof address>): Promise<unknown>
  isPriced: boolean
}

const noTurn = async () => undefined
const freeze: Case['turn'] = (token, wallet) => devnet.actions.tokens.freeze(token, wallet)
async function freezeForEver(token: Token, wallet: ReturnType<typeof address>): Promise<void> {
  await devnet.actions.tokens.freeze(token, wallet)
  await devnet.actions.mints.giveUpFreezing(token)
}

const { scaled, hook, transferFee } = mintExtensions
const cases: Case[] = [
  { name: 'plain', isPriced: true },
  { name: 'plain of Token-2022', extensions: [], isPriced: true },
  { name: 'freezable', turn: noTurn, isPriced: false },
  { name: 'freezable of Token-2022', extensions: [], turn: noTurn, isPriced: false },
  { name: 'frozen', turn: freeze, isPriced: false },
  { name: 'frozen by an authority that was given up', turn: freezeForEver, isPriced: false },
  { name: 'default-frozen', extensions: [mintExtensions.defaultFrozen()], isPriced: false },
  { name: 'non-transferable', extensions: [mintExtensions.nonTransferable()], isPriced: false },
  { name: 'hooked', extensions: [hook({ programId: HOOK })], isPriced: false },
  { name: 'with a hook to be named', extensions: [hook({ programId: NO_PROGRAM })], isPriced: false },
  { name: 'with a permanent delegate', extensions: [mintExtensions.permanentDelegate()], isPriced: false },
  { name: 'pausable', extensions: [mintExtensions.pausable()], isPriced: false },
  {
    name: 'with a fee on transfers',
    extensions: [transferFee({ basisPoints: 9_000, maximumFee: 2n ** 63n })],
    isPriced: false,
  },
  { name: 'listed and frozen', isListed: true, turn: freeze, isPriced: true },
  {
    name: 'listed, hooked, pausable, with a delegate',
    extensions: [hook({ programId: HOOK }), mintExtensions.pausable(), mintExtensions.permanentDelegate()],
    isListed: true,
    turn: noTurn,
    isPriced: true,
  },
  { name: 'scaled up', extensions: [scaled({ multiplier: 10 })], multiplier: 10, isPriced: true },
  { name: 'scaled down', extensions: [scaled({ multiplier: 0.001 })], multiplier: 0.001, isPriced: true },
  {
    name: 'scaled up by 10^15, one unit',
    extensions: [scaled({ multiplier: 1e15 })],
    heldRaw: 1n,
    multiplier: 1e15,
    isPriced: true,
  },
  {
    name: 'listed and scaled up',
    extensions: [scaled({ multiplier: 10 })],
    isListed: true,
    multiplier: 10,
    turn: noTurn,
    isPriced: true,
  },
]

/** The pool's payout in USD for the amount after its fee. */
function payout(amountRaw: bigint): number {
  const kept = Number(amountRaw) * (1 - FEE_MILLIONTHS / 1e6)
  return (kept * Number(RESERVES[1])) / (Number(RESERVES[0]) + kept) / 1e6
}

function place(account: FixtureAccount): void {
  devnet.chain.setAccount(address(account.address), { ...account, owner: address(account.owner) })
}

/** The program orders the mints of a pool by their bytes. */
async function openMarket(mint: Token['mint']): Promise<void> {
  const encode = getAddressEncoder().encode
  const isFirst = Buffer.compare(Buffer.from(encode(mint)), Buffer.from(encode(address(USDC)))) < 0
  const sides = { mints: [mint, USDC], reserves: RESERVES, fees: [0n, 0n] } as const
  const reversed = { mints: [USDC, mint], reserves: [RESERVES[1], RESERVES[0]], fees: [0n, 0n] } as const
  for (const account of await cpmmMarket({ ...(isFirst ? sides : reversed), feeMillionths: FEE_MILLIONTHS }))
    place(account)
}

async function play(each: Case) {
  const { name, extensions, heldRaw = HELD, multiplier = 1, isPriced } = each
  const { sol, mints, tokens } = devnet.actions
  const holder = await devnet.keypair(`holder: ${name}`)
  const wallet = holder.address
  await sol.give(wallet, 1_000_000_000n)
  const mint = await devnet.keypair(`mint: ${name}`)
  const token = await mints.create(mint, { decimals: DECIMALS, ...(extensions && { extensions }) })
  await openMarket(token.mint)
  if (name === 'default-frozen') {
    await tokens.open(token, holder, { feePayer: devnet.payer })
    await tokens.thaw(token, wallet)
  }
  await tokens.mint(token, wallet, heldRaw)
  await (each.turn ?? mints.giveUpFreezing)(token, wallet)
  const balance = String(Number(((Number(heldRaw) * multiplier) / 10 ** DECIMALS).toFixed(DECIMALS)))
  return { name, wallet, mint: token.mint, expected: { balance, value: isPriced ? payout(heldRaw) : 0 } }
}

/** A position in a pool of SOL and USDC, with rewards of a token shown tenfold. */
async function playLiquidity() {
  const { address: wallet } = await devnet.keypair('holder of a position')
  await devnet.actions.sol.give(wallet, 1_000_000_000n)
  const { chain } = devnet
  const clock = { slot: chain.slot(), epoch: chain.epoch(), time: Number(chain.time()) }
  const { accounts, expected } = await whirlpool(wallet, clock)
  for (const account of accounts) place(account)
  devnet.actions.mints.place(address(USDC), { decimals: 6, extensions: [scaled({ multiplier: 10 })] })
  return { wallet, supplied: expected.flatMap(({ supplied }) => supplied) }
}

const devnet = await started(startSolanaDevnet({ unixTime: BigInt(Math.floor(Date.now() / 1000)) }))
const wallets: Awaited<ReturnType<typeof play>>[] = []
for (const each of cases) wallets.push(await play(each))
const liquidity = await playLiquidity()
const listed = wallets.filter(({ name }) => cases.some((each) => each.name === name && each.isListed))
const tokens = listed.map(({ mint }) => {
  return { chain: 'solana', address: mint, symbol: 'LIST', name: 'Listed', decimals: DECIMALS }
})
const priceOverrides = [
  { chain: 'solana', token: SOL, usd: '150' },
  { chain: 'solana', token: WRAPPED_SOL, usd: '150' },
  { chain: 'solana', token: JUP, usd: '0.5' },
  { chain: 'solana', token: USDC, usd: '1' },
]
const service = await started(startService({ endpoints: { solana: [devnet.url] }, config: { tokens, priceOverrides } }))

async function read(addresses: readonly string[]) {
  return service.client.getPortfolio({ query: { addresses: [...addresses], waitForSync: true } })
}

test('an unlisted token that its creator can stop from being sold has no price; others have the price of what is stored', async () => {
  const saw = []
  for (let from = 0; from < wallets.length; from += MOST_ADDRESSES) {
    const some = wallets.slice(from, from + MOST_ADDRESSES)
    const portfolios = await read(some.map(({ wallet }) => wallet))
    for (const [i, { name, mint }] of some.entries()) {
      const portfolio = portfolios[i]
      const assets = portfolio?.assetByProtocols['wallet']?.chains['solana']?.protocolPositions['WALLET']?.assets ?? []
      const asset = assets.find(({ contract }) => contract === mint)
      saw.push({ name, balance: asset?.balance, value: Number(asset?.value), networth: Number(portfolio?.networth) })
    }
  }
  const should = wallets.map(({ name, expected: { balance, value } }) => {
    const close = (figure: number) => expect.closeTo(figure, 9)
    return { name, balance, value: close(value), networth: close(150 + value) }
  })
  expect(saw).toEqual(should)
})

test('what a position holds is shown as its program shows it, at the price of a shown unit', async () => {
  const [portfolio] = await read([liquidity.wallet])
  const groups = Object.values(portfolio?.assetByProtocols['orca']?.chains['solana']?.protocolPositions ?? {})
  const positions = groups.flatMap((group) => group?.protocolPositions ?? [])
  const usdc = positions.flatMap(({ assets }) => assets).find(({ contract }) => contract === USDC)
  const stored = liquidity.supplied.find(({ token }) => token === USDC)?.amountRaw ?? 0n
  // Six decimals, ten shown for one stored.
  const shown = Number(stored) / 1e5
  expect([Number(usdc?.balance), Number(usdc?.price), Number(usdc?.value)]).toEqual([shown, 1, shown])
})
