import { expect, test } from 'vitest'
import { nextPage } from './next-page.ts'

const byOffset = { offset: 0, limit: 50 }

test.each([
  ['what was cut goes on within itself', { pagedBy: byOffset, total: 50, skip: 10, shown: 15 }, { skip: 25 }],
  ['a full page goes on with the next', { pagedBy: byOffset, total: 50, shown: 50 }, { offset: 50 }],
  [
    'a page that was seen in parts too',
    { pagedBy: byOffset, args: { offset: 50 }, total: 50, skip: 20, shown: 30 },
    { offset: 100, skip: 0 },
  ],
  ['a page that is not full is the last', { pagedBy: byOffset, total: 49, shown: 49 }, null],
  [
    'a limit of the caller is that of a page',
    { pagedBy: byOffset, args: { limit: '2' }, total: 2, shown: 2 },
    { offset: 2 },
  ],
  [
    'the number of rows decides where it is reported',
    { pagedBy: byOffset, answer: { totalRows: 50 }, total: 50, shown: 50 },
    null,
  ],
  [
    'a cursor is handed on',
    { pagedBy: { cursor: undefined, limit: 25 }, answer: { cursor: 'abc' }, total: 3, shown: 3 },
    { cursor: 'abc' },
  ],
  [
    'no cursor is the end',
    { pagedBy: { cursor: undefined, limit: 25 }, answer: { cursor: null }, total: 25, shown: 25 },
    null,
  ],
  [
    'pages are counted',
    {
      pagedBy: { page: 1, limit: 20 },
      args: { page: 3 },
      answer: { pagination: { hasMore: true } },
      total: 20,
      shown: 20,
    },
    { page: 4 },
  ],
  [
    'the last page is the last',
    { pagedBy: { page: 1, limit: 20 }, answer: { pagination: { hasMore: false } }, total: 20, shown: 20 },
    null,
  ],
  ['what has no pages ends', { pagedBy: {}, total: 3, shown: 3 }, null],
])('%s', (_name, page, next) => {
  expect(nextPage({ args: {}, answer: {}, skip: 0, ...page })).toEqual(next)
})
