import { addresses, devnetConfig, startDevnet } from '@coffer/devnet'
import { parseUnits } from 'viem'
import { expect, inject, test } from 'vitest'
import { startService, testClock } from '../harness.ts'
import { seededRandom } from '../random.ts'
import { started } from '../started.ts'

/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
const DAYS = 91

const random = seededRandom('retention')
const clock = testClock()
const { tokens } = devnetConfig()

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const service = await started(
  startService({ config: { tokens }, endpoints: { ethereum: [devnet.chains.ethereum.url] }, clock }),
)

async function amountOf(wallet: string): Promise<string | undefined> {
  const [portfolio] = await service.client.getPortfolio({ query: { addresses: wallet } })
  const wallets = portfolio?.assetByProtocols['wallet']
  return wallets?.chains['ethereum']?.protocolPositions['WALLET']?.assets[0]?.balance
}

/** Tables with data read for the wallet. */
async function kept(wallet: string): Promise<string[]> {
  const { rows } = await service.context.database.pool.query<{ name: string }>(
    `select 'read' as name from wallet_read where wallet = $1 union select 'use' from wallet_use where wallet = $1
      union select 'coverage' from wallet_coverage where wallet = $1 and purpose = 'logs'
      union select 'approvals' from wallet_coverage where wallet = $1 and purpose = 'approvals' order by name`,
    [wallet],
  )
  return rows.map(({ name }) => name)
}

test('a wallet without requests is deleted, one with listed approvals stays, and both are answered as before', async () => {
  const { actions } = devnet.chains.ethereum
  const [gone, asked] = [random.address(), random.address()]
  for (const wallet of [gone, asked])
    await actions.erc20.mint(addresses.ethereum.tokens.usdc, wallet, parseUnits('7', 6))
  const before = [await amountOf(gone), await amountOf(asked)]
  for (const wallet of [gone, asked])
    expect((await service.get(`/v1/approvals/ethereum?addresses=${wallet}`)).status).toBe(200)
  for (const wallet of [gone, asked]) {
    await expect.poll(() => kept(wallet)).toEqual(['approvals', 'coverage', 'read', 'use'])
  }
  const { pool } = service.context.database
  await pool.query('update wallet_read set read_at = $1', [new Date(Date.now() - DAYS * 86_400_000)])
  await pool.query(`update wallet_use set used_on = used_on - ${DAYS}`)
  // Another day, on which one of them has its approvals listed.
  clock.advance(86_400_000 + NOT_FRESH_MS)
  expect((await service.get(`/v1/approvals/ethereum?addresses=${asked}`)).status).toBe(200)
  await expect
    .poll(async () => (await pool.query('select from wallet_use where used_on >= current_date - 1')).rowCount)
    .toBe(1)
  await service.context.jobs.send('retention', {}, { singletonKey: 'asked for' })
  await expect.poll(() => kept(gone)).toEqual([])
  expect(await kept(asked)).toEqual(['approvals', 'coverage', 'read', 'use'])
  expect([await amountOf(gone), await amountOf(asked)]).toEqual(before)
  expect(before).not.toContain(undefined)
})
