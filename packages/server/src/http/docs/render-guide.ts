import { Marked, Renderer, type Token, type Tokens } from 'marked'
import { escapeHtml } from '../../lib/escape-html.ts'
import type { Guide } from './guides.ts'

type Heading = { id: string; depth: number; text: string }
export type RenderedGuide = { name: string; title: string; html: string; headings: readonly Heading[] }

const GUIDE_LINK = /^([\w-]+)\.md(#.*)?$/

/** Renders links to files that are not served as plain text. */
export function renderGuide({ name, markdown }: Guide, names: ReadonlySet<string>): RenderedGuide {
  const headings: Heading[] = []
  const html = new Marked().parse(markdown, { async: false, renderer: new GuideRenderer(headings, names) })
  return { name, title: headings[0]?.text ?? name, html, headings }
}

class GuideRenderer extends Renderer {
  readonly #headings: Heading[]
  readonly #names: ReadonlySet<string>

  constructor(headings: Heading[], names: ReadonlySet<string>) {
    super()
    this.#headings = headings
    this.#names = names
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const text = plainText(tokens)
    const slug = slugOf(text)
    const before = this.#headings.filter(({ id }) => id === slug || id.replace(/-\d+$/, '') === slug).length
    const id = before === 0 ? slug : `${slug}-${before}`
    this.#headings.push({ id, depth, text })
    return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
  }

  override link(link: Tokens.Link): string {
    const text = this.parser.parseInline(link.tokens)
    const [, name = '', place = ''] = GUIDE_LINK.exec(link.href) ?? []
    if (this.#names.has(name)) return `<a href="/docs/${name}${place}">${text}</a>`
    return /^(https?:|#|\/)/.test(link.href) ? super.link(link) : text
  }

  override image({ text }: Tokens.Image): string {
    return escapeHtml(text)
  }

  override table(table: Tokens.Table): string {
    return `<div class="wide" role="group" aria-label="Table" tabindex="0">${super.table(table)}</div>\n`
  }

  override code({ text }: Tokens.Code): string {
    return `<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre>\n`
  }
}

/** As GitHub names headings, so that links work in both places. */
const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

const plainText = (tokens: readonly Token[]): string =>
  tokens.map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : textOf(token))).join('')

const textOf = (token: Token): string => ('text' in token ? String(token.text) : token.raw)
