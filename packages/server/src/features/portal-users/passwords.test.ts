import { argon2, argon2Sync } from 'node:crypto'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createPasswords } from './passwords.ts'

const derive = promisify(argon2)
type Call = { algorithm: string; memory: number; passes: number; parallelism: number; tagLength: number }

/** Derivations that wait until the test releases them. */
function heldDerivations() {
  const held: (() => void)[] = []
  const calls: Call[] = []
  let running = 0
  let most = 0
  const hold: typeof derive = (algorithm, parameters) => {
    const { memory, passes, parallelism, tagLength } = parameters
    calls.push({ algorithm, memory, passes, parallelism, tagLength })
    running += 1
    most = Math.max(most, running)
    return new Promise((resolve) =>
      held.push(() => {
        running -= 1
        resolve(Buffer.alloc(tagLength))
      }),
    )
  }
  return { derive: hold, held, calls, most: () => most }
}

test('a hash is argon2id with its parameters and a salt of its own', async () => {
  const { hash, verify } = createPasswords()
  const [encoded, another] = [await hash('correct horse battery'), await hash('correct horse battery')]
  const [, salt = '', tag] = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([\w-]{22})\$([\w-]{43})$/.exec(encoded) ?? []
  const expected = argon2Sync('argon2id', {
    message: 'correct horse battery',
    nonce: Buffer.from(salt, 'base64url'),
    ...{ memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 },
  })
  expect(tag).toBe(expected.toString('base64url'))
  expect(another).not.toBe(encoded)
  expect(await verify('correct horse battery', encoded)).toBe(true)
  expect(await verify('correct horse batterY', encoded)).toBe(false)
  expect(await verify('correct horse battery', null)).toBe(false)
})

test('a hash of other parameters is checked by its own', async () => {
  const parameters = { memory: 64, passes: 3, parallelism: 2, tagLength: 32 }
  const nonce = Buffer.from('a salt of 16 byt')
  const tag = argon2Sync('argon2id', { message: 'correct horse battery', nonce, ...parameters })
  const encoded = `$argon2id$v=19$m=64,t=3,p=2$${nonce.toString('base64url')}$${tag.toString('base64url')}`
  expect(await createPasswords().verify('correct horse battery', encoded)).toBe(true)
})

test('two run at once, eight wait, and one more is refused until a place is free', async () => {
  const { derive, held, most } = heldDerivations()
  const { hash } = createPasswords(derive)
  const ten = Array.from({ length: 10 }, () => hash('correct horse battery'))
  expect(held).toHaveLength(2)
  const refused = { code: 'RATE_LIMITED', extras: { retryAfterSeconds: 1 } }
  await expect(hash('correct horse battery')).rejects.toMatchObject(refused)
  held.shift()?.()
  // A call that arrives before the waiting one continues takes no place from it.
  const [next] = [hash('correct horse battery').catch((error: unknown) => error), await ten[0]]
  expect(await next).toMatchObject(refused)
  const eleventh = hash('correct horse battery')
  for (const one of [...ten.slice(1), eleventh]) {
    held.shift()?.()
    await one
  }
  expect(most()).toBe(2)
})

test('a name without a password takes the work of one that has it, also where it is the first', async () => {
  const { derive, held, calls } = heldDerivations()
  const { verify } = createPasswords(derive)
  const unknown = verify('correct horse battery', null)
  held.shift()?.()
  const known = verify('correct horse battery', `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'B'.repeat(43)}`)
  held.shift()?.()
  expect([await unknown, await known]).toEqual([false, false])
  const work = { algorithm: 'argon2id', memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }
  expect(calls).toEqual([work, work])
})
