import type { ScreenRoute } from '../../routes/screen-route.ts'

export const routes: ScreenRoute[] = [
  { path: '/a/$account/members', load: () => import('./members-screen.tsx'), reads: ['/members'] },
]
