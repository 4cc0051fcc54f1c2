import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type BeaconDevnet, startBeaconDevnet } from '../beacon-devnet.ts'

let devnet: BeaconDevnet

beforeAll(async () => {
  devnet = await startBeaconDevnet({ validators: 64 })
  await devnet.play([{ from: 20, missed: true }], 48)
})
afterAll(() => devnet.stop())
beforeEach(() => devnet.setFaults({}))

const get = async (path: string) => {
  const response = await fetch(`${devnet.beacon}${path}`)
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}
const post = async (path: string, body: unknown) => {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${devnet.beacon}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as { data: unknown[] } }
}

it('answers what Beacon nodes answer', async () => {
  expect(await get('/eth/v1/beacon/headers/20')).toMatchObject({ status: 404, body: { message: 'Block not found' } })
  expect(await get('/eth/v1/beacon/headers/21')).toMatchObject({ status: 200 })
  expect(await get('/eth/v1/beacon/states/head/validators/64')).toMatchObject({ status: 404 })
  expect(await get('/eth/v1/beacon/states/head/validators/0x12')).toMatchObject({ status: 400 })
  expect(await get('/eth/v1/beacon/states/49/validators')).toMatchObject({ status: 404 })
  expect(await get('/eth/v1/validator/duties/proposer/8')).toMatchObject({ status: 400 })
  expect(await get('/eth/v1/unknown')).toMatchObject({ status: 404 })
  const { headers } = await get('/eth/v2/beacon/blocks/head')
  expect(headers.get('eth-consensus-version')).toBe('fulu')
  const { body } = await get('/eth/v1/beacon/states/head/validators?id=1,2&id=5&status=active')
  expect((body['data'] as { index: string }[]).map(({ index }) => index)).toEqual(['1', '2', '5'])
  expect(await post('/eth/v1/beacon/states/head/validators', { ids: ['7'], statuses: ['exited'] })).toMatchObject({
    status: 200,
    body: { data: [] },
  })
})

it('reports the duties of the next epoch before they are due', async () => {
  type Duty = { slot: string; validator_index: string }
  const { body } = await get('/eth/v1/validator/duties/proposer/7')
  const due = (body['data'] as Duty[]).map(({ slot, validator_index }) => [slot, validator_index])
  expect(due.map(([slot]) => slot)).toEqual(['56', '57', '58', '59', '60', '61', '62', '63'])
  await devnet.advance(16)
  const made = await Promise.all(
    due.map(async ([slot]) => {
      const { body: header } = await get(`/eth/v1/beacon/headers/${slot}`)
      const { message } = (header['data'] as { header: { message: { proposer_index: string } } }).header
      return [slot, message.proposer_index]
    }),
  )
  expect(made).toEqual(due)
})

it('fails on request, and recovers', async () => {
  const path = '/eth/v1/beacon/states/20/validators/3'
  await devnet.setFaults({ statesFromSlot: 30, missingStates: 500 })
  expect(await get(path)).toMatchObject({
    status: 500,
    body: { code: 500, message: 'State is unavailable for slot 20' },
  })
  await devnet.setFaults({ statesFromSlot: 30 })
  expect(await get(path)).toMatchObject({ status: 404 })
  await devnet.setFaults({ historyFromEpoch: 3 })
  expect(await get('/eth/v1/beacon/rewards/blocks/16')).toMatchObject({ status: 404 })
  expect(await get('/eth/v1/beacon/rewards/blocks/24')).toMatchObject({ status: 200 })
  await devnet.setFaults({ answers: [{ path: '^/eth/v1/node/', status: 503, times: 1 }] })
  expect(await get('/eth/v1/node/version')).toMatchObject({ status: 503 })
  expect(await get('/eth/v1/node/version')).toMatchObject({ status: 200 })
  await devnet.setFaults({ syncDistance: 5 })
  expect(await get('/eth/v1/node/syncing')).toMatchObject({ body: { data: { is_syncing: true, sync_distance: '5' } } })
})

it('reports rewards as older nodes do', async () => {
  const path = '/eth/v1/beacon/rewards/sync_committee/24'
  const { body } = await post(path, [])
  const [{ validator_index, reward } = { validator_index: '', reward: '' }] = body.data as Record<string, string>[]
  await devnet.setFaults({ syncRewards: 'fractional' })
  expect((await post(path, [])).body.data[0]).toEqual({ validator_index, reward: `${reward}.48828125` })
  await devnet.setFaults({ syncRewards: 'balance' })
  expect((await post(path, [])).body.data[0]).toEqual({
    validator_index,
    reward: String(32_000_000_000 + Number(reward)),
  })
})

it('counts what it was asked', async () => {
  await devnet.takeRequests()
  await get('/eth/v1/beacon/genesis')
  expect(await devnet.takeRequests()).toEqual(['GET /eth/v1/beacon/genesis'])
  expect(await devnet.takeRequests()).toEqual([])
})

it('reports heads and finality as they come, and stops on request', async () => {
  const listening = new AbortController()
  const opened = fetch(`${devnet.beacon}/eth/v1/events?topics=head,finalized_checkpoint`, { signal: listening.signal })
  // The headers come with the first event.
  await devnet.setFaults({ silentEvents: true })
  while (!(await devnet.takeRequests()).some((one) => one.includes('/eth/v1/events')));
  await devnet.advance(1)
  await devnet.setFaults({})
  const { slot } = await devnet.advance(8)
  const reader = (await opened).body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(`"slot":"${slot}"`)) text += (await reader?.read())?.value ?? ''
  listening.abort()
  const heads = [...text.matchAll(/event: head\ndata: \{"slot":"(\d+)"/g)].map((match) => Number(match[1]))
  expect(heads).toEqual(Array.from({ length: 8 }, (_, at) => slot - 7 + at))
  expect(text.match(/event: finalized_checkpoint/g)).toHaveLength(1)
})
