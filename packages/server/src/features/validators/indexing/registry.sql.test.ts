import { afterAll, expect, test } from 'vitest'
import { pubkeyOf } from '../../../../test/beacon/add-up.ts'
import { type BeaconServer, recorded, startBeaconServer } from '../../../../test/beacon/beacon-server.ts'
import { testDatabase } from '../../../../test/database.ts'
import { createBeaconPool } from '../../../beacon/beacon-pool.ts'
import { createValidatorStore } from '../validator-store.ts'
import { createRegisterNew } from './validator-indexer.ts'

const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

/** A node with a registry of `size`, and the first index of each request. */
async function startNode(): Promise<{ server: BeaconServer; grow(size: number): void; takeFirsts(): string[] }> {
  const [like] = recorded('validators').data as { validator: object }[]
  let size = 0
  const server = await startBeaconServer(({ body }) => {
    const ids = (body as { ids: string[] }).ids.filter((id) => Number(id) < size)
    const of = (id: string) => ({ ...like, index: id, validator: { ...like?.validator, pubkey: pubkeyOf(Number(id)) } })
    return { body: { data: ids.map(of) } }
  })
  closing.push(server.stop)
  return {
    server,
    grow(to) {
      size = to
    },
    takeFirsts: () => server.asked.splice(0).map(({ body }) => (body as { ids: string[] }).ids[0] ?? ''),
  }
}

test('every validator is registered page by page, and a process continues where the one before it ended', async () => {
  const { db, drop } = await testDatabase('registry')
  closing.push(drop)
  const store = createValidatorStore(db)
  const { server, grow, takeFirsts } = await startNode()
  const start = () => createRegisterNew(createBeaconPool({ urls: [server.url] }), store)
  const first = start()
  grow(10_003)
  await first()
  expect(takeFirsts()).toEqual(['0', '10000'])
  expect(await store.find(pubkeyOf(10_002))).toEqual({
    ...{ index: 10_002, pubkey: pubkeyOf(10_002), isTracked: false, covered: [], coveredOfAll: [] },
  })
  grow(10_005)
  await first()
  await start()()
  expect(takeFirsts()).toEqual(['10003', '10005'])
  expect([await store.find(10_004), await store.find(10_005)]).toMatchObject([{ index: 10_004 }, undefined])
  // An unregistered validator was requested: this does not make the ones before it known.
  grow(10_009)
  await store.track({ index: 10_008, pubkey: pubkeyOf(10_008) })
  await start()()
  expect(takeFirsts()).toEqual(['0', '10000'])
  expect(await store.firstUnknown()).toBe(10_009)
})
