import { readdir, readFile } from 'node:fs/promises'

const FOLDER = new URL('../../../../../docs/', import.meta.url)

export type Guide = { name: string; markdown: string }

/** In reading order; names without a file are skipped. */
const SECTIONS: readonly { title: string; names: readonly string[] }[] = [
  { title: 'Begin', names: ['quickstart', 'first-hour'] },
  { title: 'Use the API', names: ['api', 'credits', 'freshness', 'completeness', 'errors', 'limits', 'sync'] },
  {
    title: 'Understand the figures',
    names: ['accounting', 'prices', 'untrusted-contracts', 'protocols', 'solana', 'airdrops', 'validators', 'history'],
  },
  { title: 'Build on it', names: ['packages', 'client', 'cli', 'webhooks', 'events', 'mcp', 'exports'] },
  {
    title: 'Run it yourself',
    names: 'deployment configuration nodes admin portal backup upgrade sizing troubleshooting'.split(' '),
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
