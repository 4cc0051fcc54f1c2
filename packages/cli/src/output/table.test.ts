import fc from 'fast-check'
import { expect, test } from 'vitest'
import { figureColumn, textColumn } from './column.ts'
import { csvOf } from './csv.ts'
import { money } from './figures.ts'
import { tableOf } from './table.ts'
import { widthOf } from './visible-text.ts'

const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10_ff_ff }), { maxLength: 20 })
  .map((points) => String.fromCodePoint(...points))
type Row = { name: string; note: string; address: string; value: string }
const columns = [
  textColumn<Row>('address', ({ address }) => address, { isWhole: true }),
  textColumn<Row>('name', ({ name }) => name),
  textColumn<Row>('note', ({ note }) => note, { spare: 1 }),
  figureColumn<Row>('value', ({ value }) => value, money),
  textColumn<Row>('all', ({ note }) => note, { spare: 'csv' }),
]
const row = (name: string, value: string): Row => ({ name, value, note: `about ${name}`, address: '0x1234567890' })

test('columns stand below their names, figures to the right', () => {
  const { lines, isRounded, leftOut } = tableOf(columns, [row('ether', '1234.5'), row('漢字', '-0.001')])
  expect(lines).toEqual([
    'address       name   note            value',
    '0x1234567890  ether  about ether  1,234.50',
    '0x1234567890  漢字   about 漢字     >-0.01',
  ])
  expect([isRounded, leftOut]).toEqual([true, []])
  expect(tableOf(columns, [row('ether', '1234.5')]).isRounded).toBe(false)
})

test('a table fits as long as addresses and figures do, and neither is ever cut', () => {
  const rows = fc.array(fc.record({ name: anyText, value: fc.constantFrom('1', '-1234567.891', 'N/A') }), {
    minLength: 1,
    maxLength: 5,
  })
  fc.assert(
    fc.property(rows, fc.integer({ min: 38, max: 120 }), (given, width) => {
      const { lines } = tableOf(
        columns,
        given.map(({ name, value }) => row(name, value)),
        width,
      )
      expect(lines).toHaveLength(given.length + 1)
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width)
      for (const [index, { value }] of given.entries()) {
        expect(lines[index + 1]?.startsWith('0x1234567890')).toBe(true)
        expect(lines[index + 1]?.endsWith(money(value))).toBe(true)
      }
    }),
  )
})

test('what has no room is left out and named, the least needed first', () => {
  const { lines, leftOut } = tableOf(columns, [row('a name that is long', '1')], 35)
  expect(leftOut).toEqual(['note'])
  expect(lines[1]).toBe('0x1234567890  a name that i…   1.00')
})

test('CSV has every column and digit, and no formula', () => {
  const csv = csvOf(columns, [row('=1+1', '0.00000000000000000001'), row('a,"b"\n', '-5')])
  expect(csv).toBe(
    'address,name,note,value,all\r\n' +
      `"0x1234567890","'=1+1","about =1+1",0.00000000000000000001,"about =1+1"\r\n` +
      '"0x1234567890","a,""b""\\u{a}","about a,""b""\\u{a}",-5,"about a,""b""\\u{a}"\r\n',
  )
})
