import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { Failure } from '@coffer/contract'
import { createGate } from '../../lib/concurrency.ts'

const FILE = new URL('./common-passwords.txt', import.meta.url)
let common: ReadonlySet<string> | undefined

/** OWASP's parameters of 2026 for argon2id. Hashes contain their own, so these can be raised. */
const TODAY = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32
/** A hash takes 40 ms of a core and 19 MiB. */
const AT_ONCE = 2
const WAITING = 8

const argon2id = promisify(argon2)
type Derive = typeof argon2id

export type Passwords = ReturnType<typeof createPasswords>

/** Throws RATE_LIMITED if too many calls wait. */
export function createPasswords(derive: Derive = argon2id) {
  const gate = createGate(AT_ONCE)
  let pending = 0
  const decoy = encode(randomBytes(SALT_BYTES), randomBytes(TAG_BYTES))

  async function bounded<T>(work: () => Promise<T>): Promise<T> {
    if (pending >= AT_ONCE + WAITING) {
      throw new Failure('RATE_LIMITED', 'Too many passwords are being checked', { retryAfterSeconds: 1 })
    }
    pending += 1
    return gate(work).finally(() => {
      pending -= 1
    })
  }

  return {
    /** Returns PHC string format. Throws VALIDATION_ERROR for a common password. */
    async hash(password: string): Promise<string> {
      common ??= new Set(readFileSync(FILE, 'utf8').split('\n').slice(1))
      if (common.has(password.toLowerCase())) throw new Failure('VALIDATION_ERROR', 'password: is too common')
      const salt = randomBytes(SALT_BYTES)
      return encode(salt, await bounded(() => tagOf(derive, password, { salt, ...TODAY })))
    },
    /** Undefined for a strong hash, and if hashing is busy: the next sign-in will do. */
    async renew(password: string, encoded: string): Promise<string | undefined> {
      const { memory, passes } = decode(encoded)
      // Parallelism makes nothing harder to guess.
      const isStrong = memory >= TODAY.memory && passes >= TODAY.passes
      if (isStrong || pending >= AT_ONCE) return undefined
      const salt = randomBytes(SALT_BYTES)
      return encode(salt, await bounded(() => tagOf(derive, password, { salt, ...TODAY })))
    },
    /** Without a hash returns false after the same work, so that timing does not reveal which names exist. */
    async verify(password: string, encoded: string | null): Promise<boolean> {
      const { tag, ...how } = decode(encoded ?? decoy)
      const found = await bounded(() => tagOf(derive, password, how))
      return timingSafeEqual(found, tag) && encoded !== null
    },
  }
}

type Parameters = typeof TODAY

function tagOf(derive: Derive, password: string, { salt, ...cost }: Parameters & { salt: Buffer }): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFKC'))
  return derive('argon2id', { message, nonce: salt, tagLength: TAG_BYTES, ...cost })
}

const encode = (salt: Buffer, tag: Buffer) =>
  `$argon2id$v=19$m=${TODAY.memory},t=${TODAY.passes},p=${TODAY.parallelism}$${salt.toString('base64url')}$${tag.toString('base64url')}`

const ENCODED = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/

function decode(encoded: string): Parameters & { salt: Buffer; tag: Buffer } {
  const [, memory, passes, parallelism, salt = '', tag = ''] = ENCODED.exec(encoded) ?? []
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64url'),
    tag: Buffer.from(tag, 'base64url'),
  }
}
