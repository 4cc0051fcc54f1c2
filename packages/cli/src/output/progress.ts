import type { Host } from '../host.ts'
import { cutTo, visibleText } from './visible-text.ts'

const CLEAR_LINE = '\r\u001b[K'

/** Shows progress on standard error: one changing line on a terminal, else a line per step. */
export function createProgress({ stderr, errorColumns }: Pick<Host, 'stderr' | 'errorColumns'>) {
  let lastStep: number | undefined
  return {
    show(text: string, step: number): void {
      const line = visibleText(text)
      if (errorColumns !== undefined) stderr.write(CLEAR_LINE + cutTo(line, errorColumns - 1))
      else if (step !== lastStep) stderr.write(`${line}\n`)
      lastStep = step
    },
    end(): void {
      if (errorColumns !== undefined && lastStep !== undefined) stderr.write(CLEAR_LINE)
    },
  }
}
