import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const source = fileURLToPath(new URL('theme-script.js', import.meta.url))

/**
 * Puts the script that sets the theme before the page is painted into its head: a file with a hash in its name, because the
 * page's policy takes no inline script and a module runs too late.
 */
export function themeScript(): Plugin {
  return {
    name: 'coffer-theme-script',
    async buildStart() {
      if (this.environment.mode !== 'build') return
      this.emitFile({ type: 'asset', name: 'theme.js', source: await readFile(source) })
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, context) {
        const bundle = Object.values(context.bundle ?? {})
        const built = bundle.find((file) => file.type === 'asset' && file.names.includes('theme.js'))
        const src = built ? `/${built.fileName}` : '/build/theme-script.js'
        return [{ tag: 'script', attrs: { src }, injectTo: 'head-prepend' }]
      },
    },
  }
}
