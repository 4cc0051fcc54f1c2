import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { addressList, createAddresses, parseAddress, shippedAddresses } from './address.ts'
import { type AddressFamily, evmAddresses, savedAddresses } from './address-families.ts'

const EVM = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
// The token program, whose address is published in this spelling.
const SOLANA = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
// The USDT contract on Tron.
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const STARKNET = '0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7'

describe('parseAddress', () => {
  test.each([
    [EVM, { family: 'evm', address: EVM.toLowerCase() }],
    [EVM.replace('d8dA', 'D8DA'), { family: 'evm', address: EVM.toLowerCase() }],
    [SOLANA, { family: 'solana', address: SOLANA }],
    ['11111111111111111111111111111111', { family: 'solana', address: '11111111111111111111111111111111' }],
    [TRON, { family: 'tron', address: TRON }],
    [STARKNET, { family: 'starknet', address: STARKNET }],
    [`0x${'0'.repeat(41)}`, { family: 'starknet', address: `0x${'0'.repeat(41)}` }],
    [
      '0x0800000000000011000000000000000000000000000000000000000000000000',
      { family: 'starknet', address: '0x0800000000000011000000000000000000000000000000000000000000000000' },
    ],
  ])('%s', (value, expected) => {
    expect(parseAddress(value)).toEqual(expected)
  })

  test.each([
    ['', 'nothing'],
    [EVM.slice(0, -1), '39 digits'],
    [EVM.slice(2), 'no prefix'],
    [`${EVM.slice(0, -1)}g`, 'not hex'],
    ['vitalik.eth', 'a name'],
    ['virtual:abc', 'a virtual user'],
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u', 'a wrong Tron checksum'],
    ['1111111111111111111111111111111', '31 bytes'],
    ['111111111111111111111111111111111', '33 bytes'],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'another chain of base58check'],
    [SOLANA.replace('T', '0'), 'not base58'],
    ['0x0800000000000011000000000000000000000000000000000000000000000001', 'the field prime itself'],
    [`0x${'f'.repeat(64)}`, 'beyond the field'],
    [`0x${'1'.repeat(65)}`, '65 digits'],
  ])('refuses %s: %s', (value) => {
    expect(parseAddress(value)).toBeUndefined()
  })
})

describe('addressList', () => {
  const schema = z.object({ addresses: addressList({ accepts: ['evm', 'tron'], refuses: ['solana'], max: 3 }) })
  const read = (addresses: unknown) => {
    const result = schema.safeParse({ addresses })
    return result.success ? result.data.addresses : result.error.issues[0]?.message
  }
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string, string]

  test.each([
    ['a comma list', `${a},${b}`, [a, b]],
    ['a repeated key', [a, b], [a, b]],
    ['both mixed', [`${a},${b}`, c], [a, b, c]],
    ['white space and empty parts', ` ${a} ,, ${b},\t`, [a, b]],
    ['duplicates in another case', `${a},${a.toUpperCase().replace('X', 'x')},${a}`, [a]],
    ['as many as are allowed once collapsed', [a, b, c, a, b, c].join(','), [a, b, c]],
    ['another family', TRON, [TRON]],
    ['request order', `${c},${a},${b}`, [c, a, b]],
  ])('takes %s', (_, value, expected) => {
    expect(read(value)).toEqual(expected)
  })

  test.each([
    ['nothing', undefined, 'is required'],
    ['an empty text', '', 'at least one'],
    ['commas', ', ,', 'at least one'],
    ['one too many', [a, b, c, d].join(','), 'at most 3'],
    ['a valid and an invalid one', `${a},zzz`, 'not a wallet address: zzz'],
    ['a family that is not served yet', SOLANA, 'Solana is not a supported chain'],
    ['a family that is not meant', STARKNET, 'Starknet addresses are not supported'],
    ['an object', { 0: a }, 'is required'],
  ])('refuses %s', (_, value, expected) => {
    expect(read(value)).toContain(expected)
  })

  test('however a set of addresses is written, the same list is read', () => {
    const hex = fc.array(fc.constantFrom(...'0123456789abcdef'), { minLength: 40, maxLength: 40 })
    const address = hex.map((digits) => `0x${digits.join('')}`)
    fc.assert(
      fc.property(fc.uniqueArray(address, { minLength: 1, maxLength: 3 }), fc.integer(), (addresses, seed) => {
        const spelled = addresses.map((value, index) =>
          (seed >> index) & 1 ? ` 0x${value.slice(2).toUpperCase()}\n` : value,
        )
        expect(read(spelled)).toEqual(addresses)
        expect(read(spelled.join(','))).toEqual(addresses)
        expect(read([...spelled, ...addresses].join(',,'))).toEqual(addresses)
      }),
    )
  })
})

describe('addresses of other kinds', () => {
  const pebbles: AddressFamily = {
    name: 'pebble',
    title: 'Pebble',
    tells: ['holdings'],
    parse: (value) => (/^pbl1[a-z]{4}$/i.test(value) ? value.toLowerCase() : undefined),
  }
  const {
    parse,
    list,
    wallets,
    approvals,
    airdrops,
    any,
    describe: say,
  } = createAddresses([...[evmAddresses, pebbles, ...savedAddresses]])
  const read = (rule: typeof wallets, addresses: string) => {
    const result = list({ ...rule, max: 3 }).safeParse(addresses)
    return result.success ? result.data : result.error.issues[0]?.message
  }

  test('are accepted by the routes for their chains, in their one spelling', () => {
    expect(parse('PBL1abcd')).toEqual({ family: 'pebble', address: 'pbl1abcd' })
    expect(parse(SOLANA)).toBeUndefined()
    expect(read(wallets, `pbl1ABCD,${EVM},pbl1abcd`)).toEqual(['pbl1abcd', EVM.toLowerCase()])
    expect(read(any, `${TRON},pbl1abcd`)).toEqual([TRON, 'pbl1abcd'])
    expect(read(wallets, TRON)).toBe(`Tron addresses are not supported by this endpoint: ${TRON}`)
    expect(read(approvals, 'pbl1abcd')).toBe('Pebble addresses are not supported by this endpoint: pbl1abcd')
    expect(read(airdrops, EVM)).toContain('EVM addresses are not supported')
  })

  test('are described by the names of their chains', () => {
    expect(say(wallets, 3)).toBe('EVM or Pebble wallets, in one comma-separated list.')
    expect(say(approvals, 1)).toBe('An EVM wallet.')
    expect(say(any, 1)).toBe('An EVM, Pebble, Tron or Starknet wallet.')
    expect(shippedAddresses.describe(shippedAddresses.airdrops, 1)).toBe('A Solana wallet.')
  })
})
