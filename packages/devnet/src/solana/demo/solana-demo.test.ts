import { createSolanaRpc } from '@solana/kit'
import { expect, test } from 'vitest'
import { startSolanaDemo } from './solana-demo.ts'

test('the demonstration lives in the present, its stakes in the states that they had', async () => {
  const before = BigInt(Math.floor(Date.now() / 1000))
  const demo = await startSolanaDemo()
  try {
    const rpc = createSolanaRpc(demo.url)
    const slot = await rpc.getSlot().send()
    expect(await rpc.getBlockTime(slot).send()).toBeGreaterThanOrEqual(before)
    expect((await rpc.getEpochInfo().send()).epoch).toBe(902n)
    expect((await rpc.getBalance(demo.wallet.address).send()).value).toBe(demo.wallet.lamports)
    expect((await rpc.getBalance(demo.emptyWallet).send()).value).toBe(0n)
  } finally {
    await demo.stop()
  }
})
