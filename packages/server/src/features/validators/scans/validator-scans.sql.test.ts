import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byPath, recorded, startBeaconServer } from '../../../../test/beacon/beacon-server.ts'
import {
  allRows,
  type Body,
  carried,
  ETH,
  executionOf,
  exits,
  finalSlot,
  paidTo,
  placeOf,
  QUICK_EXITS,
  type ScannedChain,
  scannedChains,
  serviceOf,
} from '../../../../test/beacon/scans.ts'
import { deepTest } from '../../../../test/sized.ts'
import { createBeaconPool } from '../../../beacon/beacon-pool.ts'
import { readFinalBlock } from './validator-scans.ts'

const { startChain, openDatabase, stop, keep } = scannedChains()
afterAll(stop)

type Lists = Pick<ScannedChain, 'withdrawals' | 'deposits'>
/** Scans of withdrawals and deposits. */
const areComplete = async ({ withdrawals, deposits }: Lists, index: number) => [
  (await allRows(withdrawals.list, index)).complete,
  (await allRows(deposits.list, index)).complete,
]

const ADDRESS = '0x00000000000000000000000000000000000000dd'

/** The other describe block's tests also read it. */
let afterElectra: ScannedChain

describe('after Electra', () => {
  let chain: ScannedChain
  beforeAll(async () => {
    const deposits = [
      { key: 64, amountGwei: 32 * ETH, prefix: 1 as const, address: ADDRESS },
      { key: 3, amountGwei: ETH },
      { key: 3, amountGwei: ETH },
      { key: 1, amountGwei: 2 * ETH },
    ]
    chain = await startChain(
      QUICK_EXITS,
      [
        { from: 3, missed: true },
        { from: 10, deposits },
        exits,
        { from: 24, to: 26, missed: true },
        { from: 30, deposits: [{ key: 2, amountGwei: 3 * ETH }] },
        { from: 64, missed: true },
        { from: 72, missed: true },
      ],
      160,
    )
    afterElectra = chain
  })

  test('withdrawals of every validator are those that the state transition paid', async () => {
    const all = Array.from({ length: 64 }, (_, i) => i)
    for (const index of all) await chain.tracking.open(index)
    expect((await allRows(chain.withdrawals.list, 0)).complete).toBe('false')
    await chain.scanWithdrawals()
    const paid = await Promise.all(all.map((index) => paidTo(chain, index)))
    expect(paid.flat().length).toBeGreaterThan(200)
    for (const index of all) {
      const { rows, complete } = await allRows(chain.withdrawals.list, index)
      expect([complete, rows]).toEqual(['true', paid[index]])
    }
    // Credentials of prefix 0 receive no payments; an exit is paid whole.
    expect((await allRows(chain.withdrawals.list, 1)).rows).toEqual([])
    const { rows } = await allRows<{ amount: string }>(chain.withdrawals.list, 6)
    expect(rows.some(({ amount }) => BigInt(amount) > 31n * 10n ** 18n)).toBe(true)
    expect(chain.warnings).toEqual([])
  })

  test('deposits are in the slot of the block that logged them, genesis deposits in slot 0', async () => {
    for (const index of [0, 1, 2, 3, 64]) await chain.tracking.open(index)
    expect((await chain.deposits.list(3, { offset: 0, limit: 10 })).headers['x-data-complete']).toBe('false')
    await chain.scanDeposits()
    const shown = async (index: number) => (await chain.deposits.list(index, { offset: 0, limit: 10 })).body.data
    const genesis = (index: number) => ({ ...placeOf(0), amount: `${32n * 10n ** 18n}`, depositIndex: index })
    const more = (slot: number, depositIndex: number, eth: bigint) => {
      return { ...placeOf(slot), amount: `${eth * 10n ** 18n}`, depositIndex }
    }
    expect(await shown(0)).toMatchObject([genesis(0)])
    expect(await shown(1)).toMatchObject([more(10, 67, 2n), { ...genesis(1), withdrawalAddress: null }])
    expect(await shown(2)).toMatchObject([more(30, 68, 3n), genesis(2)])
    expect(await shown(3)).toMatchObject([more(10, 66, 1n), more(10, 65, 1n), genesis(3)])
    expect(await shown(64)).toEqual([
      {
        ...more(10, 64, 32n),
        withdrawalCredentials: `0x01${'0'.repeat(22)}${ADDRESS.slice(2)}`,
        withdrawalAddress: ADDRESS,
      },
    ])
    for (const index of [0, 1, 2, 3, 64]) expect((await allRows(chain.deposits.list, index)).complete).toBe('true')
    expect(chain.warnings).toEqual([])
  })

  test('new final blocks are missing until they are searched, and a new validator is searched for alone', async () => {
    await chain.devnet.play([], 192)
    expect(await areComplete(chain, 0)).toEqual(['false', 'false'])
    await chain.tracking.open(64)
    await chain.scanWithdrawals()
    await chain.scanDeposits()
    for (const index of [0, 64]) expect(await areComplete(chain, index)).toEqual(['true', 'true'])
    for (const index of [0, 63, 64]) {
      expect((await allRows(chain.withdrawals.list, index)).rows).toEqual(await paidTo(chain, index))
    }
  })

  test('a round that is asked to end leaves the rest to the next one', async () => {
    const again = serviceOf(chain.devnet, await openDatabase('validator_scans_again'))
    await again.tracking.open(0)
    await again.scanWithdrawals(AbortSignal.abort())
    expect((await allRows(again.withdrawals.list, 0)).complete).toBe('false')
    await again.scanWithdrawals()
    expect(await allRows(again.withdrawals.list, 0)).toEqual(await allRows(chain.withdrawals.list, 0))
  })

  test('where beacon blocks name no payload, the network and the times of slots must agree', async () => {
    const { devnet } = chain
    const slot = await finalSlot(chain)
    const block = recorded('block') as { data: { message: { body: Record<string, unknown> } } }
    delete block.data.message.body['execution_payload']
    const server = await startBeaconServer(byPath({ '/eth/v2/beacon/blocks/finalized': block }))
    keep(server)
    const pool = createBeaconPool({ urls: [server.url] })
    const execution = executionOf(devnet)
    const depositChainId = await execution.chainId()
    const facts = await chain.context.chain.facts()
    const read = (change: object, genesisTime = facts.times.genesisTime) => {
      const times = { ...facts.times, genesisTime }
      return readFinalBlock(pool, execution, { ...facts, times, spec: { ...facts.spec, depositChainId, ...change } })
    }
    const response = await fetch(`${devnet.beacon}/eth/v2/beacon/blocks/${slot}`)
    const { data } = (await response.json()) as { data: { message: { body: Body } } }
    const number = BigInt(data.message.body.execution_payload.block_number)
    expect(await read({})).toEqual({ number, slot })
    await expect(read({ depositChainId: depositChainId + 1n })).rejects.toThrow('different chains')
    await expect(read({}, facts.times.genesisTime + 5)).rejects.toThrow('not that of a slot')
  })
})

describe('before Electra', () => {
  let chain: ScannedChain
  beforeAll(async () => {
    const top = { key: 3, amountGwei: ETH }
    // The first deposit for key 65 has a wrong signature: it is lost. The second one makes the validator.
    const lost = { key: 65, amountGwei: 32 * ETH, badSignature: true }
    const added = { key: 65, amountGwei: ETH, badSignature: true }
    chain = await startChain(
      { fork: 'deneb' },
      [
        { from: 5, deposits: [lost] },
        { from: 12, deposits: [{ key: 65, amountGwei: 32 * ETH }, added] },
        { from: 10, deposits: [top, { key: 64, amountGwei: 32 * ETH }, top] },
        { from: 17, to: 18, missed: true },
        { from: 31, deposits: [{ ...top, amountGwei: 2 * ETH }] },
        { from: 40, missed: true },
        { from: 70, deposits: [top] },
      ],
      120,
    )
  })

  test('deposits are in the slot of the block that carries them, equal ones one after another', async () => {
    const final = await finalSlot(chain)
    const bodies = await carried(chain, final)
    expect(bodies.length).toBe(8)
    for (const index of [3, 64, 65]) await chain.tracking.open(index)
    await chain.scanDeposits()
    expect(chain.warnings).toEqual([])
    type Row = { slot: number; amount: string; depositIndex: number }
    const numbers = { 3: [71, 70, 67, 65, 3], 64: [66], 65: [69, 68] }
    for (const [key, depositIndices] of Object.entries(numbers)) {
      const index = Number(key)
      const { rows, complete } = await allRows<Row>(chain.deposits.list, index)
      const pubkey = (await chain.tracking.open(index)).pubkey
      const carriedFor = bodies.filter((one) => one.pubkey === pubkey).map(({ slot, amount }) => ({ slot, amount }))
      const expected = index === 65 ? carriedFor.slice(1) : carriedFor
      const genesis = index < 64 ? [{ slot: 0, amount: `${32n * 10n ** 18n}` }] : []
      expect(complete).toBe('true')
      expect(rows.map(({ slot, amount }) => ({ slot, amount })).toReversed()).toEqual([...genesis, ...expected])
      expect(rows.map(({ depositIndex }) => depositIndex)).toEqual(depositIndices)
    }
  })

  test('a node that lost blocks is not believed that nothing was in them', async () => {
    const again = serviceOf(chain.devnet, await openDatabase('validator_scans_lost'))
    await again.tracking.open(3)
    await chain.devnet.setFaults({ answers: [{ path: '/blocks/(1|2|3)\\d$', status: 404 }] })
    await again.scanDeposits()
    const lost = await allRows<{ slot: number }>(again.deposits.list, 3)
    expect([lost.complete, lost.rows.map(({ slot }) => slot), again.warnings.length]).toEqual(['false', [0], 1])
    await chain.devnet.setFaults({})
    await again.scanDeposits()
    expect(await allRows(again.deposits.list, 3)).toEqual(await allRows(chain.deposits.list, 3))
  })

  test('who was there at genesis waits for a node that has the first state, the others do not', async () => {
    const again = serviceOf(chain.devnet, await openDatabase('validator_scans_genesis'))
    for (const index of [3, 65]) await again.tracking.open(index)
    await chain.devnet.setFaults({ statesFromSlot: 8 })
    await again.scanDeposits()
    const shown = async (index: number) => (await allRows(again.deposits.list, index)).complete
    expect([await shown(3), await shown(65), again.warnings.length]).toEqual(['false', 'true', 1])
    await chain.devnet.setFaults({})
    await again.scanDeposits()
    for (const index of [3, 65]) {
      expect(await allRows(again.deposits.list, index)).toEqual(await allRows(chain.deposits.list, index))
    }
  })

  test('an execution node of another chain is not believed', async () => {
    const db = await openDatabase('validator_scans_other')
    const mixed = serviceOf({ beacon: afterElectra.devnet.beacon, execution: chain.devnet.execution }, db)
    await mixed.tracking.open(0)
    await mixed.scanWithdrawals()
    await mixed.scanDeposits()
    expect(mixed.warnings).toHaveLength(2)
    expect(await areComplete(mixed, 0)).toEqual(['false', 'false'])
  })
})

deepTest('over the fork of Electra each deposit is in the block that carries it', async () => {
  const top = { key: 3, amountGwei: ETH }
  const chain = await startChain(
    { fork: 'deneb', forkEpochs: { electra: 4 } },
    [
      { from: 10, deposits: [top] },
      { from: 31, deposits: [{ ...top, amountGwei: 2 * ETH }] },
      { from: 32, deposits: [{ ...top, amountGwei: 3 * ETH }] },
      { from: 50, deposits: [{ ...top, amountGwei: 4 * ETH }] },
    ],
    112,
  )
  const { pubkey } = await chain.tracking.open(3)
  await chain.scanDeposits()
  expect(chain.warnings).toEqual([])
  const { rows, complete } = await allRows<{ slot: number; amount: string }>(chain.deposits.list, 3)
  const carriedFor = (await carried(chain, await finalSlot(chain))).filter((one) => one.pubkey === pubkey)
  // The last block before the fork logged the second one. It is carried after the third.
  expect(carriedFor.map(({ amount }) => BigInt(amount) / 10n ** 18n)).toEqual([1n, 3n, 2n, 4n])
  expect(rows.map(({ slot, amount }) => ({ slot, amount })).toReversed()).toEqual([
    { slot: 0, amount: `${32n * 10n ** 18n}` },
    ...carriedFor.map(({ slot, amount }) => ({ slot, amount })),
  ])
  expect(complete).toBe('true')
})
