import { type SolanaDevnet, startSolanaDevnet } from '@coffer/devnet/solana'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type TestService } from '../harness.ts'
import { syncTransactions } from '../sync.ts'

const SOL = 1_000_000_000n

let devnet: SolanaDevnet
let service: TestService
beforeAll(async () => {
  devnet = await startSolanaDevnet()
  service = await startService({ endpoints: { solana: [devnet.url] } })
})
afterAll(async () => {
  expect(await service.ledgerProblems()).toEqual([])
  await service.stop()
  await devnet.stop()
})

test('what a wallet did is listed after a sync, newest first, with what it moved', async () => {
  const { sol, mints, tokens } = devnet.actions
  const [wallet, other] = [await devnet.keypair('a wallet'), await devnet.keypair('another')]
  const token = await mints.create(await devnet.keypair('a mint'), { decimals: 6 })
  await sol.give(wallet.address, 10n * SOL)
  await sol.transfer(wallet, other.address, 3n * SOL)
  await tokens.mint(token, wallet.address, 5_000_000n)
  await tokens.transfer(token, wallet, other.address, 2_000_000n)
  expect(await syncTransactions(service, wallet.address)).toBe('done')
  const { transactions } = await service.client.listTransactions({ query: { addresses: wallet.address } })
  expect(transactions.map(({ type }) => type)).toEqual(['TRANSFEROUT', 'TRANSFERIN', 'TRANSFEROUT', 'TRANSFERIN'])
  const rows = await service.context.database.db.selectFrom('history_adjustment').selectAll().execute()
  expect(rows).toEqual([])
})
