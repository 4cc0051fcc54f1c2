import { afterAll, beforeAll, describe, test } from 'vitest'
import { checks } from './checks.ts'
import { openExamination, type Subject, type Table } from './examination.ts'

/** Takes every endpoint of a table through every check, once for each of its samples. An endpoint without any fails. */
export function conformance<T extends Table>(subject: Subject<T>): void {
  let examination: Awaited<ReturnType<typeof openExamination<T>>>
  beforeAll(async () => {
    examination = await openExamination(subject)
  })
  afterAll(() => examination.stop())

  describe.each(Object.keys(subject.endpoints))('%s', (name) => {
    test.each(Object.entries(checks))('%s', async (_, check) => check(await examination.examine(name)))
  })
  describe.each(Object.entries(subject.further ?? {}))('%s', (_kind, samples) => {
    describe.each(Object.keys(samples))('%s', (name) => {
      test.each(Object.entries(checks))('%s', async (_, check) => check(await examination.examine(name, samples)))
    })
  })
}
