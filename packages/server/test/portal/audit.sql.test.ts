import { expect, test } from 'vitest'
import { started } from '../started.ts'
import { startPortal } from './portal-service.ts'

const portal = await started(startPortal())

test('the log of what was done can be added to, and not changed, emptied or taken from', async () => {
  await portal.setUp()
  const before = await portal.audited()
  expect(before).not.toEqual([])
  for (const statement of [
    "update audit_event set user_name = 'nobody'",
    'delete from audit_event',
    'truncate audit_event',
    'truncate audit_event cascade',
  ]) {
    await expect(portal.pool.query(statement), statement).rejects.toThrow('audit_event is append-only')
  }
  await portal.pool.query('delete from portal_user')
  expect(await portal.audited()).toEqual(before)
})

const WALLET = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045'

test('what a user changes of an account is written down, once it was done', async () => {
  const user = await portal.signedInUser('Ada', { role: 'owner' })
  const of = '/accounts/1/v1'
  const address = WALLET
  expect((await user.post(`${of}/addressbook`, { entries: [{ address, label: 'Mine' }] })).status).toBeLessThan(300)
  expect((await user.patch(`${of}/addressbook/${address}`, { label: 'Treasury' })).status).toBe(200)
  expect((await user.patch(`${of}/addressbook/${address.replace('d8', 'd9')}`, { label: 'None' })).status).toBe(404)
  expect((await user.patch(`${of}/addressbook/${address}`, { label: 7 })).status).toBe(400)
  expect((await user.get(`${of}/addressbook`)).status).toBe(200)
  const bundle = await user.post(`${of}/bundles`, { name: 'All', addresses: [address] })
  expect(bundle.status).toBeLessThan(300)
  expect((await user.remove(`${of}/addressbook/${address}`)).status).toBeLessThan(300)
  const own = (await portal.audited()).filter((row) => row.user === 'Ada')
  const by = { account: '1', user: 'Ada', address: user.address }
  expect(own).toEqual([
    { action: 'save addresses', ...by, detail: { entries: [{ address, label: 'Mine' }] } },
    { action: 'relabel an address', ...by, detail: { address, label: 'Treasury' } },
    { action: 'create a bundle', ...by, detail: { name: 'All', addresses: [address] } },
    { action: 'remove an address', ...by, detail: { address } },
  ])
})

test('with a key nothing is written here: no user did it', async () => {
  const before = await portal.audited()
  const response = await fetch(`${portal.url}/v1/addressbook`, {
    method: 'POST',
    headers: { authorization: `Bearer ${portal.ownerKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ entries: [{ address: WALLET, label: 'By key' }] }),
  })
  expect(response.status).toBeLessThan(300)
  expect(await portal.audited()).toEqual(before)
})
