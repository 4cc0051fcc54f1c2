import { readdirSync } from 'node:fs'
import type { ScreenRoute } from '../src/routes/screen-route.ts'

const screens = new URL('../src/screens/', import.meta.url)

/** The routes of every screen by its folder, as its `route.ts` declares them. */
export async function readScreenRoutes(): Promise<ReadonlyMap<string, readonly ScreenRoute[]>> {
  const read = async (folder: string) => {
    const { routes } = (await import(new URL(`${folder}/route.ts`, screens).href)) as { routes: readonly ScreenRoute[] }
    return [folder, routes] as const
  }
  return new Map(await Promise.all(readdirSync(screens).map(read)))
}
