import { describe, expect, it } from 'vitest'
import { type AccountType, list, openAccount, readFields, type SolanaAccount } from './account-data.ts'

const PROGRAM = 'MFv2hWf31Z9kbCa1snEPYctwafyhdvnV7FZnsebVacA'
const OTHER_PROGRAM = 'KLend2g3cP87fffoy8q1mQqGKjrxjC8boSyAYavgmjD'
/** Base58 of the first 8 bytes of sha256("account:MarginfiAccount"): 67 178 130 109 126 114 28 42. */
const DISCRIMINATOR = 'CKkRR4La3xu'
const layout: AccountType = { what: 'test account', programs: [PROGRAM], discriminator: DISCRIMINATOR, minLength: 12 }

const account = (data: number[], owner = PROGRAM): SolanaAccount => ({
  address: OTHER_PROGRAM,
  owner,
  lamports: 1n,
  data: Uint8Array.from(data),
})
const named = [67, 178, 130, 109, 126, 114, 28, 42]

describe('the data of an account', () => {
  it('is read little-endian, at any width, with its sign', () => {
    const data = openAccount(
      account([...named, 1, 2, 3, 4, ...Array(15).fill(255), 127, ...Array(16).fill(255), 7]),
      layout,
    )
    expect(data.u8(8)).toBe(1)
    expect(data.u16(8)).toBe(513)
    expect(data.u32(8)).toBe(67305985)
    expect([data.i16(12), data.i32(12), data.i64(12)]).toEqual([-1, -1, -1n])
    expect(data.u64(12)).toBe(2n ** 64n - 1n)
    expect([data.u128(12), data.i128(12)]).toEqual([2n ** 127n - 1n, 2n ** 127n - 1n])
    expect([data.u128(28), data.i128(28)]).toEqual([2n ** 128n - 1n, -1n])
    expect([data.flag(8), data.length]).toEqual([true, 45])
    expect(Array.from(data.bytes(8, 2))).toEqual([1, 2])
    expect(() => data.flag(44)).toThrow('where there must be 0 or 1')
  })

  it('holds addresses', () => {
    const data = openAccount(account([...named, ...Array(32).fill(0)]), layout)
    expect(data.key(8)).toBe('11111111111111111111111111111111')
  })

  it('holds structs, whose fields are read by type and offset', () => {
    const data = openAccount(account([...named, 1, 0, 2, 0, 65, 66, 0, 32, ...Array(32).fill(255)]), layout)
    const pairs = list({ from: 0, count: 2, size: 2 }, { pair: ['u8', 0, 1] })
    const fields = {
      flag: ['flag', 0],
      pair: ['u16', 0, 2],
      text: ['text', 4, 4],
      bytes: ['bytes', 4, 2],
      pairs,
    } as const
    const read = { flag: true, pair: [1, 2], text: 'AB', pairs: [{ pair: [1, 0] }, { pair: [2, 0] }] }
    expect(readFields(data, fields, 8)).toEqual({ ...read, bytes: Uint8Array.of(65, 66) })
    expect(data.u256(16)).toBe(2n ** 256n - 1n)
    expect(() => readFields(data, fields, 46)).toThrow(expect.objectContaining({ reason: 'invalid' }))
  })

  it('ends where it ends, also inside a larger buffer', () => {
    const shared = Uint8Array.from([...named, 0, 0, 0, 9, 1, 1, 1, 1, 1, 1, 1, 1]).subarray(0, 12)
    const data = openAccount({ ...account([]), data: shared }, layout)
    expect(data.u8(11)).toBe(9)
    for (const read of ['u16', 'u32', 'u64', 'i64', 'u128', 'i128', 'key'] as const) {
      expect(() => data[read](11)).toThrow(expect.objectContaining({ reason: 'invalid' }))
    }
    expect(() => data.u8(12)).toThrow('ends before 13')
    expect(() => data.u8(-1)).toThrow(expect.objectContaining({ reason: 'invalid' }))
  })

  it('is not believed of another program, of another kind, or cut short', () => {
    const whole = [...named, 1, 2, 3, 4]
    expect(openAccount(account(whole), layout).address).toBe(OTHER_PROGRAM)
    for (const wrong of [
      account(whole, OTHER_PROGRAM),
      account([...whole].reverse()),
      account(whole.slice(0, 11)),
      account([]),
      null,
      undefined,
    ]) {
      expect(() => openAccount(wrong, layout)).toThrow(expect.objectContaining({ reason: 'invalid' }))
    }
    const exact = { ...layout, isExact: true } as const
    expect(openAccount(account(whole), exact).length).toBe(12)
    expect(() => openAccount(account([...whole, 5]), exact)).toThrow('is 13 bytes long')
  })
})
