import type { ScreenRoute } from '../../routes/screen-route.ts'

const load = () => import('./operator-screen.tsx')

export const routes: ScreenRoute[] = [
  { path: '/operator', load },
  { path: '/operator/$panel', load },
]
