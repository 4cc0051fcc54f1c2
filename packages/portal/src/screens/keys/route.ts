import type { ScreenRoute } from '../../routes/screen-route.ts'

export const routes: ScreenRoute[] = [
  { path: '/a/$account/keys', load: () => import('./keys-screen.tsx'), reads: ['/keys'] },
]
