import type { ScreenRoute } from '../../routes/screen-route.ts'

export const routes: ScreenRoute[] = [
  { path: '/a/$account/virtual-users', load: () => import('./virtual-users-screen.tsx') },
]
