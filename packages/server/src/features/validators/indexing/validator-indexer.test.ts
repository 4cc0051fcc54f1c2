import { expect, test } from 'vitest'
import { NoHistory } from '../../../beacon/beacon-request.ts'
import { systemClock } from '../../../lib/clock.ts'
import { createValidatorIndexer } from './validator-indexer.ts'

test('nodes that keep too little are named as the reason, once', async () => {
  const lines: string[] = []
  const work = { begin: () => Promise.reject(new NoHistory('validators')) }
  const indexer = createValidatorIndexer({
    ...{ pool: {} as never, chain: {} as never, countedEpochs: {} as never, work: work as never },
    clock: systemClock,
    log: { warn: (_: object, text: string) => void lines.push(text) } as never,
  })
  await indexer.run(new AbortController().signal)
  await indexer.run(new AbortController().signal)
  expect(lines).toEqual([expect.stringMatching(/^the beacon nodes have dropped .* X-Data-Complete stays false/)])
})
