import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Plugin, Rolldown } from 'vite'

const source = fileURLToPath(new URL('head-script.js', import.meta.url))
const screen = /\/screens\/([\w-]+)\/\1-screen\.tsx$/

/**
 * Puts `head-script.js` into the page's head: a file with a hash in its name, because the page's policy takes no inline
 * script and a module runs too late. It knows the scripts of each screen, by the screen's folder.
 */
export function headScript(): Plugin {
  let fileName: string | undefined
  return {
    name: 'coffer-head-script',
    async generateBundle(_options, bundle) {
      const code = (await readFile(source, 'utf8')).replace(
        'screens = {}',
        `screens = ${JSON.stringify(screensOf(bundle))}`,
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

/** The scripts that each screen needs besides those that the page itself names. */
function screensOf(bundle: Rolldown.OutputBundle): Record<string, string[]> {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
  const imports = new Map(chunks.map((chunk) => [chunk.fileName, chunk.imports]))
  const withImports = (names: Iterable<string>): Set<string> => {
    const all = new Set(names)
    for (const name of all) for (const imported of imports.get(name) ?? []) all.add(imported)
    return all
  }
  const frame = withImports(chunks.filter((chunk) => chunk.isEntry).map((chunk) => chunk.fileName))
  return Object.fromEntries(
    chunks.flatMap(({ facadeModuleId, fileName }) => {
      const folder = screen.exec(facadeModuleId ?? '')?.[1]
      if (!folder) return []
      const others = [...withImports([fileName])].filter((name) => !frame.has(name))
      return [[folder, others.map((name) => `/${name}`)]]
    }),
  )
}
