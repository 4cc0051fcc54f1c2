import { afterAll, onTestFinished } from 'vitest'

type Stoppable = { stop(): Promise<unknown> }

/** At the top of a test file: stops the part after the file's tests, in reverse order of starts. */
export async function started<T extends Stoppable>(starting: Promise<T>): Promise<T> {
  const part = await starting
  afterAll(async () => {
    await part.stop()
  })
  return part
}

/** In a test or before each: stops the part after the test, in reverse order of starts. */
export async function startedForTest<T extends Stoppable>(starting: Promise<T>): Promise<T> {
  const part = await starting
  onTestFinished(async () => {
    await part.stop()
  })
  return part
}
