import { type Scenario, startBeaconDevnet } from '@coffer/beacon-devnet'
import { getContractAddress } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { deliveredWei } from '../../src/beacon/relays.ts'
import { createReadIncome } from '../../src/features/validators/indexing/proposals.ts'
import { started } from '../started.ts'
import { type Indexing, openIndexing } from './indexing.ts'
import { startRelay } from './relay-server.ts'
import { executionOf } from './scans.ts'

// Blocks linked to an execution node: their proposers' income there, computed by hand.

const VALIDATORS = 64
const SLOTS_PER_EPOCH = 8
const [ETH, GWEI] = [10n ** 18n, 10n ** 9n]
const GAS = 21_000n

const address = (letter: string) => `0x${letter.repeat(40)}` as const
const [USER, BUILDER, PROPOSER, DEPLOYER] = [address('1'), address('b'), address('f'), address('d')]
/** A contract that accepts coin: its code is STOP. */
const STOP = '0x6001600c60003960016000f300'
const contract = getContractAddress({ from: DEPLOYER, nonce: 0n }).toLowerCase()

const tip = (gwei: bigint) => ({ from: USER, to: address('2'), valueWei: 7n, tipWei: gwei * GWEI })
const pays = (to: string, valueWei: bigint) => ({ from: BUILDER, to, valueWei, tipWei: 0n })
const base = { baseFeeWei: 10n * GWEI }

/** All in epoch 1. */
const SCENARIO: Scenario = [
  { from: 8, ...base, transactions: [{ from: DEPLOYER, data: STOP, tipWei: 0n }] },
  { from: 9, ...base, feeRecipient: PROPOSER, transactions: [tip(2n), tip(5n)] },
  { from: 10, ...base, feeRecipient: BUILDER, transactions: [tip(3n), pays(PROPOSER, ETH)] },
  { from: 11, ...base, feeRecipient: BUILDER, transactions: [tip(3n), pays(PROPOSER, (7n * ETH) / 10n)] },
  { from: 12, ...base, feeRecipient: BUILDER, transactions: [tip(3n), pays(contract, (3n * ETH) / 10n)] },
  { from: 13, ...base, feeRecipient: BUILDER, transactions: [pays(PROPOSER, ETH), tip(4n)] },
  { from: 14, ...base, feeRecipient: PROPOSER },
]
const RELAYED_SLOT = 10
const RELAYED_WEI = (15n * ETH) / 10n

/** The block's payment to its proposer, by slot. */
const EXPECTED: Record<number, { tipsWei: bigint; mevWei: bigint; mevBlocks: number }> = {
  9: { tipsWei: 7n * GWEI * GAS, mevWei: 0n, mevBlocks: 0 },
  // The relay reports more than the block's last transaction, and its report counts.
  10: { tipsWei: 0n, mevWei: RELAYED_WEI, mevBlocks: 1 },
  11: { tipsWei: 0n, mevWei: (7n * ETH) / 10n, mevBlocks: 1 },
  12: { tipsWei: 0n, mevWei: (3n * ETH) / 10n, mevBlocks: 1 },
  // The fee recipient's transaction is not the last: 4 gwei from a user's, and 0 from the devnet's own.
  13: { tipsWei: 4n * GWEI * GAS, mevWei: 0n, mevBlocks: 0 },
}

const opened: Indexing[] = []
const devnet = await started(startBeaconDevnet({ validators: VALIDATORS, execution: true }))
const relay = await started(startRelay())
await devnet.play(SCENARIO, 6 * SLOTS_PER_EPOCH)
afterEach(async () => {
  relay.setBroken(false)
  await Promise.all(opened.splice(0).map((indexing) => indexing.drop()))
})

type Message = { proposer_index: string; body: { execution_payload: { block_hash: string } } }

async function messageAt(slot: number): Promise<Message> {
  const response = await fetch(`${devnet.beacon}/eth/v2/beacon/blocks/${slot}`)
  return ((await response.json()) as { data: { message: Message } }).data.message
}

const blockHash = async (slot: number) => (await messageAt(slot)).body.execution_payload.block_hash
relay.delivered.set(await blockHash(RELAYED_SLOT), RELAYED_WEI)

async function open(relays: readonly string[], execution = devnet.execution) {
  const readIncome = createReadIncome(executionOf({ execution }), relays)
  const indexing = await openIndexing([devnet.beacon], { readIncome })
  opened.push(indexing)
  await indexing.track(VALIDATORS)
  return indexing
}

/** Payments of epoch 1 by validator, without empty ones. */
async function incomes(indexing: Indexing): Promise<Map<number, object>> {
  const paid = new Map<number, object>()
  for (let index = 0; index < VALIDATORS; index += 1) {
    const { tipsWei = 0n, mevWei = 0n, mevBlocks = 0 } = (await indexing.sums(index))[1] ?? {}
    if (tipsWei + mevWei > 0n) paid.set(index, { tipsWei, mevWei, mevBlocks })
  }
  return paid
}

async function expected(changes: typeof EXPECTED = {}): Promise<Map<number, object>> {
  const paid = new Map<number, (typeof EXPECTED)[number]>()
  for (const [slot, income] of Object.entries({ ...EXPECTED, ...changes })) {
    const proposer = Number((await messageAt(Number(slot))).proposer_index)
    const { tipsWei = 0n, mevWei = 0n, mevBlocks = 0 } = paid.get(proposer) ?? {}
    paid.set(proposer, {
      tipsWei: tipsWei + income.tipsWei,
      mevWei: mevWei + income.mevWei,
      mevBlocks: mevBlocks + income.mevBlocks,
    })
  }
  return new Map([...paid].sort(([a], [b]) => a - b))
}

test('tips, a relay’s payment, a builder’s, and one to a contract', async () => {
  const indexing = await open([relay.url])
  await indexing.run()
  expect(indexing.warnings).toEqual([])
  expect(await indexing.missing()).toEqual([])
  expect(await incomes(indexing)).toEqual(await expected())
})

test('without a relay the block itself shows what its builder paid', async () => {
  const indexing = await open([])
  await indexing.run()
  const byBlock = { [RELAYED_SLOT]: { tipsWei: 0n, mevWei: ETH, mevBlocks: 1 } }
  expect(await incomes(indexing)).toEqual(await expected(byBlock))
})

test('a relay that does not answer leaves proposals open until it does', async () => {
  const indexing = await open([relay.url])
  relay.setBroken(true)
  await indexing.run()
  expect(await incomes(indexing)).toEqual(new Map())
  expect(indexing.warnings[0]).toMatch(/what block \d+ paid: HTTP 500 of relay#1/)
  relay.setBroken(false)
  await indexing.run()
  expect(await indexing.missing()).toEqual([])
  expect(await incomes(indexing)).toEqual(await expected())
})

test('of two relays one that delivered is enough; what neither delivered stays open while one is silent', async () => {
  const relays = [relay.url, 'http://127.0.0.1:9']
  expect(await deliveredWei(relays, await blockHash(RELAYED_SLOT))).toBe(RELAYED_WEI)
  const indexing = await open(relays)
  await indexing.run()
  expect((await indexing.missing()).length).toBeGreaterThan(0)
  expect(indexing.warnings[0]).toContain('connection failed')
})

test('without an execution node epochs with a proposal stay open, and it is said why', async () => {
  const indexing = await open([], 'http://127.0.0.1:9')
  await indexing.run()
  expect(await incomes(indexing)).toEqual(new Map())
  expect((await indexing.missing()).length).toBeGreaterThan(0)
  expect(indexing.warnings[0]).toMatch(/what block \d+ paid/)
})
