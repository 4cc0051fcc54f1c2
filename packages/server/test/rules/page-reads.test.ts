import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

// A page shows a change a moment after the click. `expect.poll` retries until it does, or time is up.

const root = join(import.meta.dirname, '../../../..')

/** Expectations about a page at one moment. */
const AT_ONCE =
  /expect\(\s*\(?await [^\n]*\b(allTextContents|count|evaluateAll|getAttribute|innerText|inputValue|is(Checked|Editable|Enabled|Visible)|textContent|valuesIn|figuresIn)\(/g

const found = (text: string) => text.match(AT_ONCE) ?? []

describe('what a page shows', () => {
  it('is expected by no test at one moment', () => {
    const files = globSync('packages/server/test/**/*.browser.test.ts', { cwd: root })
    expect(files.length).toBeGreaterThan(10)
    const all = files.flatMap((file) => found(readFileSync(join(root, file), 'utf8')).map((line) => ({ file, line })))
    expect(all).toEqual([])
  })

  it.each([
    "expect(await page.getByRole('menuitem').allTextContents()).toEqual([])",
    'expect((await valuesIn(row))[1]).toBe(2)',
    'expect(\n  await page.locator("p").count(),\n).toBe(0)',
  ])('is found where it is expected at one moment: %s', (line) => expect(found(line)).toHaveLength(1))

  it.each(['await expect.poll(() => rows.count()).toBe(2)', 'expect(await opened.axe()).toEqual([])'])(
    'is not found elsewhere: %s',
    (line) => expect(found(line)).toEqual([]),
  )
})
