import { expect, test } from 'vitest'
import { renderGuide } from './docs-routes.ts'

const names = new Set(['backup', 'here'])
const rendered = (markdown: string) => renderGuide({ name: 'here', markdown }, names)

test('headings have the names that GitHub gives them, each once', () => {
  const { title, headings, html } = rendered('# The `first` hour\n\n## Cost & PnL (USD)\n\n## Again\n\n## Again\n')
  expect(title).toBe('The first hour')
  expect(headings).toEqual([
    { id: 'the-first-hour', depth: 1, text: 'The first hour' },
    { id: 'cost--pnl-usd', depth: 2, text: 'Cost & PnL (USD)' },
    { id: 'again', depth: 2, text: 'Again' },
    { id: 'again-1', depth: 2, text: 'Again' },
  ])
  expect(html).toContain('<h1 id="the-first-hour"><a href="#the-first-hour">The <code>first</code> hour</a></h1>')
  expect(html).toContain('<h2 id="again-1"><a href="#again-1">Again</a></h2>')
})

test('links lead to guides; what is not served is text', () => {
  const { html } = rendered(
    '[a](backup.md) [b](backup.md#how) [c](#d) [e](https://x.example/) [f](records/0001-x.md) [g](../README.md) [h](/docs/reference/) [i](nothing.md) [j](javascript:alert(1)) ![k](portal/k.jpg)',
  )
  expect(html).toBe(
    '<p><a href="/docs/backup">a</a> <a href="/docs/backup#how">b</a> <a href="#d">c</a> <a href="https://x.example/">e</a> f g <a href="/docs/reference/">h</a> i j k</p>\n',
  )
})

test('code is shown as it is, and what is wide is moved by keyboard', () => {
  const { html } = rendered('```html\n<b>&amp;</b>\n```\n\n| a |\n|---|\n| `<i>` |\n')
  expect(html).toContain('<pre tabindex="0"><code>&lt;b&gt;&amp;amp;&lt;/b&gt;\n</code></pre>')
  expect(html).toContain('<div class="wide" role="group" aria-label="Table" tabindex="0"><table>')
  expect(html).toContain('<td><code>&lt;i&gt;</code></td>')
})
