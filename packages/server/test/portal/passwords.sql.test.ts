import { expect, test } from 'vitest'
import { started } from '../started.ts'
import { PASSWORD, startPortal } from './portal-service.ts'

const portal = await started(startPortal())
await portal.setUp('Olga')

const signIn = (name: string, password: string, from = portal.visit()) =>
  from.post('/sign-in/password', { name, password })

test('a wrong password and an unknown name get the same answer', async () => {
  const [known, unknown] = [await signIn('Olga', 'not the password'), await signIn('Nobody', 'not the password')]
  expect(known.status).toBe(401)
  expect(known.body).toEqual({
    ...{ type: 'about:blank', title: 'Unauthorized', status: 401, code: 'UNAUTHORIZED' },
    detail: 'The name or the password is wrong',
  })
  expect(unknown.body).toEqual(known.body)
  const namesOf = ({ headers }: typeof known) => [...headers.keys()].toSorted()
  expect(namesOf(unknown)).toEqual(namesOf(known))
  expect([known, unknown].flatMap(({ headers }) => headers.getSetCookie())).toEqual([])
})

test('five passwords a minute may be tried for a name, from wherever, and whether it exists or not', async () => {
  for (const name of ['Carla', 'Nobody at all']) {
    if (name === 'Carla') await portal.signedInUser(name)
    const spellings = [name, name.toUpperCase(), name.toLowerCase(), name, name]
    for (const spelling of spellings) expect((await signIn(spelling, 'not the password')).status).toBe(401)
    const sixth = await signIn(name, PASSWORD)
    expect(sixth).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', detail: 'Too many attempts to sign in' } })
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(0)
  }
})

test('twenty from one network, whatever the names', async () => {
  const one = portal.visit()
  const statuses = []
  for (let attempt = 1; attempt <= 21; attempt += 1) {
    statuses.push((await signIn(`name ${attempt}`, 'not the password', one)).status)
  }
  expect(statuses).toEqual([...Array<number>(20).fill(401), 429])
  expect((await signIn('name 21', 'not the password')).status).toBe(401)
})

test('proofs count apart from them', async () => {
  const user = await portal.signedInUser('Dora')
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    expect((await user.post('/proof/password', { password: 'not the password' })).status).toBe(401)
  }
  expect((await user.post('/proof/password', { password: 'not the password' })).status).toBe(429)
  expect((await signIn('Dora', 'not the password')).status).toBe(401)
})

test('a proof lasts ten minutes, is asked for, and renewed by the password', async () => {
  const [owner, token] = [portal.visit(), await portal.invite('owner')]
  await owner.post('/links/use', { token, name: 'Eva', password: PASSWORD })
  const create = () => owner.post('/accounts/1/keys', { name: 'laptop' })
  await portal.pass('9 minutes 50 seconds')
  expect((await create()).status).toBe(201)
  await portal.pass('10 minutes 1 second')
  expect((await owner.get('/session')).body.provedUntil).toBeNull()
  expect(await create()).toMatchObject({ status: 403, body: { code: 'PROOF_REQUIRED' } })
  expect((await owner.post('/proof/password', { password: 'not the password' })).status).toBe(401)
  expect((await create()).status).toBe(403)
  const proved = await owner.post('/proof/password', { password: PASSWORD })
  expect(proved).toMatchObject({ status: 200, body: { provedUntil: expect.any(String) } })
  expect((await create()).status).toBe(201)
  await portal.pass('20 minutes 2 seconds')
  expect((await create()).status).toBe(403)
  await portal.pass('0')
})
