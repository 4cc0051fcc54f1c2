import { expect, test } from 'vitest'
import { NoHistory } from '../../../beacon/beacon-request.ts'
import { createValidatorIndexer } from './validator-indexer.ts'

test('nodes that keep too little are named as the reason, once', async () => {
  const lines: string[] = []
  const run = createValidatorIndexer({
    reach: 'tracked',
    store: { hasTracked: () => Promise.reject(new NoHistory('validators')) },
    log: { warn: (_: object, text: string) => void lines.push(text) },
  } as never)
  await run(new AbortController().signal)
  await run(new AbortController().signal)
  expect(lines).toEqual([expect.stringMatching(/^the beacon nodes have dropped .* X-Data-Complete stays false/)])
})
