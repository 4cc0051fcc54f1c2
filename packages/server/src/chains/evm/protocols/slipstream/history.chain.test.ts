import { addresses } from '@coffer/devnet'
import { parseEther, parseUnits } from 'viem'
import { expect, it } from 'vitest'
import { historyBench, legsOf } from '../../../../../test/history-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { FAR_FUTURE, MOST, openSlipstream } from '../../../../../test/slipstream-plays.ts'

const { usdc, weth, uni: reward } = addresses.ethereum.tokens
const PROTOCOL = 'slipstream'

const bench = await historyBench(async (chain) => {
  const slipstream = await openSlipstream(chain, seededRandom('slipstream history owner').address())
  return { slipstream, rows: [slipstream.row] }
})
const { manager, gauge, mint, swap, stake, emit } = bench.made.slipstream

async function trade(): Promise<void> {
  const trader = bench.newWallet()
  await swap(trader, usdc, parseUnits('3000', 6))
  await swap(trader, weth, parseEther('1'))
}

it('an NFT into a gauge with its fees, back with emissions, and out', async () => {
  const wallet = bench.newWallet()
  const found = await bench.played(wallet, async () => {
    const tokenId = await mint(wallet, [-5_000, 5_000])
    await trade()
    await stake(wallet, tokenId)
    await bench.chain.startWeek()
    await emit(parseEther('100'))
    await trade()
    await bench.chain.travel(3_600)
    await gauge.write(wallet, 'getReward', tokenId)
    await bench.chain.travel(3_600)
    await gauge.write(wallet, 'withdraw', tokenId)
    const [, , , , , , , liquidity] = await manager.read<bigint[]>('positions', tokenId)
    const out = { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: FAR_FUTURE }
    await manager.write(wallet, 'decreaseLiquidity', out)
    await manager.write(wallet, 'collect', { tokenId, recipient: wallet, amount0Max: MOST, amount1Max: MOST })
  })
  const legs = legsOf(found, { nft: manager.address, usdc, weth, reward })
  expect(legs.slice(legs.findIndex(([type]) => type === 'ADDLIQUIDITY'))).toEqual([
    ['ADDLIQUIDITY', PROTOCOL, '0 move +nft 2', '0 move -usdc', '0 move -weth'],
    ['APPROVAL', PROTOCOL],
    ['STAKE', PROTOCOL, '0 move -nft 2', '1 income +usdc', '2 income +weth'],
    ['CLAIM', null, '0 income +reward'],
    ['UNSTAKE', PROTOCOL, '0 move +nft 2', '1 income +reward'],
    ['REMOVELIQUIDITY', PROTOCOL],
    ['REMOVELIQUIDITY', PROTOCOL, '0 move +usdc', '0 move +weth', '0 move nft 2'],
  ])
})
