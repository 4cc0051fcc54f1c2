import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createCursors } from './cursors.ts'

const secret = () => createSecretKey(randomBytes(32))
const of = { wallet: `0x${'a'.repeat(40)}`, chain: 'ethereum' } as const
const place = { block: 2n ** 40n + 7n, logIndex: 65_537 }

test('a cursor says where it was made for, under any spelling but its own nothing', () => {
  const cursors = createCursors([secret()])
  const text = cursors.write(of, place)
  expect(cursors.read(of, text)).toEqual(place)
  expect(text).toMatch(/^[\w-]{38}$/)
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  for (let at = 0; at < text.length; at += 1) {
    for (const digit of digits) {
      const other = text.slice(0, at) + digit + text.slice(at + 1)
      if (other !== text) expect(cursors.read(of, other), other).toBeUndefined()
    }
  }
  for (const junk of ['', 'x', `${text}A`, `${text}=`, ` ${text}`, text.slice(1), '%00'.repeat(13), 'é'.repeat(38)]) {
    expect(cursors.read(of, junk), junk).toBeUndefined()
  }
})

test('a cursor of another wallet, chain or installation is none', () => {
  const own = secret()
  const text = createCursors([own]).write(of, place)
  expect(createCursors([own]).read({ ...of, wallet: `0x${'b'.repeat(40)}` }, text)).toBeUndefined()
  expect(createCursors([own]).read({ ...of, chain: 'base' }, text)).toBeUndefined()
  expect(createCursors([secret()]).read(of, text)).toBeUndefined()
  expect(createCursors([secret(), own]).read(of, text)).toEqual(place)
})
