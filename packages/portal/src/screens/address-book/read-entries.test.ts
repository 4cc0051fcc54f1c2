import { expect, test } from 'vitest'
import { inBatches, readEntries } from './read-entries.ts'

const a = `0x${'a'.repeat(40)}`
const b = `0x${'b'.repeat(40)}`
const sol = 'So11111111111111111111111111111111111111112'

test('reads lines with and without labels', () => {
  expect(readEntries(`${a},Treasury\n\n ${b} \n${sol}\tDesk`)).toEqual({
    entries: [
      { address: a, label: 'Treasury' },
      { address: b, label: '' },
      { address: sol, label: 'Desk' },
    ],
    refused: [],
  })
})

test('reads what spreadsheets write: byte order mark, header, quotes, semicolons, CRLF', () => {
  const file = `\uFEFFAddress;Label;Note\r\n"${a}";"Cold; ""deep""";x\r\n${b};"Hot, old";\r\n`
  expect(readEntries(file)).toEqual({
    entries: [
      { address: a, label: 'Cold; "deep"' },
      { address: b, label: 'Hot, old' },
    ],
    refused: [],
  })
})

test('reads labels as they were before the service wrote them to a file', () => {
  const file = `address,label\r\n"${a}","'=sum;' -5"\r\n"${b}","Ann's + Bob's"\r\n`
  expect(readEntries(file).entries.map(({ label }) => label)).toEqual(['=sum; -5', "Ann's + Bob's"])
})

test('an address counts once, hexadecimal ones in any case', () => {
  const { entries } = readEntries(
    `${a},first\n${a.toUpperCase().replace('0X', '0x')},second\n${sol}\n${sol.toLowerCase()}`,
  )
  expect(entries.map(({ label, address }) => label || address)).toEqual(['first', sol, sol.toLowerCase()])
})

test('lines without an address are reported by their number', () => {
  expect(readEntries(`${a}\nvitalik.eth,V\naddress,label\n=cmd()`)).toEqual({
    entries: [{ address: a, label: '' }],
    refused: [
      { line: 2, text: 'vitalik.eth,V' },
      { line: 3, text: 'address,label' },
      { line: 4, text: '=cmd()' },
    ],
  })
})

test('a call saves a hundred at most', () => {
  const many = Array.from({ length: 201 }, (_, n) => ({ address: String(n), label: '' }))
  expect(inBatches(many).map((batch) => [batch[0]?.address, batch.length])).toEqual([
    ['0', 100],
    ['100', 100],
    ['200', 1],
  ])
  expect(inBatches([])).toEqual([])
})
