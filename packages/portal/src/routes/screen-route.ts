import type { ComponentType } from 'react'

/**
 * A screen, as `screens/<folder>/route.ts` declares it: `export const routes: ScreenRoute[] = [...]`. Nothing else lists it.
 * Its texts are in `screens/<folder>/de.json`, loaded with it.
 */
export type ScreenRoute = {
  /** `/a/$account/…` is of an account, `/me` and `/operator/…` need a session; `public` ones need none. */
  path: `/${string}`
  public?: true
  /** `() => import('./keys-screen.tsx')`: a module that exports the component `Screen`. */
  load: () => Promise<{ Screen: ComponentType }>
  /**
   * What the screen reads first below the account, as `/keys`, in the letters that it asks for it: asked for by the head of
   * the page, before the application is there.
   */
  reads?: readonly string[]
}

type RouteModule = { routes: readonly ScreenRoute[] }

const modules = import.meta.glob<RouteModule>('../screens/*/route.ts', { eager: true })

/** Every screen with the folder that it is in. */
export const screenRoutes: readonly (ScreenRoute & { folder: string })[] = Object.entries(modules).flatMap(
  ([file, { routes }]) => routes.map((route) => ({ ...route, folder: file.split('/').at(-2) ?? '' })),
)

const folders = new Set(screenRoutes.map(({ folder }) => folder))

export const hasScreen = (folder: string): boolean => folders.has(folder)
