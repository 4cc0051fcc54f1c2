import { expect, test } from 'vitest'
import { toCsv } from './csv.ts'

const fieldsOf = (...values: string[]) => toCsv(['a'], [values]).slice('a\r\n'.length, -'\r\n'.length)

test('fields that a spreadsheet would run are text; figures stay exact', () => {
  expect(fieldsOf('=1+1', '+49', '-cmd', '@SUM(A1)', '\t=1', '-')).toBe("'=1+1,'+49,'-cmd,'@SUM(A1),'\t=1,'-")
  expect(fieldsOf('-12.5', '0.000000000000000000000001', '-0', '12')).toBe('-12.5,0.000000000000000000000001,-0,12')
  expect(fieldsOf('-12.5+cmd', '-1\n2')).toBe('\'-12.5+cmd,"\'-1\n2"')
})

test('quotes, commas and line ends are inside quotes', () => {
  expect(
    toCsv(
      ['a,b', 'c'],
      [
        ['x"y', 'two\nlines'],
        ['plain', ''],
      ],
    ),
  ).toBe('"a,b",c\r\n"x""y","two\nlines"\r\nplain,\r\n')
  expect(fieldsOf('="a"')).toBe('"\'=""a"""')
})
