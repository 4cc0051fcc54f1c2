import type { ScreenRoute } from '../../routes/screen-route.ts'

export const routes: ScreenRoute[] = [
  { path: '/a/$account/transactions', load: () => import('./transactions-screen.tsx') },
]
