import { expect, test } from 'vitest'
import { checks } from '../conformance/checks.ts'
import { openExamination, type Subject, type Table } from '../conformance/examination.ts'
import { memorySubject } from '../conformance/memory-subject.ts'

/** Failed checks of an endpoint, with the first line of their message. */
async function failuresOf<T extends Table>(subject: Subject<T>, name: string): Promise<Record<string, string>> {
  const { examine, stop } = await openExamination(subject)
  const failures: Record<string, string> = {}
  try {
    for (const [title, check] of Object.entries(checks)) {
      await examine(name)
        .then(check)
        .catch((error: Error) => Object.assign(failures, { [title]: error.message.split('\n')[0] }))
    }
  } finally {
    await stop()
  }
  return failures
}

test('what keeps the rules passes', async () => {
  expect(await failuresOf(memorySubject(), 'titled')).toEqual({})
})

test('a header that is missing is reported', async () => {
  const subject = memorySubject({
    prepare: (app) =>
      app.addHook('onSend', async (_request, reply) => {
        if (reply.statusCode === 401) reply.removeHeader('www-authenticate')
      }),
  })
  expect(await failuresOf(subject, 'titled')).toEqual({
    '401 without exactly one valid key': expect.stringContaining("expected null to be 'Bearer'"),
  })
})

test('a charge that is not given back is reported', async () => {
  const subject = memorySubject({
    gates: (gates) => ({
      ...gates,
      hold: async (...charge) => ({ ...(await gates.hold(...charge)), giveBack: async () => {} }),
    }),
  })
  expect(await failuresOf(subject, 'titled')).toEqual({
    'a bug is 500, given back, and says nothing of itself': expect.stringContaining('to deeply equal'),
    'a source that failed is 502, given back, and says nothing of itself': expect.stringContaining('to deeply equal'),
  })
})

test('a body outside its schema is reported', async () => {
  const subject = memorySubject({ handlers: { detailed: () => Buffer.from('{"page":"2","limit":20}') } })
  expect(await failuresOf(subject, 'detailed')).toMatchObject({
    'succeeds and is charged': expect.stringContaining('data/page must be integer'),
  })
})

test('a status that is not documented is reported', async () => {
  const subject = memorySubject({
    prepare: (app) =>
      app.addHook('onSend', async (_request, reply) => {
        if (reply.statusCode === 402) reply.code(418)
      }),
  })
  expect(await failuresOf(subject, 'titled')).toEqual({
    '402 when a credit is missing; free at balance 0': expect.stringContaining('418, which is not documented'),
  })
})

test('an endpoint without a sample is reported', async () => {
  const { samples, ...subject } = memorySubject()
  const { titled: _, ...others } = samples
  const failures = await failuresOf({ ...subject, samples: others as typeof samples }, 'titled')
  expect(Object.keys(failures)).toEqual(Object.keys(checks))
  expect(new Set(Object.values(failures))).toEqual(new Set(['titled has no sample: give a request that succeeds']))
})
