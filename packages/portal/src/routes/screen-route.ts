import type { ComponentType } from 'react'

/**
 * A screen, declared by `screens/<folder>/route.ts` as `export const routes: ScreenRoute[] = [...]` and listed nowhere
 * else. Its texts are in `screens/<folder>/de.json`, loaded with it.
 */
export type ScreenRoute = {
  /** `/a/$account/…` belongs to an account, `/me` and `/operator/…` need a session, `public` ones need none. */
  path: `/${string}`
  public?: true
  /** `() => import('./keys-screen.tsx')`: a module that exports the component `Screen`. */
  load: () => Promise<{ Screen: ComponentType }>
  /**
   * First reads below the account, e.g. `/keys`, spelled exactly as the screen requests them. The page head requests
   * them before the application loads.
   */
  reads?: readonly string[]
}

type RouteModule = { routes: readonly ScreenRoute[] }

const modules = import.meta.glob<RouteModule>('../screens/*/route.ts', { eager: true })

export const screenRoutes: readonly (ScreenRoute & { folder: string })[] = Object.entries(modules).flatMap(
  ([file, { routes }]) => routes.map((route) => ({ ...route, folder: file.split('/').at(-2) ?? '' })),
)

const folders = new Set(screenRoutes.map(({ folder }) => folder))

export const hasScreen = (folder: string): boolean => folders.has(folder)
