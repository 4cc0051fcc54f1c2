import { readdir, readFile } from 'node:fs/promises'
import { Marked, Renderer, type Token, type Tokens } from 'marked'
import { escapeHtml } from '../../lib/escape-html.ts'
import type { Headers } from '../cors.ts'
import type { PublicRoute } from '../public-files.ts'
import type { PublicFile } from '../static-file.ts'

const STYLE = new URL('./docs.css', import.meta.url)

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const HEADERS = { 'cache-control': 'public, max-age=3600', 'referrer-policy': 'no-referrer' }

type Section = { title: string; guides: readonly RenderedGuide[] }

export function docsRoutes({ isHome, folder }: { isHome: boolean; folder?: URL }): PublicRoute[] {
  let rendered: Promise<Section[]> | undefined
  const sections = () => {
    rendered ??= readGuides(folder).then((all) => {
      const names = new Set(all.flatMap(({ guides }) => guides.map(({ name }) => name)))
      return all.map(({ title, guides }) => ({ title, guides: guides.map((guide) => renderGuide(guide, names)) }))
    })
    return rendered
  }
  return [
    ...(isHome ? [{ path: '/', redirect: '/docs/' } as const] : []),
    { path: '/docs', redirect: '/docs/' },
    { path: '/docs/', small: true, read: async () => asFile(contentsPage(await sections())) },
    {
      path: '/docs/style.css',
      small: true,
      read: async () => ({ contentType: 'text/css; charset=utf-8', body: await readFile(STYLE), headers: HEADERS }),
    },
    {
      path: '/docs/:name',
      small: true,
      async read({ name }) {
        const all = await sections()
        const guide = all.flatMap(({ guides }) => guides).find((each) => each.name === name)
        return guide && asFile(guidePage(guide, all))
      },
      missing: async () => asFile(missingPage(await sections()), { 'cache-control': 'no-store' }),
    },
  ]
}

const asFile = (body: string, own: Headers = {}): PublicFile => ({
  contentType: 'text/html; charset=utf-8',
  body,
  headers: { ...HEADERS, 'content-security-policy': POLICY, ...own },
})

function contentsPage(sections: readonly Section[]): string {
  const listed = sections.map(
    ({ title, guides }) => `<h2>${title}</h2>
<dl class="contents">
${guides.map(contentsOf).join('\n')}
</dl>`,
  )
  const content = `<h1>Coffer’s documentation</h1>
<p>How to use the service, what its figures mean, and how to run it. Every operation and field is in the <a href="/docs/reference/">API reference</a>.</p>
${listed.join('\n')}`
  return page('Documentation', content, sections)
}

function contentsOf({ name, title, headings }: RenderedGuide): string {
  const below = headings.filter(({ depth }) => depth === 2)
  const links = below.map(({ id, text }) => `<a href="/docs/${name}#${id}">${escapeHtml(text)}</a>`)
  return `<dt><a href="/docs/${name}">${escapeHtml(title)}</a></dt><dd>${links.join(' · ')}</dd>`
}

function guidePage(guide: RenderedGuide, sections: readonly Section[]): string {
  const inOrder = sections.flatMap(({ guides }) => guides)
  const place = inOrder.indexOf(guide)
  const step = (to: RenderedGuide | undefined, rel: 'prev' | 'next', word: string) =>
    to ? `<a rel="${rel}" href="/docs/${to.name}"><small>${word}</small> ${escapeHtml(to.title)}</a>` : ''
  const steps = `<nav class="steps" aria-label="Previous and next guide">${step(inOrder[place - 1], 'prev', 'Before')}${step(inOrder[place + 1], 'next', 'Next')}</nav>`
  return page(guide.title, `${guide.html}${steps}`, sections, guide.name)
}

const missingPage = (sections: readonly Section[]): string =>
  page(
    'Page not found',
    '<h1>Page not found</h1>\n<p>No guide has this address. <a href="/docs/">All guides</a></p>',
    sections,
  )

function page(title: string, content: string, sections: readonly Section[], current?: string): string {
  const line = ({ name, title: called }: RenderedGuide) =>
    `<li><a href="/docs/${name}"${name === current ? ' aria-current="page"' : ''}>${escapeHtml(called)}</a></li>`
  const lists = sections.map(
    (section) => `<h2>${section.title}</h2>\n<ul>\n${section.guides.map(line).join('\n')}\n</ul>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Coffer</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header>
<nav aria-label="Documentation">
<a class="home" href="/docs/">Coffer</a>
<a class="narrow" href="#guides">Guides</a>
<a href="/docs/reference/">API reference</a>
<a href="/openapi.json">OpenAPI</a>
</nav>
</header>
<div class="columns">
<main id="content">
${content}
</main>
<nav id="guides" aria-label="Guides">
${lists.join('\n')}
</nav>
</div>
</body>
</html>
`
}

type Heading = { id: string; depth: number; text: string }
type RenderedGuide = { name: string; title: string; html: string; headings: readonly Heading[] }

const GUIDE_LINK = /^([\w-]+)\.md(#.*)?$/

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

/** As GitHub names headings. */
const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

const plainText = (tokens: readonly Token[]): string =>
  tokens.map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : textOf(token))).join('')

const textOf = (token: Token): string => ('text' in token ? String(token.text) : token.raw)

const FOLDER = new URL('../../../../../docs/', import.meta.url)

export type Guide = { name: string; markdown: string }

/** In reading order; names without a file are skipped. */
const SECTIONS: readonly { title: string; names: readonly string[] }[] = [
  { title: 'Begin', names: ['quickstart', 'first-hour'] },
  {
    title: 'Use the API',
    names: ['api', 'credits', 'freshness', 'at-block', 'completeness', 'errors', 'limits', 'sync'],
  },
  {
    title: 'Understand the figures',
    names: ['accounting', 'prices', 'untrusted-contracts', 'protocols', 'solana', 'airdrops', 'validators', 'history'],
  },
  { title: 'Build on it', names: ['packages', 'client', 'cli', 'webhooks', 'events', 'mcp', 'exports'] },
  {
    title: 'Run it yourself',
    names: 'deployment configuration nodes admin portal backup upgrade sizing citus troubleshooting'.split(' '),
  },
]

export async function readGuides(folder = FOLDER): Promise<{ title: string; guides: readonly Guide[] }[]> {
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const present = files.flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -'.md'.length)] : [])).sort()
  const placed = new Set(SECTIONS.flatMap(({ names }) => names))
  const others = { title: 'Further reading', names: present.filter((name) => !placed.has(name)) }
  const sections = await Promise.all(
    [...SECTIONS, others].map(async ({ title, names }) => {
      const here = names.filter((name) => present.includes(name))
      const read = async (name: string) => ({ name, markdown: await readFile(new URL(`${name}.md`, folder), 'utf8') })
      return { title, guides: await Promise.all(here.map(read)) }
    }),
  )
  return sections.filter(({ guides }) => guides.length > 0)
}
