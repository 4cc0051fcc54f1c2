import type { Rolldown } from 'vite'
import { readScreenRoutes } from './screen-routes.ts'

/**
 * How scripts are put into files. A slow line pays for each file, and for each byte that a page does not need: what every
 * page needs is one file, what most screens share another, and what those who are not signed in need stays out of that.
 */
export async function planChunks(): Promise<Rolldown.CodeSplittingOptions> {
  const screens = await readScreenRoutes()
  const open = [...screens].flatMap(([folder, routes]) => (routes.some((route) => route.public) ? [folder] : []))
  const openScreen = new RegExp(`/screens/(${open.join('|')})/[\\w-]+-screen\\.tsx$`)
  return {
    groups: [
      { name: 'frame', tags: ['$initial'] },
      {
        debugName: 'entrance',
        name: (id, context) => (isImportedBy(openScreen, id, context) ? 'entrance' : null),
        minShareCount: 2,
      },
      { name: 'table', test: /@tanstack.(react-)?virtual|data-table|sort-rows/ },
      { name: 'kit', minShareCount: 6 },
    ],
  }
}

/** Whether a module that `importer` matches imports the module, itself or by others. */
function isImportedBy(importer: RegExp, id: string, context: Rolldown.ChunkingContext): boolean {
  const all = new Set([id])
  for (const one of all) {
    if (importer.test(one)) return true
    for (const next of context.getModuleInfo(one)?.importers ?? []) all.add(next)
  }
  return false
}
