import { mintExtensions, type SolanaDevnet, startSolanaDevnet, type Token } from '@coffer/devnet/solana'
import { AccountRole, type Instruction } from '@solana/kit'
import { expect, test } from 'vitest'
import { NATIVE_SOL } from '../../src/domain/solana-address.ts'
import { startClaimApi } from '../claim-api.ts'
import { startService } from '../harness.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { started } from '../started.ts'
import { letSyncAgain, syncTransactions } from '../sync.ts'

const SOL = 1_000_000_000n
const USD = 1_000_000n
const DAY = 86_400
const FIRST_DAY = Math.floor(Date.now() / 1000 / DAY) * DAY - 10 * DAY

const devnet = await started(startSolanaDevnet({ unixTime: BigInt(FIRST_DAY) }))
const prices = await started(startClaimApi())
const service = await started(
  startService({
    endpoints: { solana: [devnet.url] },
    env: { COFFER_PRICES: 'override,receipt,defillama', COFFER_DEFILLAMA_URL: prices.url },
  }),
)

type Key = Awaited<ReturnType<SolanaDevnet['keypair']>>

function amountData(head: readonly number[], amount: bigint): Uint8Array {
  const data = new Uint8Array(head.length + 8)
  data.set(head)
  new DataView(data.buffer).setBigUint64(head.length, amount, true)
  return data
}

const signing = (signer: Key, role: AccountRole.WRITABLE_SIGNER | AccountRole.READONLY_SIGNER) => ({
  ...{ address: signer.address, role, signer },
})

/** SOL of one wallet for tokens of another, in one transaction that both sign and the other pays for. */
async function exchange({ from, to, lamports, token, amount }: Exchange): Promise<void> {
  const accountOf = (owner: Key) => devnet.actions.tokens.accountOf(token, owner.address)
  const [source, target] = [await accountOf(to), await accountOf(from)]
  const writable = AccountRole.WRITABLE
  const instructions: (Instruction & { data: Uint8Array })[] = [
    {
      programAddress: NATIVE_SOL as Key['address'],
      accounts: [signing(from, AccountRole.WRITABLE_SIGNER), { address: to.address, role: writable }],
      data: amountData([2, 0, 0, 0], lamports),
    },
    {
      programAddress: token.program,
      accounts: [
        { address: source, role: writable },
        { address: target, role: writable },
        signing(to, AccountRole.READONLY_SIGNER),
      ],
      data: amountData([3], amount),
    },
  ]
  await devnet.send(instructions, { feePayer: to })
}
type Exchange = { from: Key; to: Key; lamports: bigint; token: Token; amount: bigint }

/** `now`: time of prices without a time, in Unix seconds. */
function givePrices(coinsAt: (time: number) => object, now = Math.floor(Date.now() / 1000)): void {
  prices.answerWith((path) => {
    const time = Number(/\/historical\/(\d+)\//.exec(path)?.[1] ?? now)
    return { body: JSON.stringify({ coins: coinsAt(time) }) }
  })
}

test('cost and PnL of a wallet by the prices of their days', async () => {
  const { sol, mints, tokens } = devnet.actions
  const [wallet, other] = [await devnet.keypair('cost'), await devnet.keypair('cost: other')]
  const dollar = await mints.create(await devnet.keypair('cost: dollar'), { decimals: 6 })
  const nextDay = (day: number) => devnet.chain.setTime(BigInt(FIRST_DAY + day * DAY + DAY / 2))
  await sol.give(other.address, 100n * SOL)
  await tokens.mint(dollar, other.address, 10_000n * USD)
  // 1,000 and 500 from outside.
  nextDay(1)
  await sol.give(wallet.address, 10n * SOL)
  await tokens.mint(dollar, wallet.address, 500n * USD)
  // 2,000 from outside: 20 SOL cost 150 each.
  nextDay(2)
  await sol.give(wallet.address, 10n * SOL)
  // 5 SOL, which cost 750, for 1,500.
  nextDay(3)
  await exchange({ from: wallet, to: other, lamports: 5n * SOL, token: dollar, amount: 1_500n * USD })
  // One SOL less, and 5,000 lamports at 400.
  nextDay(4)
  await sol.transfer(wallet, other.address, SOL)

  const solOn = (time: number) => [50, 100, 200, 300, 400][Math.floor((time - FIRST_DAY) / DAY)] ?? 400
  givePrices((time) => ({
    'coingecko:solana': { price: solOn(time), confidence: 0.99 },
    [`solana:${dollar.mint}`]: { price: 1, decimals: 6, confidence: 0.99 },
  }))
  expect(await syncTransactions(service, wallet.address)).toBe('done')
  const { transactions } = await service.client.listTransactions({ query: { addresses: wallet.address } })
  expect(transactions.map(({ type, valueFiat, closedPnl }) => [type, valueFiat, closedPnl])).toEqual([
    ['TRANSFEROUT', '400', '0'],
    ['SWAP', '1500', '750'],
    ['TRANSFERIN', '2000', '0'],
    ['TRANSFERIN', '500', '0'],
    ['TRANSFERIN', '1000', '0'],
  ])
  expect(transactions[0]).toMatchObject({
    fees: '0.000005',
    feesFiat: '0.002',
    nativeAssetFees: { symbol: 'sol', balance: '0.000005', price: '400', value: '0.002', isNativeAssetFees: true },
  })
  expect(transactions[0]).not.toHaveProperty('unpriced')
  expect(transactions[1]).toMatchObject({
    fees: '0',
    assetsOut: [{ symbol: 'sol', balance: '5', price: '300', costBasis: '750', closedPnl: '750' }],
    assetsIn: [{ contract: dollar.mint, balance: '1500', costBasis: '1500' }],
  })
  const portfolio = await readPortfolio(service, wallet.address)
  // 13.999995 SOL at a cost of 150 and 2,000 dollars; worth 400 each and 2,000.
  expect(portfolio).toMatchObject({
    totalCostBasis: '4099.99925',
    openPnl: '3499.99875',
    closedPnl: '750',
    fees: '5000',
    feesFiat: '0.002',
  })
})

test('an unpriced asset is not available, and not free', async () => {
  const wallet = await devnet.keypair('unpriced')
  await devnet.actions.sol.give(wallet.address, SOL)
  givePrices(() => ({}))
  expect(await syncTransactions(service, wallet.address)).toBe('done')
  const portfolio = await readPortfolio(service, wallet.address)
  expect(portfolio).toMatchObject({ totalCostBasis: 'N/A', openPnl: 'N/A', closedPnl: '0' })
})

test('a source of prices that fails makes the sync fail; the next call continues', async () => {
  const wallet = await devnet.keypair('source that fails')
  await devnet.actions.sol.give(wallet.address, SOL)
  prices.answerWith(() => ({ status: 500, body: '' }))
  expect(await syncTransactions(service, wallet.address)).toMatch(/^failed: a source of prices of solana failed/)
  givePrices(() => ({ 'coingecko:solana': { price: 7, confidence: 0.99 } }))
  expect(await syncTransactions(service, wallet.address)).toBe('done')
  const portfolio = await readPortfolio(service, wallet.address)
  expect(portfolio).toMatchObject({ totalCostBasis: '7' })
})

test('a split is no income: history, lots and files speak in the shares of their day', async () => {
  const { sol, mints, tokens } = devnet.actions
  const at = (day: number) => FIRST_DAY + day * DAY + DAY / 2
  const goTo = (day: number) => devnet.chain.setTime(BigInt(at(day)))
  const wallet = await devnet.keypair('stock')
  const [late, other] = [await devnet.keypair('late'), await devnet.keypair('market')]
  goTo(5)
  await sol.give(wallet.address, SOL)
  await sol.give(other.address, 100n * SOL)
  const extensions = [mintExtensions.scaled({ multiplier: 1 })]
  const stock = await mints.create(await devnet.keypair('stock: mint'), { decimals: 8, extensions })
  const share = 10n ** 8n
  // Ten shares at 300. One wallet is read before the split, one after it.
  for (const { address } of [wallet, late, other]) await tokens.mint(stock, address, 10n * share)
  givePrices(
    (time) => ({
      'coingecko:solana': { price: 165, confidence: 0.99 },
      [`solana:${stock.mint}`]: { price: time < at(6) ? 300 : 110, decimals: 8, confidence: 0.99 },
    }),
    at(7),
  )
  expect(await syncTransactions(service, wallet.address)).toBe('done')
  // Three for one on the sixth day; on the seventh fifteen of the thirty shares go for ten SOL, 1,650 USD.
  await mints.scale(stock, 3, BigInt(at(6)))
  goTo(7)
  await exchange({ from: other, to: wallet, lamports: 10n * SOL, token: stock, amount: 5n * share })
  await letSyncAgain(service)
  for (const { address } of [wallet, late]) expect(await syncTransactions(service, address)).toBe('done')

  const listed = async ({ address }: Key) =>
    (await service.client.listTransactions({ query: { addresses: address } })).transactions
      .flatMap(({ assetsIn, assetsOut }) => [...assetsIn, ...assetsOut])
      .filter(({ contract }) => contract === stock.mint)
  expect(await listed(wallet)).toMatchObject([
    { balance: '15', price: '110', value: '1650', costBasis: '1500', closedPnl: '150' },
    { balance: '10', price: '300', value: '3000', costBasis: '3000' },
  ])
  // The mint does not record since when one share was shown as one.
  expect(await listed(late)).toMatchObject([{ balance: '10', price: '0', priceSource: null, pnlReason: 'unpriced' }])

  const portfolio = await readPortfolio(service, wallet.address)
  const held = portfolio?.assetByProtocols['wallet']?.chains['solana']?.protocolPositions['WALLET']?.assets
  expect(held?.find(({ contract }) => contract === stock.mint)).toMatchObject({
    ...{ balance: '15', price: '110', value: '1650', totalCostBasis: '1500', openPnl: '150' },
  })
  expect(portfolio).toMatchObject({ closedPnl: '150' })
  const dayOf = (time: number) => new Date(time * 1_000).toISOString().slice(0, 10)
  const span = { from: dayOf(at(5)), to: dayOf(at(8)), method: 'FIFO' as const }
  const file = await service.client.exportGains({ query: { addresses: wallet.address, format: 'JSONL', ...span } })
  const sold = (await new Response(file).text())
    .split('\n')
    .flatMap((line) => (line ? [JSON.parse(line) as { contract?: string }] : []))
  expect(sold.filter(({ contract }) => contract === stock.mint)).toMatchObject([
    { quantity: '15', cost: '1500', proceeds: '1650', gain: '150' },
  ])
})
