import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvHeader, csvLine } from './csv.ts'

const textLine = (...values: string[]) => csvLine(values.map((value) => ({ kind: 'text', value })))

test.each([
  ['USDC', '"USDC"'],
  ['', ''],
  ['=1+1', `"'=1+1"`],
  ['X;=1+1', `"X;'=1+1"`],
  ["A;=cmd|' /C calc'!A0", `"A;'=cmd|' /C calc'!A0"`],
  ['X\t@SUM(1)', `"X\t'@SUM(1)"`],
  ['X\r=1', `"X\r'=1"`],
  ['X; "=1"', `"X;' ""=1"""`],
  ['＝1+1', `"'＝1+1"`],
  ['X;＋1|－2,＠3', `"X;'＋1|'－2,'＠3"`],
  ['\tX', `"'\tX"`],
  ['a - b = c', '"a - b = c"'],
  ['wrapped-ether', '"wrapped-ether"'],
])('the text %j is written as %s', (value, cell) => {
  expect(textLine(value)).toBe(`${cell}\r\n`)
})

test('a figure stays as it is, and one that is none is a text', () => {
  const figures = ['-5', '0.25', '', 'N/A', '-1;=1'].map((value) => ({ kind: 'figure', value }) as const)
  expect(csvLine(figures)).toBe(`-5,0.25,,"N/A","'-1;'=1"\r\n`)
})

test('names of columns are not quoted where they need it not', () => {
  expect(csvHeader(['Date', 'Sent Amount', 'a,b', 'c"d'])).toBe('Date,Sent Amount,"a,b","c""d"\r\n')
})

const risky = fc
  .array(fc.constantFrom(...`=+-@＝＋－＠;,|\t\r\n"' aX1|`), { maxLength: 12 })
  .map((letters) => letters.join(''))

test('a strict reader gets every text back, with apostrophes at most', () => {
  fc.assert(
    fc.property(fc.array(risky, { minLength: 2, maxLength: 5 }), (texts) => {
      const read = parse(textLine(...texts), { record_delimiter: ['\r\n'], relax_column_count: false })
      expect(read).toHaveLength(1)
      expect(read[0]?.map((text: string) => text.replaceAll("'", ''))).toEqual(
        texts.map((text) => text.replaceAll("'", '')),
      )
    }),
  )
})

test('no cell begins a formula, wherever a spreadsheet splits the line', () => {
  fc.assert(
    fc.property(fc.array(risky, { minLength: 1, maxLength: 5 }), (texts) => {
      const line = textLine(...texts)
      for (const separators of [/[;\r\n]/, /[;\t\r\n]/, /[,;\t|\r\n]/]) {
        // The worst reader takes no notice of quotes, and drops them and white space around a cell.
        const cells = line.split(separators).map((cell) => cell.replace(/^["\s]+/, ''))
        expect(cells.filter((cell) => /^[=+\-@＝＋－＠]/.test(cell))).toEqual([])
      }
    }),
  )
})
