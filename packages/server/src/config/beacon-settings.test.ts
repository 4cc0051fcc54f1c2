import { expect, test } from 'vitest'
import { readBeacon } from './beacon-settings.ts'

const url = 'https://user:pass@beacon.example/key'

test('without a beacon node the chain is off, and what belongs to it may not be set', () => {
  expect(readBeacon({})).toBeNull()
  expect(() => readBeacon({ COFFER_BEACON_INDEX: 'all' })).toThrow('COFFER_BEACON_URL is not')
  expect(() => readBeacon({ COFFER_BEACON_REWARDS_FROM: '7' })).toThrow('COFFER_BEACON_URL is not')
  expect(() => readBeacon({ COFFER_BEACON_RELAYS: url })).toThrow('COFFER_BEACON_URL is not')
})

test('nodes keep their order; validators that are asked for are indexed from the start of rewards', () => {
  const settings = readBeacon({ COFFER_BEACON_URL: `${url}, http://127.0.0.1:5052` })
  expect(settings?.urls.map((each) => each.reveal())).toEqual([url, 'http://127.0.0.1:5052'])
  expect(settings).toMatchObject({ rewardsFrom: null, index: 'tracked', relays: [] })
  expect(JSON.stringify(settings)).not.toContain('pass')
})

test('everything can be set', () => {
  const env = { COFFER_BEACON_URL: url, COFFER_BEACON_REWARDS_FROM: '0', COFFER_BEACON_INDEX: 'all' }
  const settings = readBeacon({ ...env, COFFER_BEACON_RELAYS: 'https://relay.example' })
  expect(settings).toMatchObject({ rewardsFrom: 0, index: 'all' })
  expect(settings?.relays.map((each) => each.reveal())).toEqual(['https://relay.example'])
})

test.each([
  ['COFFER_BEACON_URL', 'beacon.example'],
  ['COFFER_BEACON_URL', `${url},${url}`],
  ['COFFER_BEACON_REWARDS_FROM', '-1'],
  ['COFFER_BEACON_REWARDS_FROM', '2147483647'],
  ['COFFER_BEACON_INDEX', 'some'],
  ['COFFER_BEACON_RELAYS', 'ftp://relay.example'],
])('%s is refused where it is wrong, and does not show a URL', (name, value) => {
  const read = () => readBeacon({ COFFER_BEACON_URL: url, [name]: value })
  expect(read).toThrow(name)
  expect(read).not.toThrow(/pass|beacon\.example|relay\.example/)
})
