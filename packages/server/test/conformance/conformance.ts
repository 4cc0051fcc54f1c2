import { afterAll, beforeAll, describe, test } from 'vitest'
import { type CheckName, checks } from './checks.ts'
import { openExamination, type Subject, type Table } from './examination.ts'

/** Runs once per sample. An endpoint without a sample fails. */
export function conformance<T extends Table>(subject: Subject<T>): void {
  let examination: Awaited<ReturnType<typeof openExamination<T>>>
  beforeAll(async () => {
    examination = await openExamination(subject)
  })
  afterAll(() => examination.stop())

  const { checksOf = () => Object.keys(checks) as CheckName[] } = subject
  describe.each(Object.keys(subject.endpoints))('%s', (name) => {
    test.each(checksOf(name))('%s', async (check) => checks[check](await examination.examine(name)))
  })
  for (const [kind, samples] of Object.entries(subject.further ?? {})) {
    describe.each(Object.keys(samples))(`${kind}: %s`, (name) => {
      test.each(checksOf(name, kind))('%s', async (check) => checks[check](await examination.examine(name, samples)))
    })
  }
}
