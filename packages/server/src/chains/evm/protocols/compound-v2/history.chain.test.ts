import { addresses, deployMarketRewards } from '@coffer/devnet'
import { type Address, formatEther, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'

const { tokens, compoundV2 } = addresses.ethereum
const { comptroller, markets } = compoundV2
const { uni, link } = tokens
const abi = parseAbi([
  'function updateMarketSupplyIndexAndDisburseSupplierRewards(address mToken, address supplier, bool send)',
  'function claimReward(address holder, address[] mTokens)',
])

let bench: HistoryBench
let distributor: Address

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    distributor = await deployMarketRewards(chain, chain.actions.erc20, [uni, link])
    const deployment = { comptroller, rewards: { scheme: 'moonwell', distributor } }
    return { rows: [{ family: 'compound_v2', key: 'moonwell', name: 'Moonwell', chain: 'ethereum', deployment }] }
  })
})
afterAll(() => bench?.stop())

it("what Moonwell's distributor pays is income, also where another one claims it", async () => {
  const wallet: Address = '0x00000000000000000000000000000000300e1100'
  const other: Address = '0x00000000000000000000000000000000300e1101'
  const at = { address: distributor, abi } as const
  const amount = parseEther('10')
  await bench.fund(wallet, amount)
  const args = [markets.ceth, wallet, false] as const
  await bench.chain.write({
    ...{ ...at, from: distributor, functionName: 'updateMarketSupplyIndexAndDisburseSupplierRewards' },
    args,
  })
  await bench.chain.actions.compoundV2.mint(wallet, markets.ceth, amount)
  const before = await bench.client.getBlockNumber()
  for (const from of [wallet, other]) {
    await bench.chain.travel(86_400)
    await bench.chain.write({ ...at, from, functionName: 'claimReward', args: [wallet, [markets.ceth]] })
  }
  const found = await bench.readSince(wallet, before)
  expect(found.map(({ type, protocol, movements }) => [type, protocol, movements.map((one) => one.treatment)])).toEqual(
    [
      ['CLAIM', 'moonwell', ['income', 'income']],
      ['CLAIM', 'moonwell', ['income', 'income']],
    ],
  )
  const { balanceOf } = bench.chain.actions.erc20
  const [ofUni, ofLink] = [await balanceOf(uni, wallet), await balanceOf(link, wallet)]
  const income = formatEther(7n * ofUni + 3n * ofLink)
  const quotes = { uni: { address: uni, price: '7' }, link: { address: link, price: '3' } }
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: {
      uni: `${formatEther(ofUni)} at ${formatEther(7n * ofUni)}`,
      link: `${formatEther(ofLink)} at ${formatEther(3n * ofLink)}`,
    },
    ...{ basis: income, income, realised: '0', disposals: 0, flagged: [] },
  })
})
