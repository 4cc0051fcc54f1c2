import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Plugin, Rolldown } from 'vite'
import { readScreenRoutes } from './screen-routes.ts'

const source = fileURLToPath(new URL('head-script.js', import.meta.url))
const screen = /\/screens\/([\w-]+)\/\1-screen\.tsx$/

type Ahead = { scripts: string[]; reads: string[]; isPublic: boolean }

/**
 * Puts `head-script.js` into the page's head: a file with a hash in its name, because the page's policy takes no inline
 * script and a module runs too late. It knows of each screen, by its folder, the scripts and what it reads first.
 */
export function headScript(): Plugin {
  let fileName: string | undefined
  return {
    name: 'coffer-head-script',
    async generateBundle(_options, bundle) {
      const code = (await readFile(source, 'utf8')).replace(
        'screens = {}',
        `screens = ${JSON.stringify(await screensOf(bundle))}`,
      )
      fileName = this.getFileName(this.emitFile({ type: 'asset', name: 'head.js', source: code }))
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => [
        { tag: 'script', attrs: { src: `/${fileName ?? 'build/head-script.js'}` }, injectTo: 'head-prepend' },
      ],
    },
  }
}

/** What each screen needs besides what the page itself names. */
async function screensOf(bundle: Rolldown.OutputBundle): Promise<Record<string, Ahead>> {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
  const imports = new Map(chunks.map((chunk) => [chunk.fileName, chunk.imports]))
  const withImports = (names: Iterable<string>): Set<string> => {
    const all = new Set(names)
    for (const name of all) for (const imported of imports.get(name) ?? []) all.add(imported)
    return all
  }
  const frame = withImports(chunks.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName))
  const declared = await readScreenRoutes()
  const found: Record<string, Ahead> = {}
  for (const { facadeModuleId, fileName } of chunks) {
    const folder = screen.exec(facadeModuleId ?? '')?.[1]
    if (!folder) continue
    const others = [...withImports([fileName])].filter((name) => !frame.has(name))
    const routes = declared.get(folder) ?? []
    found[folder] = {
      scripts: others.map((name) => `/${name}`),
      reads: routes.flatMap(({ reads = [] }) => reads),
      isPublic: routes.some((route) => route.public),
    }
  }
  return found
}
